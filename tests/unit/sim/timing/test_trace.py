"""The trace: records of every strip, consistent with each other and with the counters."""

import pytest
from dispatch import host, streams
from kernels import TARGETS, simple

from isa.operands import S
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
    assert {r.engine for r in trace} == set(ENGINES)
    lanes = [(e, s) for e in ENGINES for s in ((S(0), S(1)) if e == "broadcast" else (0,))]
    for engine, stream in lanes:
        records = [r for r in trace if (r.engine, r.stream) == (engine, stream)]
        assert [r.strip for r in records] == list(range(counters["strips"]))
        previous = 1000
        for r in records:
            assert previous + sum(r.waits.values()) == r.start < r.end
            assert min(r.waits.values()) >= 0
            previous = r.end
    for engine, causes in (
        ("fetch", ["ring"]),
        ("broadcast", ["data", "slot"]),
        ("vector", ["input", "output"]),
        ("store", ["input"]),
    ):
        mine = [r for r in trace if r.engine == engine]
        busy = sum(r.end - r.start for r in mine)
        waiting = counters["vector_stall_dependence"] if engine == "vector" else 0
        assert busy == counters[f"{engine}_busy"] + waiting
        for cause in causes:
            assert sum(r.waits[cause] for r in mine) == counters[f"{engine}_stall_{cause}"]


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
    assert {r.engine for r in trace if r.kernel == 9} == {"vector", "store"}
    untraced = h.run(one + two, [0x30000, 0x31000, 0x32000])
    assert untraced.counters == run.counters
