"""Runs every dispatch on the simulator and the hardware, and records every difference."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hwc.errors import UserError
from hwc.runtime.differences import (
    compare_memory,
    compare_outcomes,
    describe_strip,
    first_difference,
    strip_table,
    strips_of_hardware,
    strips_of_simulator,
)
from hwc.runtime.rtl import RtlDevice
from isa.dispatch import Job, Outcome
from isa.target import Target
from rtl_models.simulation.errors import HardwareError, UnavailableError
from rtl_models.simulation.session import StripEvent
from sim.machine import Machine
from sim.memory import Memory
from sim.trace import StripRecord

_PATIENCE, _GRACE = 2, 20_000
"""The hardware may take _PATIENCE times the simulator's cycles, and _GRACE more."""


class NotComparedError(UserError):
    """A dispatch that could not be compared: the hardware could not be simulated."""


@dataclass
class Lockstep:
    """Runs every dispatch on simulator and hardware, and records every difference.

    `differences` has one text for each difference. `dispatches` counts all dispatches, `faults`
    the dispatches that both refused, `cycles` the compared cycles. Dispatches are numbered within
    their run; a caller that makes several runs sets `earlier` to the dispatches of earlier runs.
    `first` is the number of the first dispatch that differs, and the first cycle at which simulator
    and hardware differ: the end of the dispatch if no strip differs. `traces` has a table each for
    `simulator` and `hardware`: what the engines did with the strips of that dispatch.
    The state of the hardware before its first reset is random, drawn from `seed`. With seed 0, all
    of it is 0.
    """

    target: Target
    waves: Path | None = None
    seed: int = 0
    differences: list[str] = field(default_factory=list)
    cycles: int = 0
    dispatches: int = 0
    earlier: int = 0
    faults: int = 0
    first: tuple[int, int] | None = None
    traces: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hardware = RtlDevice(self.target, self.waves, self.seed)
        self._simulator = Machine(self.target)

    def allocate(self, nbytes: int) -> Memory:
        """Return memory for both."""
        return self.hardware.allocate(nbytes)

    def close(self) -> None:
        """Stop the hardware."""
        self.hardware.close()

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch on both; return the simulator's outcome, and keep its memory.

        Raises:
            NotComparedError: the hardware could not be simulated, for example on a full disk.
        """
        number = self.dispatches - self.earlier
        copy = Memory(memory.size, memory.base, cleared=False)
        hardware_bytes = copy.view(copy.base, copy.size)
        hardware_bytes[:] = memory.view(memory.base, memory.size)
        records: list[StripRecord] = []
        expected = self._simulator.run(memory, job, trace=records)
        cycles = expected.counters["cycles"]
        events: list[StripEvent] = []
        found: list[str] = []
        try:
            patience = _PATIENCE * cycles + _GRACE
            got = self.hardware.run(copy, job, trace=events, cycles=patience)
            found += [*compare_outcomes(expected, got), *compare_memory(memory, hardware_bytes)]
        except (UnavailableError, OSError, MemoryError) as error:
            self.hardware.close()
            raise NotComparedError(f"dispatch {number} not compared: {_reason(error)}") from error
        except HardwareError as error:
            text = str(error).removeprefix("error: ")
            found.append(f"{text} (the simulator takes {cycles} cycles)")
        simulated, traced = strips_of_simulator(records), strips_of_hardware(events)
        if events or not found:  # hardware that broke down left no trace
            key = first_difference(simulated, traced)
            if key is not None:
                found.insert(0, describe_strip(key, simulated, traced))
                cycles = max(strips[key][1] for strips in (simulated, traced) if key in strips)
        self.differences += [f"dispatch {number}: {text}" for text in found]
        if found and self.first is None:
            self.first = number, cycles
            self.traces = {"simulator": strip_table(simulated), "hardware": strip_table(traced)}
        self.dispatches += 1
        self.cycles += expected.counters["cycles"]
        self.faults += expected.fault is not None
        return expected


def _reason(error: Exception) -> str:
    """Say why the hardware could not be simulated."""
    if isinstance(error, MemoryError):
        return "the host has not enough memory"
    if isinstance(error, OSError):
        return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
    return str(error).removeprefix("error: ")
