"""The simulator as a device."""

from __future__ import annotations

from isa.dispatch import Job, Outcome
from isa.target import Target
from sim.machine import Machine
from sim.memory import Memory


class Simulator:
    """Runs dispatches with exact results and the cycles of the timing model."""

    def __init__(self, target: Target) -> None:
        self._machine = Machine(target)

    def allocate(self, nbytes: int) -> Memory:
        """Return memory with undefined contents."""
        return Memory(nbytes, cleared=False)

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch to its end."""
        return self._machine.run(memory, job)

    def time(self, program: bytes, packet: bytes, job: Job) -> Outcome:
        """Return the outcome of a dispatch with these images, without memory or results."""
        return self._machine.time(program, packet, job)
