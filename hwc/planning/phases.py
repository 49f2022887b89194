"""The phases, registers and cycles of a strip loop's body, on plain graphs without IR.

docs/timing.md, section "Vector pipe", has the rules. A lane instruction after a special instruction
begins the next phase. Lane instructions write vector registers, special instructions write result
registers. Each of `copies` strips has its own registers.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from isa.load import load
from isa.phases import phase_lag
from isa.target import Target

STRIPS = 16
"""The number of strips whose cycles are counted to compare bodies."""


class Instruction(NamedTuple):
    """What planning knows about an instruction.

    `reads` has the positions of the instructions whose results it reads; streams are always there
    and not listed. `special` says which port issues the instruction. `in_register` says that its
    result takes a register.
    """

    reads: tuple[int, ...]
    special: bool
    in_register: bool


@dataclass(frozen=True)
class Pipe:
    """The ports of a target: beats of a whole strip, latencies, and registers by copies."""

    beats: int
    special_beats: int
    lane: int
    special: int
    registers: dict[int, int]
    results: dict[int, int]

    @classmethod
    def of(cls, target: Target) -> Pipe:
        """Describe a target."""
        constants, copies = load().timing, load().kinds["copies"].values
        return cls(
            target.vlen // target.lanes,
            target.vlen // target.special_rate,
            constants.lane,
            constants.special,
            {n: target.registers("vector", n) for n in copies},
            {n: target.registers("result", n) for n in copies},
        )


def phase_count(code: Sequence[Instruction]) -> int:
    """Return the number of phases of a body, including an empty phase at its end."""
    specials = [*(instruction.special for instruction in code), False]
    return 1 + sum(a and not b for a, b in pairwise(specials))


def allocate(code: Sequence[Instruction], pipe: Pipe, copies: int) -> list[int] | None:
    """Return a register for each instruction, -1 if it takes none; None if there are too few.

    A result takes the lowest free register. The last read of an operand frees its register, even
    for the result of the same instruction, because an instruction reads a row before it writes the
    row. A result register that lanes read is not written again in the same phase.
    """
    if phase_count(code) > copies:
        return None
    last = {p: number for number, instruction in enumerate(code) for p in instruction.reads}
    free = {False: list(range(pipe.registers[copies])), True: list(range(pipe.results[copies]))}
    held: list[int] = []
    next_phase: list[int] = []
    read_by_lanes: set[int] = set()
    for number, instruction in enumerate(code):
        if number and code[number - 1].special and not instruction.special:
            for register in next_phase:
                heapq.heappush(free[True], register)
            next_phase, read_by_lanes = [], set()
        for p in dict.fromkeys(instruction.reads):
            if code[p].special and not instruction.special:
                read_by_lanes.add(held[p])
            if last[p] == number:
                if code[p].special and held[p] in read_by_lanes:
                    next_phase.append(held[p])
                else:
                    heapq.heappush(free[code[p].special], held[p])
        if not instruction.in_register:
            held.append(-1)
            continue
        if not free[instruction.special]:
            return None
        held.append(heapq.heappop(free[instruction.special]))
        if number not in last:
            heapq.heappush(free[instruction.special], held[-1])
    return held


def best_copies(code: Sequence[Instruction], pipe: Pipe) -> int:
    """Return the copies of the registers with which strips are fastest; 0 if the body does not fit.

    In a tie, the fewest copies win. More copies than phases help only if the first or the last
    segment is empty, because only then can one port run ahead of the other, or if the phases are
    then farther apart.
    """
    fit = [n for n in sorted(pipe.registers) if allocate(code, pipe, n) is not None]
    return min(fit, key=lambda n: cycles(code, pipe, n).steady) if len(fit) > 1 else sum(fit)


class Cycles(NamedTuple):
    """Cycles of strips if only the ports take time: of the middle half, and of all strips."""

    steady: int
    total: int


def cycles(code: Sequence[Instruction], pipe: Pipe, copies: int) -> Cycles:
    """Return the cycles of `STRIPS` strips."""
    phases = _phase_times(code, pipe)
    last = len(phases) - 1
    lag = phase_lag(sum(group > 0 for _, _, group, _ in phases), copies)
    lane = special = 0
    ends = [0] * STRIPS
    ready: dict[tuple[int, int], int] = {}  # by phase and strip
    for step in range(STRIPS + lag * last):
        for g, (length, lead, group, back) in enumerate(phases):
            strip = step - lag * g
            if not 0 <= strip < STRIPS:
                continue
            begin = ends[strip - copies] if strip >= copies else 0
            if g:
                begin = ready[g - 1, strip]
            if length:
                lane = max(lane, begin) + length
                ends[strip] = lane
                begin = lane - length + lead
            if group:
                special = max(special, begin) + group
                ready[g, strip] = special - group + back
                if g == last:
                    ends[strip] = max(ends[strip], ready[g, strip])
    quarter = STRIPS // 4
    return Cycles(ends[-1 - quarter] - ends[quarter - 1], ends[-1])


def _phase_times(code: Sequence[Instruction], pipe: Pipe) -> list[tuple[int, int, int, int]]:
    """Return `len`, `lead`, `slen` and `back` of each non-empty phase."""
    phases: list[tuple[list[int], list[int]]] = [([], [])]
    for number, instruction in enumerate(code):
        if not instruction.special and phases[-1][1]:
            phases.append(([], []))
        phases[-1][instruction.special].append(number)
    times: list[tuple[int, int, int, int]] = []
    for segment, group in phases:
        issued = _issue(code, segment, pipe.beats, pipe.lane)
        length = lead = slen = back = 0
        if segment:
            length = issued[segment[-1]] + max(pipe.beats, pipe.lane)
        if group:
            fed = {p for number in group for p in code[number].reads if p in issued}
            lead = max((issued[p] + pipe.lane for p in fed), default=1 if segment else 0)
            slen = _issue(code, group, pipe.special_beats, pipe.special)[group[-1]]
            slen += pipe.special_beats
            back = slen + pipe.special - pipe.beats
        times.append((length, lead, slen, back))
    return times


def _issue(
    code: Sequence[Instruction], numbers: Sequence[int], beats: int, latency: int
) -> dict[int, int]:
    """Return when each instruction of a segment or a group issues."""
    issued: dict[int, int] = {}
    time = 0
    for number in numbers:
        ready = (issued[p] + latency for p in code[number].reads if p in issued)
        issued[number] = max(time, *ready, 0)
        time = issued[number] + beats
    return issued
