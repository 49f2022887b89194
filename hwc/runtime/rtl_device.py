"""The hardware as a device, simulated by Verilator; and in lockstep with the simulator."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isa.dispatch import Job, Outcome
from isa.load import load
from isa.operands import operand_text
from isa.target import Target
from rtl_models.simulation.build import MEMORY_BASE
from rtl_models.simulation.session import NO_LIMIT, HardwareError, Session, StripEvent
from sim.machine import Machine
from sim.memory import Memory
from sim.trace import StripRecord

_Key: TypeAlias = tuple[int, str, int, int]
Strips: TypeAlias = dict[_Key, tuple[int, int]]
"""Begin and end by kernel, engine, stream and strip; of `fetch` the end is the begin."""

_GRANULE = 64
_SHOWN = 4
_PATIENCE, _GRACE = 2, 20_000
"""The hardware beside a simulator may take so many times its cycles, and so many more."""


class RtlMachine:
    """Runs dispatches on the hardware of a target, built when the first one comes.

    `waves` names a file for a waveform of all that is run. Hardware that is started again, because
    it broke down or needs more memory, writes another: x.vcd, x-2.vcd and so on, all of them listed
    in `waveforms` and complete after `close`. `progress` is called with the cycles of a dispatch so
    far, now and then.
    """

    def __init__(
        self,
        target: Target,
        waves: Path | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.waveforms: list[Path] = []
        self._target = target
        self._waves = waves
        self._progress = progress
        self._session: Session | None = None

    def allocate(self, nbytes: int) -> Memory:
        """Return memory at the address where the hardware's begins."""
        return Memory(-(-max(nbytes, 1) // _GRANULE) * _GRANULE, MEMORY_BASE, cleared=False)

    def session(self, memory_bytes: int) -> Session:
        """Return the running hardware, with at least so much memory.

        Raises:
            BuildError: it cannot be built.
            UserError: the waveform cannot be written.
        """
        if self._session is None or self._session.memory_bytes < memory_bytes:
            self.close()
            waves, number = self._waves, len(self.waveforms) + 1
            if waves is not None and number > 1:
                waves = waves.with_stem(f"{waves.stem}-{number}")
            self._session = Session(
                self._target, memory_bytes, waves=waves, progress=self._progress
            )
            if waves is not None:
                self.waveforms.append(waves)
        return self._session

    def close(self) -> None:
        """Stop the hardware."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def run(
        self,
        memory: Memory,
        job: Job,
        *,
        trace: list[StripEvent] | None = None,
        cycles: int = NO_LIMIT,
    ) -> Outcome:
        """Run one dispatch on the hardware; `memory` is then as the hardware left it.

        Raises:
            HardwareError: the dispatch does not end, or not within `cycles`.
        """
        session = self.session(memory.size)
        everything = memory.view(memory.base, memory.size)
        session.load(memory.base, everything)
        outcome = session.run(job, trace=trace, cycles=cycles)
        everything[:] = session.save(memory.base, memory.size)
        return outcome


@dataclass
class Lockstep:
    """Runs every dispatch on simulator and hardware, and notes every difference.

    `differences` has one text for each; dispatches are numbered behind the `earlier` ones, which
    whoever makes several runs sets; `cycles` are those compared, `faults` the dispatches that
    both refused. `first` is the number, in its run, of the first dispatch that differs, and the
    cycle at which the two have parted: its end if no strip differs. `traces` has what engines did
    with strips in that dispatch, as tables, for `simulator` and `hardware`. `progress` is called
    with the cycles of the hardware so far and those of the simulator, now and then.
    """

    target: Target
    waves: Path | None = None
    progress: Callable[[int, int], None] | None = None
    differences: list[str] = field(default_factory=list)
    cycles: int = 0
    dispatches: int = 0
    earlier: int = 0
    faults: int = 0
    first: tuple[int, int] | None = None
    traces: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._expected_cycles = 0
        progress = None if self.progress is None else self._tell
        self.hardware = RtlMachine(self.target, self.waves, progress)
        self._simulator = Machine(self.target)

    def allocate(self, nbytes: int) -> Memory:
        """Return memory for both."""
        return self.hardware.allocate(nbytes)

    def close(self) -> None:
        """Stop the hardware."""
        self.hardware.close()

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch on both; outcome and memory are the simulator's."""
        copy = Memory(memory.size, memory.base, cleared=False)
        there = copy.view(copy.base, copy.size)
        there[:] = memory.view(memory.base, memory.size)
        records: list[StripRecord] = []
        expected = self._simulator.run(memory, job, trace=records)
        cycles = self._expected_cycles = expected.counters["cycles"]
        events: list[StripEvent] = []
        found: list[str] = []
        try:
            patience = _PATIENCE * cycles + _GRACE
            got = self.hardware.run(copy, job, trace=events, cycles=patience)
            found += [*_compare_outcome(expected, got), *_compare_memory(memory, there)]
        except HardwareError as error:
            self.hardware.close()  # it may be in the middle of anything
            text = str(error).removeprefix("error: ")
            found.append(f"{text} (the simulator takes {cycles} cycles)")
        strips, hardware_strips = _strips(records), _hardware_strips(events)
        if events or not found:  # hardware that broke down left no trace
            key = _parting(strips, hardware_strips)
            if key is not None:
                found.insert(0, _describe(key, strips, hardware_strips))
                cycles = max(side[key][1] for side in (strips, hardware_strips) if key in side)
        number = self.dispatches - self.earlier
        self.differences += [f"dispatch {number}: {text}" for text in found]
        if found and self.first is None:
            self.first = number, cycles
            self.traces = {"simulator": _table(strips), "hardware": _table(hardware_strips)}
        self.dispatches += 1
        self.cycles += expected.counters["cycles"]
        self.faults += expected.fault is not None
        return expected

    def _tell(self, cycles: int) -> None:
        if self.progress is not None:
            self.progress(cycles, self._expected_cycles)


class Recorder:
    """Hardware that writes a waveform up to a cycle of the dispatch with a number from 0.

    That dispatch ends with `Recorded`.
    """

    def __init__(self, target: Target, waves: Path, dispatch: int, cycles: int) -> None:
        self.hardware = RtlMachine(target, waves)
        self._left = dispatch
        self._cycles = cycles

    def allocate(self, nbytes: int) -> Memory:
        """Return memory for the hardware."""
        return self.hardware.allocate(nbytes)

    def close(self) -> None:
        """Stop the hardware; the waveform is then complete."""
        self.hardware.close()

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch, the last one no longer than wanted."""
        if self._left:
            self._left -= 1
            return self.hardware.run(memory, job)
        with contextlib.suppress(HardwareError):
            self.hardware.run(memory, job, cycles=self._cycles)
        raise Recorded


class Recorded(Exception):  # noqa: N818 - nothing went wrong
    """The waveform is complete."""


def _compare_outcome(expected: Outcome, got: Outcome) -> Iterator[str]:
    if expected.fault != got.fault:
        yield f"fault: simulator {_fault(expected)}, hardware {_fault(got)}"
    if expected.status != got.status:
        yield f"status: simulator {expected.status}, hardware {got.status}"
    if got.axi_error:
        yield "the hardware saw an error on the bus"
    for name in load().counters:
        here, there = expected.counters.get(name, 0), got.counters[name]
        if here != there:
            yield f"counter {name}: simulator {here}, hardware {there}"


def _fault(outcome: Outcome) -> str:
    """The fault as both know it: what the machine reports, without the simulator's text."""
    return "none" if outcome.fault is None else str(replace(outcome.fault, text=""))


def _strips(records: list[StripRecord]) -> Strips:
    kernels = {pc: i for i, pc in enumerate(dict.fromkeys(r.kernel for r in records))}
    return {
        (kernels[r.kernel], r.engine, r.stream, r.strip): (
            r.start,
            r.start if r.engine == "fetch" else r.end,
        )
        for r in records
    }


def _hardware_strips(events: list[StripEvent]) -> Strips:
    return {(e.kernel, e.engine, e.stream, e.strip): (e.start, e.end) for e in events}


def _table(strips: Strips) -> str:
    """Write one line for each strip of an engine, in the order of time."""
    lines = [
        f"{start:10} {end:10} kernel {kernel} strip {strip} {engine} {stream or ''}".rstrip()
        for (kernel, engine, stream, strip), (start, end) in strips.items()
    ]
    return "".join(line + "\n" for line in ["     begin        end", *sorted(lines)])


def _parting(expected: Strips, got: Strips) -> _Key | None:
    """Return the first strip and engine, in the order of time, where the two part."""

    def first(key: _Key) -> tuple[int, int, _Key]:
        starts = [strips[key][0] for strips in (expected, got) if key in strips]
        return key[0], min(starts), key

    parted = [key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key)]
    return min(parted, key=first) if parted else None


def _describe(key: _Key, expected: Strips, got: Strips) -> str:
    kernel, engine, stream, strip = key
    unit = f"{engine} of stream {operand_text(stream)}" if stream else engine
    return (
        f"the first strip that differs: kernel {kernel}, strip {strip}, {unit}: begin and end "
        f"in the simulator {expected.get(key, 'none')}, in hardware {got.get(key, 'none')}"
    )


def _compare_memory(memory: Memory, there: NDArray[np.uint8]) -> Iterator[str]:
    here = memory.view(memory.base, memory.size)
    places = np.flatnonzero(here != there)
    if len(places):
        count = "1 byte" if len(places) == 1 else f"{len(places)} bytes"
        shown = ", ".join(
            f"{memory.base + int(i):#x}: {int(here[i]):#04x} and {int(there[i]):#04x}"
            for i in places[:_SHOWN]
        )
        yield f"{count} of memory (simulator and hardware): {shown}"
