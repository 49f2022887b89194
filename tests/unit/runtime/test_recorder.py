"""What a recorder merges depends on what happened, not on who tells it first."""

from __future__ import annotations

import random

import pytest

from hwc.runtime.trace.hardware import HardwareTrace
from hwc.runtime.trace.recorder import Part, Recorder, Track
from hwc.runtime.trace.work import Wait, Work
from isa.operands import O, S
from isa.target import load_target
from sim.kernel import Kernel, Stream

TARGET = load_target("tiny")


def kernels(*points):
    type_ = next(t for name, t in __import__("isa").load().types.items() if name == "f32")
    return [
        Kernel(
            10 * number,
            (Stream.dense(S(0), type_, 0, (n,)),),
            (Stream.dense(O(0), type_, 1 << 20, (n,)),),
            (),
            (n,),
            TARGET.lanes,
            TARGET.vlen,
            1,
        )
        for number, n in enumerate(points)
    ]


def told(strips, limit, seed):
    """Tell two engines' work on kernels of so many strips, in a random order of the engines."""
    recorder = Recorder(limit=limit)
    recorder.begin(kernels(*(64 * n for n in strips)))
    queues = {"fetch": [], "store": []}
    for engine, queue in queues.items():
        time = 0
        for kernel, count in enumerate(strips):
            for strip in range(count):
                cause = "ring" if engine == "fetch" else "input"
                wait = [Wait(cause, time, time + 3)] if strip % 3 else []
                start = time + 3 * bool(wait)
                work = Work.of(strip, 0, 64, start, start + 10, wait)
                queue.append((Track(kernel, engine, 0), work))
                time = start + 10
    order = random.Random(seed)
    while any(queues.values()):
        engine = order.choice([e for e, queue in queues.items() if queue])
        recorder.work(*queues[engine].pop(0))
    for kernel in range(len(strips)):
        recorder.span(kernel, 100 * kernel, 100 * kernel + 150)
    recorder.end(5000, [Part("load", 0, 10), Part("words", 10, 20)])
    return recorder


@pytest.mark.parametrize("limit", [1000, 60, 30, 12])
@pytest.mark.parametrize("strips", [(17, 5, 9), (1,) * 20])
def test_the_order_of_engines_does_not_matter(strips, limit):
    one, *others = [told(strips, limit, seed) for seed in range(5)]
    for other in others:
        assert (other.group, other.kernels) == (one.group, one.kernels)
        assert other.dispatches == one.dispatches
    (record,) = one.dispatches
    for engine in ("fetch", "store"):
        works = [
            w for track, works in record.works.items() if track.engine == engine for w in works
        ]
        assert sum(work.count for work in works) == sum(strips)
        assert sum(work.busy for work in works) == 10 * sum(strips)
        waits = sum(wait.cycles for work in works for wait in work.waits)
        assert waits == 3 * sum(strip % 3 > 0 for n in strips for strip in range(n))
    if limit == 1000:
        assert (one.group, one.kernels) == (1, 1)
    else:
        assert sum(work.cost for works in record.works.values() for work in works) <= limit


def test_a_dispatch_that_begins_again():
    """The hardware's process may be ended in the middle of a dispatch."""
    recorder = Recorder()
    first = HardwareTrace(recorder, kernels(128))
    first(["span", "fetch", "busy", "0", "0", "5", "9"])
    first(["span", "fetch", "busy", "0", "0", "9", "12"])
    again = HardwareTrace(recorder, kernels(128))
    again(["part", "load", "0"])
    again(["span", "fetch", "busy", "0", "0", "7", "9"])
    again.end(50)
    (record,) = recorder.dispatches
    (works,) = record.works.values()
    assert [(work.first, work.start, work.end) for work in works] == [(0, 7, 9)]
    assert recorder.total_strips == 2


def test_waits_are_told_before_or_after_the_work():
    """A wait within the work may be told first, and one at its very end only after it."""
    recorder = Recorder()
    trace = HardwareTrace(recorder, kernels(128))
    trace(["part", "load", "0"])
    trace(["span", "lane", "input", "0", "0", "3", "5"])
    trace(["span", "lane", "dependence", "0", "0", "9", "11"])
    trace(["strip", "lane", "0", "0", "0", "0", "5", "20"])
    trace(["span", "lane", "dependence", "0", "0", "18", "20"])
    trace(["span", "lane", "output", "0", "0", "20", "22"])
    trace(["strip", "lane", "0", "0", "1", "0", "22", "30"])
    trace.end(50)
    (works,) = recorder.dispatches[0].works.values()
    first, second = works
    assert [wait.begin for wait in first.waits] == [3, 9, 18]
    assert (first.begin, first.busy) == (3, 15 - 4)
    assert [wait.begin for wait in second.waits] == [20]
    assert (second.begin, second.busy) == (20, 8)
