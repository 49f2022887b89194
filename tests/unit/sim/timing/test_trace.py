"""The trace: records of every strip, consistent with each other and with the counters."""

import pytest
from dispatch import host, streams
from kernels import BODIES, TARGETS, body, kernel_of, simple

from sim.timing import kernel_time
from sim.trace import ENGINES


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("sizes", [(70, 301), (1, 301), (70, 1)])
def test_records_add_up_to_the_counters(target, sizes):
    inputs = ("f32", 0x8000, (70, 301)), ("i8", 0x9001, sizes)
    kernel = simple(target, (70, 301), *inputs, name="exp.f32")
    trace = []
    counters = kernel_time(target, kernel, start=1000, trace=trace)
    assert counters == kernel_time(target, kernel)
    assert {r.engine for r in trace} == set(ENGINES) - {"lane"}
    check(trace, counters)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("name", BODIES)
def test_records_of_phases_add_up(target, name):
    kernel = kernel_of(target, body(BODIES[name]), 9 * target.vlen + 1, 4)
    trace = []
    counters = kernel_time(target, kernel, start=1000, trace=trace)
    assert counters == kernel_time(target, kernel)
    check(trace, counters)


def check(trace, counters):
    """The records of each engine follow each other, and add up to its counters."""
    for engine, stream in {(r.engine, r.stream) for r in trace}:
        records = [r for r in trace if (r.engine, r.stream) == (engine, stream)]
        for phase in {r.phase for r in records}:
            strips = [r.strip for r in records if r.phase == phase]
            assert strips == list(range(counters["strips"]))
        previous = 1000
        for r in records:
            assert previous + sum(r.waits.values()) == r.start < r.end
            assert min(r.waits.values()) >= 0
            previous = r.end
    for engine, causes in (
        ("fetch", ["ring"]),
        ("broadcast", ["data", "slot"]),
        ("lane", ["input", "special", "output"]),
        ("store", ["input"]),
    ):
        mine = [r for r in trace if r.engine == engine]
        busy = sum(r.end - r.start for r in mine)
        waiting = counters["lane_stall_dependence"] if engine == "lane" else 0
        assert busy == counters[f"{engine}_busy"] + waiting
        for cause in causes:
            assert sum(r.waits[cause] for r in mine) == counters[f"{engine}_stall_{cause}"]
    # Inside of a group the special functions may wait for each other.
    specials = [r for r in trace if r.engine == "special"]
    waiting = sum(r.waits["any"] for r in specials)
    busy = sum(r.end - r.start for r in specials)
    assert counters["special_busy"] <= busy
    assert counters["special_busy"] + counters["special_stall"] == busy + waiting


def test_a_machine_records_all_kernels_in_cycles_of_the_dispatch():
    h = host()
    one = streams(("s0", "f32", 0, (600,)), ("o0", "f32", 1, (600,)))
    one += "loop\nabs.f32 o0, s0\nend\n"
    two = streams(("o0", "f32", 2, (600,))) + "loop\nmov o0, #1\nend\nhalt"
    trace = []
    run = h.run(one + two, [0x30000, 0x31000, 0x32000], trace=trace)
    assert {r.kernel for r in trace} == {4, 9}
    assert max(r.end for r in trace if r.kernel == 4) < min(r.start for r in trace if r.kernel == 9)
    assert max(r.end for r in trace) < run.counters["cycles"]
    # Without inputs nothing is fetched or broadcast.
    assert {r.engine for r in trace if r.kernel == 9} == {"lane", "store"}
    untraced = h.run(one + two, [0x30000, 0x31000, 0x32000])
    assert untraced.counters == run.counters


class Selected(list):
    """Keeps the records of some strips only."""

    def __init__(self, strips):
        super().__init__()
        self.strips = strips

    def wanted(self, kernel):
        return self.strips


@pytest.mark.parametrize("strips", [range(0, 3), range(4090, 4100), range(9000, 9001), range(0)])
@pytest.mark.parametrize("name", BODIES)
def test_records_of_some_strips(strips, name):
    """They are those of a whole trace, also after strips that were passed over."""
    target = TARGETS["tiny"]
    kernel = kernel_of(target, body(BODIES[name]), 9000 * target.vlen + 5, 4)
    whole, some = [], Selected(strips)
    kernel_time(target, kernel, trace=whole)
    assert kernel_time(target, kernel, trace=some) == kernel_time(target, kernel)
    assert [r for r in some if r.strip in strips] == [r for r in whole if r.strip in strips]


def test_a_window_of_a_long_kernel_is_quick():
    """Only the windows of strips in which a wanted one is are evaluated."""
    target = TARGETS["tiny"]
    points = (1 << 31) - 64
    kernel = simple(target, (points,), ("f32", 0x8000, (points,)))
    first = points // target.vlen - 5000
    some = Selected(range(first, first + 10))
    kernel_time(target, kernel, trace=some)
    assert {r.strip for r in some} >= set(some.strips)
    assert len(some) < 4 * 3 * 4096


def test_records_of_the_sequencer():
    h = host()
    one = streams(("s0", "f32", 0, (600,)), ("o0", "f32", 1, (600,)))
    one += "loop\nabs.f32 o0, s0\nend\n"
    none = streams(("s0", "f32", 1, (0,)), ("o0", "f32", 2, (0,))) + "loop\nmov o0, s0\nend\n"
    two = streams(("s0", "f32", 1, (600,)), ("o0", "f32", 2, (600,)))
    two += "loop\nmov o0, s0\nend\nhalt"
    trace, sequence = [], []
    addresses = [0x30000, 0x31000, 0x32000]
    run = h.run(one + none + two, addresses, trace=trace, sequence=sequence)
    first, empty, second, last = sequence
    assert (first.kernel, empty.kernel, second.kernel, last.kernel) == (4, 11, 18, None)
    assert (first.loop - first.begin, last.loop - last.begin) == (4, 1)
    assert first.fetch_wait == first.end_wait == empty.fetch_wait == empty.end_wait == 0
    assert (empty.begin, last.begin) == (first.start, second.start)
    assert second.begin == empty.start
    # It reads what the first writes, and waits for its end.
    assert second.start == run.kernels[0].end
    assert second.fetch_wait > 0 and second.end_wait > 0
    for record in (first, second):
        fetch = next(r for r in trace if (r.engine, r.kernel) == ("fetch", record.kernel))
        assert fetch.start - fetch.waits["ring"] == record.start
