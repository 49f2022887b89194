"""Dispatches written by hand: given streams and bodies, for cases that random ones seldom reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
import pytest
from lockstep import counts
from lockstep.support import play

import isa
from hwc.runtime.lockstep import Lockstep
from isa.dispatch import Job, Outcome
from isa.load import load
from rtl_models.tb.random_dispatches import IMAGES, MEMORY_BASE, MEMORY_BYTES, Dispatch

WINDOW = MEMORY_BASE + IMAGES, MEMORY_BASE + MEMORY_BYTES
INPUTS = WINDOW[0]
OUTPUTS = MEMORY_BASE + MEMORY_BYTES // 2
"""Addresses for inputs and for outputs, for tests in which the address does not matter."""


@dataclass(frozen=True)
class Stream:
    """A configured stream; sizes and address are immediate values of the program."""

    code: int
    type: str
    sizes: tuple[int, ...]
    address: int

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.sizes) * load().types[self.type].bytes

    def words(self) -> list[int]:
        """The words that configure it. Parameter 0 of the packet is 0."""
        kind = load().types[self.type].code
        fields = {"stream": self.code, "type": kind, "rank": len(self.sizes)}
        return [
            isa.encode("base", param=0, offset=self.address, **fields),
            *(
                isa.encode("size", stream=self.code, dim=dim, from_param=0, value=size)
                for dim, size in enumerate(self.sizes)
            ),
        ]


@dataclass
class Program:
    """Kernels one after another, and the memory before they run.

    Addresses are written for a memory at MEMORY_BASE; memory and all that it holds lies at `base`.
    """

    words: list[int] = field(default_factory=list)
    memory: np.ndarray = field(default_factory=lambda: noise(MEMORY_BYTES))
    packet: list[int] = field(default_factory=lambda: [load().version, 0])
    program_address: int = MEMORY_BASE
    packet_address: int = MEMORY_BASE + IMAGES // 2
    window: tuple[int, int] = WINDOW
    base: int = MEMORY_BASE

    def kernel(self, streams: list[Stream], body: list[int], copies: int = 1) -> None:
        """Add one."""
        for stream in streams:
            self.words += stream.words()
        self.words += [isa.encode("loop", copies=copies), *body, isa.encode("end")]

    def put(self, address: int, data: np.ndarray) -> None:
        """Store data."""
        raw = data.view(np.uint8)
        self.memory[address - MEMORY_BASE :][: len(raw)] = raw

    def store(self) -> Job:
        """Put program and packet into memory; return the job that runs them."""
        dispatch = self.dispatch()
        self.put(self.program_address, np.array(dispatch.words, "<u8"))
        self.put(self.packet_address, np.array(dispatch.packet, "<u8"))
        return dispatch.job

    def dispatch(self, *, halt: bool = True) -> Dispatch:
        """The dispatch, with `halt` after the kernels unless it is to have none."""
        words = [*self.words, *([isa.encode("halt")] if halt else [])]
        program_end = self.program_address + 8 * len(words)
        packet_end = self.packet_address + 8 * len(self.packet)
        assert program_end <= self.packet_address or packet_end <= self.program_address
        addresses = self.program_address, self.packet_address
        dispatch = Dispatch(words, self.packet, *addresses, self.window, self.memory)
        return dispatch.moved(self.base)


def noise(count: int) -> np.ndarray:
    """Random bytes, the same for the same count."""
    return np.random.default_rng(count).integers(0, 256, count, dtype=np.uint8)


def agree(pair: Lockstep, program: Program, *, halt: bool = True) -> Outcome:
    """Run on simulator and hardware; fails with the differences."""
    outcome, differences = play(pair, program.dispatch(halt=halt))
    counts.add(
        pair.target.name,
        cases=1,
        dispatches=1,
        faults=int(outcome.fault is not None),
        cycles=outcome.counters["cycles"],
        differences=len(differences),
    )
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)
    return outcome
