"""Traces of the simulator equal those of the hardware, slice by slice."""

from __future__ import annotations

import numpy as np
import pytest
from e2e.demo import CASES
from lockstep.support import PROGRAMS, TARGETS, drawn, machine
from trace_reader import check_counters, read

import hwc
from hwc.cli.main import main
from hwc.runtime import Program
from hwc.runtime.simulator import Simulator
from hwc.runtime.trace.recorder import LIMIT, Recorder
from isa.dispatch import DONE
from rtl_models.tb.random_dispatches import Limits
from rtl_models.tb.tools import need_tools
from sim.memory import Memory

RECORDS = ("works", "rings", "landed", "bus", "parts", "spans", "cycles")
"""What is recorded of a dispatch."""


def equal(target, name, shapes, strips=None):
    """Trace a program on both and compare; returns the counters, and what was read."""
    program = hwc.compile(PROGRAMS / f"{name}.mlir", target)
    rng = np.random.default_rng(len(shapes))
    kinds = {"f32": np.float32, "i32": np.int32, "i8": np.int8}
    inputs = [
        (4 * rng.standard_normal(s)).astype(kinds[t.type])
        for s, t in zip(shapes, program.inputs, strict=True)
    ]
    result, simulated = program.traced(*inputs, strips=strips)
    on_hardware = Program(program.package, machine(target).hardware)
    counted, traced = on_hardware.traced(*inputs, strips=strips)
    assert counted.counters == result.counters
    for one, other in zip(simulated.tracks, traced.tracks, strict=True):
        assert one == other, one.name
    return result.counters, read(traced.to_bytes())


@pytest.mark.parametrize(
    "shapes",
    [
        [(3, 8, 9), (3, 1, 9), (1, 8, 1), (3, 8, 9)],
        [(2, 1, 70), (1, 3, 1), (2, 3, 70), (1, 1, 1)],
    ],
)
def test_the_demo(shapes):
    counters, found = equal("tiny", "chain", shapes)
    check_counters(found, counters)


def test_several_kernels():
    counters, found = equal("tiny", "two_results", [(1,), (1,), (500,)])
    check_counters(found, counters)


def test_a_window():
    _, found = equal("tiny", "chain", [(3, 8, 9)] * 4, range(1, 3))
    assert {s.args["strip"] for s in found.of("store") if "strip" in s.args} == {1, 2}


def test_the_command_writes_equal_traces(package, tmp_path):
    """But for the name of the device."""
    need_tools()
    values = ["--input", "random:3x70xf32", "--input", "random:1x70xf32"]
    path, read_ = package("add", "tiny"), []
    for device in ("simulator", "rtl"):
        file = tmp_path / f"{device}.pftrace"
        command = ["run", path, *values, "--device", device, "--trace", str(file)]
        assert main(command) == 0
        read_.append(read(file.read_bytes()))
        assert read_[-1].process == f"main of {PROGRAMS / 'add.mlir'} on tiny ({device})"
    assert read_[0].slices == read_[1].slices
    assert read_[0].counters == read_[1].counters


def differences(target, seed, limits, most=LIMIT):
    """Record a random dispatch on both; returns what differs, and the strips that it has."""
    pair = machine(target)
    dispatch = drawn(pair.target, seed, limits)
    records = []
    for device in (Simulator(pair.target), pair.hardware):
        memory = Memory(len(dispatch.memory), dispatch.base, cleared=False)
        dispatch.store(memory)
        recorder = Recorder(limit=most)
        if device.record(memory, dispatch.job, recorder).status != DONE:
            return [], 0
        records += recorder.dispatches
    one, other = records
    return [r for r in RECORDS if getattr(one, r) != getattr(other, r)], one.strips_after


def random_dispatches(target, seeds, limits, most=LIMIT):
    strips = 0
    for seed in seeds:
        found, more = differences(target, seed, limits, most)
        assert not found, f"seed {seed}"
        strips += more
    return strips


def test_random_dispatches():
    assert random_dispatches("tiny", range(20), Limits(spoiled=False)) > 100


@pytest.mark.parametrize("most", [100, 30])
def test_merged_strips_and_kernels(most):
    assert random_dispatches("tiny", range(20), Limits(spoiled=False), most) > 100


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_many_random_dispatches(target):
    assert random_dispatches(target, range(100, 250), Limits(spoiled=False)) > 200
    limits = Limits(points=20_000, body=40, spoiled=False)
    assert random_dispatches(target, range(1000, 1030), limits) > 100


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=[name for name, *_ in CASES])
def test_the_demo_with_all_shapes(target, case):
    _, *shapes = case
    counters, found = equal(target, "chain", shapes)
    check_counters(found, counters)
