"""The order of a strip loop's instructions: short waits, few registers. Plain graphs, no IR here.

Instruction j may issue when the beats of the one before are through, when its operands are there,
and when its result would not overtake the one before (write-back is in order); docs/timing.md has
the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 12
"""How many instructions ahead of the original order the scheduler looks."""


@dataclass(frozen=True)
class Instruction:
    """What the scheduler knows of an instruction.

    `reads` are the positions of the instructions whose results it reads (streams are always
    there); `beats` is its time in the pipe, `latency` the time to its first result; `in_register`
    says that its result takes a register.
    """

    reads: tuple[int, ...]
    beats: int
    latency: int
    in_register: bool


def cycles(code: Sequence[Instruction], order: Sequence[int]) -> int:
    """Return the cycles of one pass over the body in the given order."""
    issued: dict[int, int] = {}
    previous: int | None = None
    for number in order:
        issued[number] = _issue(code, number, issued, previous)
        previous = number
    if previous is None:
        return 0
    last, first = code[previous], code[order[0]]
    return issued[previous] + last.beats + max(0, last.latency - first.latency)


def _issue(
    code: Sequence[Instruction], number: int, issued: dict[int, int], previous: int | None
) -> int:
    this = code[number]
    time = 0
    if previous is not None:
        before = code[previous]
        end = issued[previous] + before.beats
        time = max(end, end + before.latency - this.latency)
    for p in this.reads:
        producer = code[p]
        ready = issued[p] + producer.latency + max(0, producer.beats - this.beats)
        time = max(time, ready)
    return time


def schedule(code: Sequence[Instruction], registers: int) -> list[int]:
    """Return an order of the instructions that needs at most `registers` registers.

    The given order has to be one; the result is the list schedule if that is faster and fits, else
    the given order.
    """
    given = list(range(len(code)))
    found = _list_schedule(code, registers)
    if found is None or cycles(code, found) >= cycles(code, given):
        return given
    return found


def _list_schedule(code: Sequence[Instruction], registers: int) -> list[int] | None:
    """Return the order in which always the earliest possible of the next instructions issues."""
    waiting = [len(set(c.reads)) for c in code]
    users: list[list[int]] = [[] for _ in code]
    for number, instruction in enumerate(code):
        for p in set(instruction.reads):
            users[p].append(number)
    unread = [len(u) for u in users]
    window: list[int] = list(range(min(WINDOW, len(code))))
    following = len(window)
    issued: dict[int, int] = {}
    previous: int | None = None
    order: list[int] = []
    alive = 0
    while window:
        best: tuple[int, int, int, int] | None = None
        for number in window:
            if waiting[number]:
                continue
            this = code[number]
            dying = sum(unread[p] == 1 for p in set(this.reads))
            after = alive - dying + this.in_register
            if after > registers:
                continue
            # Of those that issue together the short ones come first: after a long one they wait.
            candidate = (_issue(code, number, issued, previous), this.latency, number, after)
            if best is None or candidate < best:
                best = candidate
        if best is None:
            return None
        time, _, number, alive = best
        issued[number], previous = time, number
        order.append(number)
        window.remove(number)
        for p in set(code[number].reads):
            unread[p] -= 1
        for user in users[number]:
            waiting[user] -= 1
        if following < len(code):
            window.append(following)
            following += 1
    return order
