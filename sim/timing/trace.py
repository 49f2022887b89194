"""Turns the times of a window into records for a trace."""

from __future__ import annotations

from collections.abc import Sequence

from isa.load import load
from sim.kernel import Kernel
from sim.timing.contract import NEVER, Times, Work, lookback
from sim.trace import StripRecord


def record_window(
    trace: list[StripRecord],
    kernel: Kernel,
    start: int,
    first: int,
    work: Work,
    times: Times,
    body_cycles: Sequence[int],
) -> None:
    """Append the records of every strip of an evaluated window.

    `start` is the cycle of the dispatch at which the kernel's engines start, `first` the number of
    the window's first strip; `body_cycles` are the cycles of the body on each strip.
    """
    constants = load().timing
    fetch, stores = work.fetch.tolist(), work.store.tolist()
    beats = [stream.beats.tolist() for stream in work.streams]
    for strip, (body, store) in enumerate(zip(body_cycles, stores, strict=True)):
        now = strip + lookback()

        def add(
            engine: str,
            ends: Sequence[int],
            busy: int,
            first_cause: str,
            ready: int,
            rest: str = "",
            stream: int = 0,
            now: int = now,
            strip: int = first + strip,
        ) -> None:
            """Record one engine: it waited for `first_cause` until `ready`, then for `rest`."""
            idle_from, begin = ends[now - 1], ends[now] - busy
            waits = {first_cause: max(0, min(ready, begin) - idle_from)}
            if rest:
                waits[rest] = begin - idle_from - waits[first_cause]
            trace.append(
                StripRecord(
                    engine, kernel.pc, stream, strip, start + begin, start + ends[now], waits
                )
            )

        if kernel.inputs:
            add("fetch", times.f1, fetch[strip], "ring", times.f1[now])
        ready = NEVER
        for number, stream in enumerate(kernel.inputs):
            b1 = times.b1[number]
            data = times.d[number][now]
            add("broadcast", b1, beats[number][strip], "data", data, "slot", stream.code)
            ready = max(ready, b1[now] + constants.landing_ready)
        add("vector", times.v1, body, "input", ready, "output")
        add("store", times.s1, store, "input", times.s1[now])
