"""Runs of a few kernels for tests of what happens before, between and after them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream

import isa
from isa.dispatch import Outcome
from isa.operands import O, S
from isa.target import Target
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, Dispatch, Generator, Limits
from sim.machine import Machine
from sim.memory import Memory

SMALL = Limits(kernels=2, points=1000, spoiled=False)
SPOILED = replace(SMALL, spoiled=True)


def draw(target: Target, seed: int, limits: Limits = SMALL) -> tuple[Dispatch, np.ndarray]:
    """A dispatch and the memory with it."""
    dispatch = Generator(target, seed, limits).draw()
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    dispatch.store(memory)
    return dispatch, memory.view(MEMORY_BASE, MEMORY_BYTES)


def simulated(target: Target, dispatch: Dispatch, data: np.ndarray) -> tuple[Outcome, np.ndarray]:
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    memory.view(MEMORY_BASE, MEMORY_BYTES)[:] = data
    return Machine(target).run(memory, dispatch.job), memory.view(MEMORY_BASE, MEMORY_BYTES)


def long_copy(target: Target) -> tuple[Dispatch, np.ndarray]:
    """A copy of many strips and the memory with it: a reset in the middle finds every engine busy.

    No two strips write the same, so that none that is mixed up with another goes unnoticed. Strips
    of the output do not begin where bursts do.
    """
    points = 10 * target.vlen + 1
    program = Program()
    streams = [
        Stream(S(0), "i32", (points,), INPUTS),
        Stream(O(0), "i32", (points,), OUTPUTS + 4 * (target.vlen // 2 + 3)),
    ]
    program.kernel(streams, [isa.encode("mov", dst=O(0), a=S(0))])
    program.store()
    return program.dispatch(), program.memory


def copies(target: Target) -> tuple[Dispatch, np.ndarray]:
    """Kernels that copy, each fetched while the one before is stored, and the memory with them."""
    points = 2 * target.vlen + 1
    program = Program()
    for number in range(6):
        streams = [
            Stream(S(0), "i32", (points,), INPUTS + 4 * points * number),
            Stream(O(0), "i32", (points,), OUTPUTS + 4 * (points + 3) * number),
        ]
        program.kernel(streams, [isa.encode("mov", dst=O(0), a=S(0))])
    program.store()
    return program.dispatch(), program.memory
