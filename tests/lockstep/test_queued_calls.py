"""Calls of several dispatches on the hardware: the dispatches wait in the machine's queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from bench.large_programs import chain
from lockstep.support import PROGRAMS, machine, watch_queue

import hwc
from hwc.errors import MachineError
from hwc.package import MachineStep
from hwc.runtime.program import Program
from hwc.runtime.results import Result
from hwc.runtime.rtl import RtlDevice
from isa.asm import assemble
from rtl_models.tb.tools import need_tools

DISPATCHES = 7
"""More than the queue holds."""


def same(result: Result, expected: Result) -> None:
    for output, wanted in zip(result.outputs, expected.outputs, strict=True):
        np.testing.assert_array_equal(output, wanted)
    assert result.counters == expected.counters
    assert result.cycles == expected.cycles


def test_a_call_of_several_dispatches(monkeypatch):
    """Results, counters and cycles are the simulator's, in the first call and in the next."""
    need_tools()
    text = chain(1300)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((2, 3, 1 + 4 * n), dtype=np.float32) for n in (1, 0, 1)]
    expected = hwc.compile(text, "tiny")(*arrays)
    free = watch_queue(monkeypatch)
    with hwc.compile(text, "tiny", device="rtl") as program:
        shapes = [array.shape for array in arrays]
        dispatches = len(program.package.link(program.plan(program.symbols(shapes))))
        assert dispatches > 4
        for _ in range(2):
            free.clear()
            same(program(*arrays), expected)
            assert len(free) == dispatches
            assert 0 in free, "the queue was never full"


class Repeated:
    """A program whose calls add the same two arrays in each of their dispatches."""

    def __init__(self, device: str | RtlDevice) -> None:
        self.package = hwc.compile(PROGRAMS / "add.mlir", "tiny").package
        self.device = device

    def __call__(self, wrong: int | None = None) -> Result:
        """Call; the dispatch of number `wrong` has a kernel that the machine refuses."""
        steps = list(self.package.steps) * DISPATCHES
        if wrong is not None:
            (kernel,) = steps[wrong].kernels
            text = "base s0, f32, rank=1, p0, +0\nsize s0, 0, #4\n"
            text += "base o0, f32, rank=1, p1, +0\nsize o0, 0, #5\nloop\nmov o0, s0\nend\n"
            steps[wrong] = MachineStep.of([replace(kernel, words=tuple(assemble(text)))])
        program = Program(replace(self.package, steps=tuple(steps)), self.device)
        return program(np.ones((20, 1), np.float32), np.ones((1, 30), np.float32))


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_fault_names_its_dispatch(number):
    """What the simulator says; and the next call is like any other."""
    simulated, hardware = Repeated("simulator"), Repeated(machine("tiny").hardware)
    with pytest.raises(MachineError, match=f"output_shape in dispatch {number}, ") as wanted:
        simulated(number)
    with pytest.raises(MachineError) as got:
        hardware(number)
    assert str(got.value) == str(wanted.value)
    same(hardware(), simulated())


@pytest.mark.parametrize("number", [0, 1, 5])
def test_an_error_on_the_bus_names_its_dispatch(monkeypatch, number):
    """And the next call is like any other."""
    simulated, hardware = Repeated("simulator"), Repeated(machine("tiny").hardware)
    run_all = RtlDevice.run_all

    def misplaced(self, memory, jobs: Sequence):
        nowhere = replace(jobs[number], program_address=1 << 31)
        return run_all(self, memory, [*jobs[:number], nowhere, *jobs[number + 1 :]])

    with monkeypatch.context() as patch:
        patch.setattr(RtlDevice, "run_all", misplaced)
        with pytest.raises(MachineError) as got:
            hardware()
    assert str(got.value) == f"dispatch {number}: the machine met an error on the bus"
    same(hardware(), simulated())
