"""Traces of the simulator, read back from their files and held against the counters."""

from functools import partial

import numpy as np
import pytest
from trace_reader import check_counters, names_of, read, rings_are_within

import hwc
from hwc.errors import DispatchError, UserError
from hwc.package import Package
from hwc.runtime import Program
from hwc.runtime import program as programs
from hwc.runtime.simulator import Simulator
from hwc.runtime.trace.calls import RecordedDevice
from hwc.runtime.trace.layout import HostWork, KernelSource, MachineWork, lay_out
from hwc.runtime.trace.recorder import Recorder
from isa.dispatch import Outcome
from isa.progress import ignore, observe
from sim.memory import Memory

CHAIN = """
func.func @main(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>,
                %c: tensor<?x?x?xf32>, %d: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %a, %b : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = tosa.mul %0, %c, %shift
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %2 = tosa.tanh %1 : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %3 = tosa.sub %2, %d : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %3 : tensor<?x?x?xf32>
}
"""

SHAPES = {
    "same": [(7, 8, 33)] * 4,
    "mixture": [(7, 1, 33), (1, 8, 1), (7, 8, 33), (1, 1, 33)],
    "odd": [(3, 40, 7), (3, 1, 7), (1, 40, 1), (3, 40, 7)],
    "one": [(1, 1, 1)] * 4,
}

TWO = """
func.func @main(%a: tensor<?xi8>, %b: tensor<?xf32>) -> (tensor<?xi8>, tensor<?xf32>) {
  %0 = tosa.add %a, %a : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  %1 = tosa.exp %b : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xi8>, tensor<?xf32>
}
"""


@pytest.fixture(scope="module")
def chain():
    return hwc.compile(CHAIN, "tiny")


@pytest.fixture(scope="module")
def two():
    return hwc.compile(TWO, "tiny")


def arrays(program, *shapes):
    kinds = {"f32": np.float32, "i8": np.int8}
    return [np.ones(s, kinds[t.type]) for s, t in zip(shapes, program.inputs, strict=True)]


def limited(monkeypatch, limit):
    """Let traces have this many slices and samples."""
    monkeypatch.setattr(programs, "Recorder", partial(Recorder, limit=limit))


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=list(SHAPES))
def test_the_slices_add_up_to_the_counters(chain, shapes):
    inputs = arrays(chain, *shapes)
    result, trace = chain.traced(*inputs)
    called = chain(*inputs)
    assert result.counters == called.counters
    np.testing.assert_array_equal(result.outputs[0], called.outputs[0])
    found = read(trace.to_bytes())
    check_counters(found, result.counters)
    assert rings_are_within(found, chain.target.ring_capacity)
    assert trace.strips_merged == 1
    assert len([s for s in found.of("lanes") if s.name == "strip 0"]) == 2  # its phases
    streams = [f"{what} s{i}" for i in range(4) for what in ("ring", "broadcast")]
    assert found.order == [
        *("steps", "sequencer", "kernels", "fetch", *streams),
        *("lanes", "special functions", "store", "bus read", "bus written"),
    ]


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=list(SHAPES))
def test_a_trace_from_shapes_alone(chain, shapes):
    assert chain.trace(*shapes) == chain.traced(*arrays(chain, *shapes))[1]
    window = range(0, 2)
    assert chain.trace(*shapes, strips=window).tracks == (
        chain.traced(*arrays(chain, *shapes), strips=window)[1].tracks
    )
    with pytest.raises(UserError, match="the call has"):
        chain.trace(*shapes, strips=range(1000, 1001))


def test_a_part_of_a_very_long_call(chain):
    """A million strips before it are passed over."""
    strips = range(1_000_000, 1_000_010)
    trace = chain.trace((1 << 10, 1 << 8, 1 << 8), *[(1, 1, 1)] * 3, strips=strips)
    found = read(trace.to_bytes())
    stored = [s.args["strip"] for s in found.of("store") if s.name.startswith("strip")]
    assert stored == [*strips]
    assert trace.strips_merged == 1


@pytest.mark.long
def test_a_long_call_stays_below_20_megabytes(chain):
    """With a hundred thousand strips, of which many are merged."""
    shapes = (100, 256, 256), (1, 256, 1), (100, 1, 256), (1, 1, 1)
    trace = chain.trace(*shapes)
    data = trace.to_bytes()
    assert 5 * 2**20 < len(data) < 20 * 10**6
    assert trace.strips_merged >= 8
    check_counters(read(data), chain.time(*shapes).counters)


def test_what_a_slice_says(chain):
    inputs = arrays(chain, (2, 5, 9), (1, 5, 1), (2, 1, 9), (1, 1, 1))
    _, trace = chain.traced(*inputs)
    found = read(trace.to_bytes())
    assert found.process == "main of - on tiny (simulator)"
    operators, kernel = found.of("kernels")
    assert kernel.parent is operators
    assert operators.name == "tosa.add, tosa.mul, tosa.tanh, tosa.sub"
    assert operators.args == {"source": "-:5:8, -:6:8, -:8:8, -:9:8"}
    assert kernel.name == "kernel 0: tosa.add, tosa.mul, tosa.tanh, tosa.sub"
    assert kernel.args == {
        "kernel": 0,
        "operators": "tosa.add, tosa.mul, tosa.tanh, tosa.sub",
        "sizes": "2x5x9",
        "points": 90,
        "strips": 2,
        "instructions": 4,
        **{"s0": "f32 2x5x9", "s1": "f32 1x5x1", "s2": "f32 2x1x9", "s3": "f32 1x1x1"},
        "o0": "f32 2x5x9",
    }
    stored = [s for s in found.of("store") if s.name.startswith("strip")]
    assert [s.args for s in stored] == [
        {"strip": 0, "points": 64, "kernel": 0},
        {"strip": 1, "points": 26, "kernel": 0},
    ]
    assert all(s.parent is not None and s.parent.name == kernel.name for s in stored)
    sequencer = found.of("sequencer")
    assert names_of(sequencer) == [
        *("dispatch 0", "load program and packet", "words", f"set up {kernel.name}", "words"),
        "wait for the last kernel",
    ]
    assert kernel.begin == sequencer[3].end
    assert kernel.end == sequencer[0].end
    assert found.units["bus read"] == "bytes in 64 cycles"


def test_kernels_follow_each_other(two):
    result, trace = two.traced(*arrays(two, (700,), (300,)))
    found = read(trace.to_bytes())
    check_counters(found, result.counters)
    kernels = [s for s in found.of("kernels") if s.name.startswith("kernel ")]
    first, second = sorted(kernels, key=lambda s: s.begin)
    assert found.order.count("kernels") == 2  # they overlap
    assert first.begin < second.begin < first.end < second.end
    (setup,) = [s for s in found.of("sequencer") if s.name == f"set up {second.name}"]
    assert setup.begin < first.end
    waits = [s for s in found.of("sequencer") if s.name.startswith("stall")]
    assert all(s.parent is setup for s in waits)


def test_a_kernel_without_points(two):
    result, trace = two.traced(*arrays(two, (0,), (5,)))
    found = read(trace.to_bytes())
    check_counters(found, result.counters)
    assert [s.args["kernel"] for s in found.of("kernels") if "kernel" in s.args] == [1]
    assert len([s for s in found.of("sequencer") if s.name.startswith("set up")]) == 2


def test_strips_are_merged(chain, monkeypatch):
    inputs = arrays(chain, *SHAPES["same"])
    _, whole = chain.traced(*inputs)
    limited(monkeypatch, 150)
    result, trace = chain.traced(*inputs)
    assert trace.strips_merged > 1
    assert sum(len(t.slices) for t in trace.tracks if hasattr(t, "slices")) < 200
    found, before = read(trace.to_bytes()), read(whole.to_bytes())
    check_counters(found, result.counters)
    merged = [s for s in found.of("store") if s.name.startswith("strips")]
    assert merged[0].args["merged"] == trace.strips_merged
    assert (merged[0].args["first strip"], merged[-1].args["last strip"]) == (0, 28)
    assert sum(s.args["points"] for s in merged) == 7 * 8 * 33
    # The begin and the end of a merged slice are those of its first wait and its last strip.
    strips = [s for s in before.of("store") if s.name.startswith("strip")]
    assert merged[0].end == strips[trace.strips_merged - 1].end
    assert merged[1].begin == merged[0].end


def test_kernels_are_merged(two, monkeypatch):
    limited(monkeypatch, 20)
    result, trace = two.traced(*arrays(two, (700,), (300,)))
    found = read(trace.to_bytes())
    check_counters(found, result.counters)
    assert names_of(found.of("kernels")) == ["kernels 0 to 1"]
    stored = found.of("store")
    assert [s.args.get("merged") for s in stored if s.name == "strips"] == [16]
    assert "between kernels" in names_of(stored)


def test_intervals_of_the_bus_are_merged(chain, monkeypatch):
    monkeypatch.setattr("hwc.runtime.trace.recorder.INTERVALS", 10)
    result, trace = chain.traced(*arrays(chain, *SHAPES["same"]))
    found = read(trace.to_bytes())
    check_counters(found, result.counters)
    assert trace.bus_interval > 64
    assert found.units["bus written"] == f"bytes in {trace.bus_interval} cycles"


@pytest.mark.parametrize("strips", [range(3, 7), range(20, 1000), slice(None, 2)])
def test_a_window(chain, strips):
    """It has what the whole trace has of these strips, and the bus and the sequencer beside."""
    inputs = arrays(chain, *SHAPES["same"])
    result, whole = chain.traced(*inputs)
    windowed, trace = chain.traced(*inputs, strips=strips)
    assert windowed.counters == result.counters
    wanted = range(29)[strips] if isinstance(strips, slice) else strips
    found, before = read(trace.to_bytes()), read(whole.to_bytes())

    def works(trace, track):
        return [
            (s.name, s.begin, s.end)
            for s in trace.of(track)
            if s.name.startswith("strip") and s.args["strip"] in wanted
        ]

    for track in dict.fromkeys(name for name, _ in before.slices):
        assert works(found, track) == works(before, track)
    assert {s.args["strip"] for s in found.of("lanes") if "strip" in s.args} == {*wanted} & {
        *range(29)
    }
    hull = found.of("fetch")[0].begin, found.of("store")[-1].end
    for name, samples in found.counters.items():
        if name.startswith("bus"):
            expected = [s for s in before.counters[name] if hull[0] - 64 < s[0] < hull[1] and s[1]]
            assert [s for s in samples if s[1]] == expected
        else:
            ring = [s for s in before.counters[name] if s in samples]
            assert ring == samples


def test_strips_are_numbered_through_the_call(two):
    _, trace = two.traced(*arrays(two, (700,), (300,)), strips=range(10, 12))
    found = read(trace.to_bytes())
    stored = [s.args for s in found.of("store") if s.name.startswith("strip")]
    assert [(s["kernel"], s["strip"]) for s in stored] == [(0, 10), (1, 0)]


def test_a_window_that_the_call_has_not(chain):
    inputs = arrays(chain, *SHAPES["one"])
    with pytest.raises(UserError, match=r"^strips 1:5: error: the call has 1 strip, numbered from"):
        chain.traced(*inputs, strips=range(1, 5))


@pytest.mark.parametrize("strips", [3, range(3, 3), range(0, 8, 2), slice(4, None), slice(-2, 5)])
def test_a_bad_window(chain, strips):
    with pytest.raises(UserError, match="expected consecutive strips, such as range"):
        chain.traced(*arrays(chain, *SHAPES["one"]), strips=strips)


def test_long_tracing_shows_its_progress(chain, monkeypatch):
    monkeypatch.setattr("isa.progress.FIRST", 0.0)
    monkeypatch.setattr("isa.progress.PERIOD", 0.0)
    told = []
    note = lambda tasks: told.extend((t.name, t.done, t.of) for t in tasks)  # noqa: E731
    observe(note)
    try:
        chain.trace(*SHAPES["same"])
    finally:
        ignore(note)
    assert ("tracing", 29, 29) in told


def test_a_file_that_cannot_be_written(chain, tmp_path):
    _, trace = chain.traced(*arrays(chain, *SHAPES["one"]))
    with pytest.raises(UserError, match=r"^/proc/t\.pftrace: error: cannot write: "):
        trace.save("/proc/t.pftrace")
    trace.save(tmp_path / "t.pftrace")
    assert (tmp_path / "t.pftrace").read_bytes() == trace.to_bytes()


def test_without_the_library(chain, monkeypatch):
    _, trace = chain.traced(*arrays(chain, *SHAPES["one"]))
    monkeypatch.setitem(
        __import__("sys").modules, "perfetto.protos.perfetto.trace.perfetto_trace_pb2", None
    )
    message = r"^error: a trace needs the library `perfetto`: pip install 'hwc\[trace\]'$"
    with pytest.raises(UserError, match=message):
        trace.to_bytes()


def test_a_device_that_cannot_be_traced(chain):
    class Other:
        def allocate(self, nbytes: int) -> Memory:
            return Memory(nbytes)

        def run(self, memory, job) -> Outcome:
            return Outcome("done")

    package: Package = chain.package
    program = Program(package, Other())
    with pytest.raises(DispatchError, match="an? Other cannot be traced: trace on the simulator"):
        program.traced(*arrays(program, *SHAPES["one"]))


def test_a_program_that_computes_nothing():
    program = hwc.compile("func.func @main() { return }", "tiny")
    _, trace = program.traced()
    found = read(trace.to_bytes())
    assert (found.slices, found.counters) == ([], {})


def test_steps_on_the_host_are_moments(chain):
    """They take no cycles; the step for the machine between them begins where they are."""
    recorder = Recorder()
    inputs = arrays(chain, *SHAPES["one"])
    program = Program(chain.package, RecordedDevice(Simulator(chain.target), recorder))
    cycles = program(*inputs).cycles
    host = HostWork("Conv")
    steps = [host, MachineWork("tosa.add", [[KernelSource("tosa.add")]]), host]
    found = read(lay_out("a model", "simulator", steps, recorder).to_bytes())
    assert [(s.name, s.begin, s.end) for s in found.of("steps")] == [
        ("step 0: Conv (host)", 0, 0),
        ("step 1: tosa.add", 0, cycles),
        ("step 2: Conv (host)", cycles, cycles),
    ]
