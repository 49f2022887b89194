"""The differences between a dispatch on the simulator and the same dispatch on the hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isa.dispatch import Outcome
from isa.load import load
from isa.operands import operand_text
from rtl_models.simulation.session import StripEvent
from sim.memory import Memory
from sim.trace import StripRecord

Key: TypeAlias = tuple[int, str, int, int, int]
"""Kernel, engine, stream, strip and phase."""

Strips: TypeAlias = dict[Key, tuple[int, int]]
"""When an engine began and ended its work on a strip; `fetch` has its start twice."""

_SHOWN = 4
"""How many different bytes of memory a message shows."""


def compare_outcomes(expected: Outcome, got: Outcome) -> Iterator[str]:
    """Yield the differences between the outcomes of simulator and hardware."""
    if expected.fault != got.fault:
        yield f"fault: simulator {_fault(expected)}, hardware {_fault(got)}"
    if expected.status != got.status:
        yield f"status: simulator {expected.status}, hardware {got.status}"
    if got.axi_error:
        yield "the hardware saw an error on the bus"
    for name in load().counters:
        simulated, counted = expected.counters.get(name, 0), got.counters[name]
        if simulated != counted:
            yield f"counter {name}: simulator {simulated}, hardware {counted}"


def _fault(outcome: Outcome) -> str:
    """Format a fault in the form that both report, without the simulator's own text."""
    return "none" if outcome.fault is None else str(replace(outcome.fault, text=""))


def strips_of_simulator(records: list[StripRecord]) -> Strips:
    """Return the strips of the simulator's trace, with kernels counted from 0."""
    kernels = {pc: i for i, pc in enumerate(dict.fromkeys(r.kernel for r in records))}
    return {
        (kernels[r.kernel], r.engine, r.stream, r.strip, r.phase): (
            r.start,
            r.start if r.engine == "fetch" else r.end,
        )
        for r in records
    }


def strips_of_hardware(events: list[StripEvent]) -> Strips:
    """Return the strips of the hardware's trace."""
    return {(e.kernel, e.engine, e.stream, e.strip, e.phase): (e.start, e.end) for e in events}


def strip_table(strips: Strips) -> str:
    """Format one line for each strip of an engine, ordered by time."""
    lines = [
        f"{start:10} {end:10} kernel {kernel} strip {strip} {_unit(engine, stream, phase)}"
        for (kernel, engine, stream, strip, phase), (start, end) in strips.items()
    ]
    return "".join(line + "\n" for line in ["     begin        end", *sorted(lines)])


def first_difference(expected: Strips, got: Strips) -> Key | None:
    """Return the earliest strip and engine that differ; None if nothing differs."""

    def first(key: Key) -> tuple[int, int, Key]:
        starts = [strips[key][0] for strips in (expected, got) if key in strips]
        return key[0], min(starts), key

    different = [key for key in expected.keys() | got.keys() if expected.get(key) != got.get(key)]
    return min(different, key=first) if different else None


def describe_strip(key: Key, expected: Strips, got: Strips) -> str:
    """Say when simulator and hardware worked on a strip."""
    kernel, engine, stream, strip, phase = key
    return (
        f"the first strip that differs: kernel {kernel}, strip {strip}, "
        f"{_unit(engine, stream, phase)}: begin and end "
        f"in the simulator {expected.get(key, 'none')}, in hardware {got.get(key, 'none')}"
    )


def _unit(engine: str, stream: int, phase: int) -> str:
    """Name an engine, with the stream or the phase that it worked on."""
    if stream:
        return f"{engine} of stream {operand_text(stream)}"
    return f"{engine} in phase {phase}" if engine in ("lane", "special") else engine


def compare_memory(memory: Memory, hardware: NDArray[np.uint8]) -> Iterator[str]:
    """Yield how many bytes differ, and the first few of them."""
    simulator = memory.view(memory.base, memory.size)
    offsets = np.flatnonzero(simulator != hardware)
    if len(offsets):
        count = "1 byte" if len(offsets) == 1 else f"{len(offsets)} bytes"
        shown = ", ".join(
            f"{memory.base + int(i):#x}: {int(simulator[i]):#04x} and {int(hardware[i]):#04x}"
            for i in offsets[:_SHOWN]
        )
        yield f"{count} of memory (simulator and hardware): {shown}"
