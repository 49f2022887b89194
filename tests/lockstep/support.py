"""Runs drawn dispatches on simulator and hardware; makes a failing one smaller."""

from __future__ import annotations

import dataclasses
import shutil
from functools import cache

import numpy as np
import pytest
from lockstep.generator import MEMORY_BYTES, Dispatch, Generator, Limits

from hwc.runtime.devices import Job, Outcome
from hwc.runtime.rtl_device import Lockstep
from isa.target import load_target
from rtl_models.session import HardwareError
from rtl_models.tb import verilator
from sim.memory import Memory

TARGETS = ("tiny", "accel", "wide")

SMALLER = (
    {"kernels": 1},
    {"points": 1000},
    {"points": 300},
    {"points": 30},
    {"points": 3},
    {"body": 6},
    {"body": 3},
    {"body": 1},
)
"""Limits to try on a failing dispatch, one after another."""


def need_tools() -> None:
    """Skip the test where the hardware cannot be built."""
    verilator.provide()
    missing = [tool for tool in ("verilator", "c++", "make") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"the hardware needs {', '.join(missing)}")


@cache
def machine(name: str) -> Lockstep:
    """Simulator and hardware of a target, one pair for each process."""
    need_tools()
    return Lockstep(load_target(name))


def place(dispatch: Dispatch, memory: Memory) -> None:
    """Fill memory: the dispatch's, with program and packet in it."""
    memory.view(memory.base, MEMORY_BYTES)[:] = dispatch.memory
    for address, words in (
        (dispatch.program_address, dispatch.words),
        (dispatch.packet_address, dispatch.packet),
    ):
        memory.view(address, 8 * len(words))[:] = np.array(words, "<u8").view(np.uint8)


def play(pair: Lockstep, dispatch: Dispatch) -> tuple[Outcome | None, list[str]]:
    """Run a dispatch on both; returns the outcome and what is different."""
    memory = pair.allocate(MEMORY_BYTES)
    place(dispatch, memory)
    job = Job(
        dispatch.program_address,
        len(dispatch.words),
        dispatch.packet_address,
        len(dispatch.packet),
        dispatch.window,
    )
    pair.differences.clear()
    try:
        outcome = pair.run(memory, job)
    except HardwareError as error:
        pair.close()
        return None, [str(error)]
    return outcome, list(pair.differences)


def check(pair: Lockstep, seed: int, limits: Limits) -> tuple[Outcome, Dispatch]:
    """Draw and run; fails with the difference and the line that reproduces the smallest case."""
    dispatch = Generator(pair.target, seed, limits).draw()
    outcome, differences = play(pair, dispatch)
    if not differences:
        assert outcome is not None
        return outcome, dispatch
    for change in SMALLER:
        tried = dataclasses.replace(limits, **change)
        found = play(pair, Generator(pair.target, seed, tried).draw())[1]
        if found:
            limits, differences = tried, found
    text = " ".join(f"--{k}={int(v)}" for k, v in dataclasses.asdict(limits).items())
    command = f"PYTHONPATH=.:tests python -m lockstep.replay {pair.target.name} {seed} {text}"
    pytest.fail("\n".join([*differences, f"to reproduce: {command}"]), pytrace=False)
