"""Places programs, packets and arrays in a memory and runs them: a host in miniature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isa.asm import assemble
from isa.dispatch import Job, Outcome
from isa.load import load
from isa.target import Target, load_target
from sim.machine import Machine
from sim.memory import Memory

PROGRAM = 0x1000
PACKET = 0x21000
DATA = 0x30000


@dataclass
class Host:
    """A memory with a window over everything from DATA on, and a machine."""

    target: Target
    memory: Memory
    top: int = DATA

    @cached_property
    def machine(self) -> Machine:
        """The same one for every run."""
        return Machine(self.target)

    @property
    def window(self) -> tuple[int, int]:
        return DATA, self.memory.end

    def place(self, array: np.ndarray, skew: int = 0) -> int:
        """Copy an array to the next multiple of 4096 plus `skew`; returns its address."""
        address = -(-self.top // 4096) * 4096 + skew
        self.top = address + array.nbytes
        self.memory.view(address, array.nbytes)[:] = np.frombuffer(array.tobytes(), np.uint8)
        return address

    def read(self, address: int, like: np.ndarray) -> np.ndarray:
        """Copy an array of this shape and type out of memory."""
        raw = self.memory.view(address, like.nbytes).tobytes()
        return np.frombuffer(raw, like.dtype).reshape(like.shape)

    def run(self, text: str | Sequence[int], parameters: Sequence[int], **options) -> Outcome:
        """Assemble (unless words are given) and dispatch; the version word is added."""
        words = assemble(text) if isinstance(text, str) else list(text)
        packet = options.pop("packet", [load().version, *parameters])
        for address, values in ((PROGRAM, words), (PACKET, packet)):
            self.memory.view(address, 8 * len(values)).view("<u8")[:] = np.array(values, np.uint64)
        window = options.pop("window", self.window)
        job = Job(PROGRAM, len(words), PACKET, len(packet), window)
        return self.machine.run(self.memory, job, **options)


def host(target: str = "accel", size: int = 1 << 22) -> Host:
    """A machine of a named target with a memory."""
    return Host(load_target(target), Memory(size))


def streams(*configured: tuple[str, str, int, Sequence[int]]) -> str:
    """Configuration words: (stream, type, parameter, sizes) each."""
    lines = []
    for name, kind, parameter, sizes in configured:
        lines.append(f"base {name}, {kind}, rank={len(sizes)}, p{parameter}, +0")
        lines += [f"size {name}, {d}, #{n}" for d, n in enumerate(sizes)]
    return "\n".join(lines) + "\n"
