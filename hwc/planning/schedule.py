"""Orders a strip loop's instructions: few phases, both ports busy; on plain graphs without IR.

A special instruction goes into the earliest phase that has its operands; its results are read from
the next phase on. Lane instructions have a choice of phases. As late as possible, they let the
special port start early on the next strip; as early as possible, they sometimes take fewer vector
registers. Several orders are tried. Among the orders that fit, the one with the fewest cycles wins;
in a tie, the one with the fewest phases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwc.planning.phases import Instruction, Pipe, allocate, best_copies, cycles, phase_count


def schedule(code: Sequence[Instruction], pipe: Pipe) -> list[int] | None:
    """Return the fastest order, of the ones tried, that fits a target's phases and registers.

    None if none of them fits.
    """
    best: tuple[tuple[int, int, int], list[int]] | None = None
    tried: list[list[int]] = []
    for order in _orders(code):
        if order in tried:
            continue
        tried.append(order)
        ordered = reordered(code, order)
        copies = best_copies(ordered, pipe)
        if copies:
            time = cycles(ordered, pipe, copies)
            found = time.steady, phase_count(ordered), time.total
            if best is None or found < best[0]:
                best = found, order
    return None if best is None else best[1]


def fits(code: Sequence[Instruction], pipe: Pipe) -> bool:
    """Whether `schedule` finds an order that fits; its speed does not matter here."""
    most = max(pipe.registers)
    if least_phases(code) > most:
        return False
    for order in _orders(code):
        ordered = reordered(code, order)
        phases = phase_count(ordered)
        # More copies leave fewer registers for each copy, so the fewest sufficient copies decide.
        copies = min((n for n in pipe.registers if n >= phases), default=most)
        if allocate(ordered, pipe, copies) is not None:
            return True
    return False


def reordered(code: Sequence[Instruction], order: Sequence[int]) -> list[Instruction]:
    """Return the instructions in another order, with their reads renumbered."""
    position = {number: i for i, number in enumerate(order)}
    return [
        Instruction(tuple([position[p] for p in reads]), special, in_register)
        for reads, special, in_register in map(code.__getitem__, order)
    ]


def least_phases(code: Sequence[Instruction]) -> int:
    """Return the minimum number of phases of a body, over all orders."""
    return 1 + _last_phase(code, _earliest(code))


def _orders(code: Sequence[Instruction]) -> Iterator[list[int]]:
    """Yield the orders to try: the one that is usually best first, the given order last."""
    if any(instruction.special for instruction in code):
        early = _earliest(code)
        for phases in (_latest(code, early, specials=early), early, _latest(code, early)):
            yield _order(code, phases, _feeders(code, phases))
            yield _order(code, phases, set())
    yield list(range(len(code)))


def _earliest(code: Sequence[Instruction]) -> list[int]:
    """Return the first phase that each instruction can be in."""
    phases: list[int] = []
    for instruction in code:
        ready = (
            phases[p] + (code[p].special and not instruction.special) for p in instruction.reads
        )
        phases.append(max(ready, default=0))
    return phases


def _last_phase(code: Sequence[Instruction], early: Sequence[int]) -> int:
    """Return the last phase of a body whose instructions are in the phases `early`."""
    return max((e + c.special for c, e in zip(code, early, strict=True)), default=0)


def _latest(
    code: Sequence[Instruction], early: Sequence[int], specials: Sequence[int] | None = None
) -> list[int]:
    """Return the last phase that each instruction can be in without adding phases.

    With `specials`, special instructions stay in these phases.
    """
    last = _last_phase(code, early)
    phases = [last - c.special for c in code]
    for number in range(len(code) - 1, -1, -1):
        instruction = code[number]
        if specials is not None and instruction.special:
            phases[number] = specials[number]
        for p in instruction.reads:
            chained = code[p].special and not instruction.special
            phases[p] = min(phases[p], phases[number] - chained)
    return phases


def _feeders(code: Sequence[Instruction], phases: Sequence[int]) -> set[int]:
    """Return the lane instructions on which special instructions of the same phase depend."""
    feeders: set[int] = set()
    for number in range(len(code) - 1, -1, -1):
        if code[number].special or number in feeders:
            for p in code[number].reads:
                if phases[p] == phases[number] and not code[p].special:
                    feeders.add(p)
    return feeders


def _order(code: Sequence[Instruction], phases: Sequence[int], first: set[int]) -> list[int]:
    """Return the order by phases; in each phase: `first`, then other lanes, then specials."""
    return sorted(range(len(code)), key=lambda n: (phases[n], code[n].special, n not in first, n))
