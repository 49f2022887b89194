"""Orders of evaluation that need few registers, on plain graphs: no IR here.

A graph is a list of items; item i holds the numbers of the values it reads. Numbers below `inputs`
are input streams, which need no register; item i has the number `inputs + i`. Items come after what
they read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def depth_first_order(
    items: Sequence[Sequence[int]], inputs: int, outputs: Sequence[int]
) -> list[int]:
    """Return the items that `outputs` need, each right before its first use as far as possible.

    Of the operands of an item, the one whose evaluation needs most registers comes first (Sethi and
    Ullman's rule, which is optimal for trees; for shared values it is a heuristic).
    """
    need = _register_needs(items, inputs)
    order: list[int] = []
    done = [False] * len(items)
    for output in outputs:
        if output < inputs or done[output - inputs]:
            continue
        stack = [(output - inputs, iter(_by_need(items[output - inputs], need, inputs)))]
        entered = {output - inputs}
        while stack:
            item, operands = stack[-1]
            child = next((c for c in operands if not done[c] and c not in entered), None)
            if child is None:
                stack.pop()
                done[item] = True
                order.append(item)
            else:
                entered.add(child)
                stack.append((child, iter(_by_need(items[child], need, inputs))))
    return order


def _by_need(operands: Sequence[int], need: Sequence[int], inputs: int) -> list[int]:
    children = dict.fromkeys(o - inputs for o in operands if o >= inputs)
    return sorted(children, key=lambda c: -need[c])


def _register_needs(items: Sequence[Sequence[int]], inputs: int) -> list[int]:
    """Return for each item how many registers its evaluation as a tree needs, at least 1."""
    need: list[int] = []
    for operands in items:
        children = sorted((need[o - inputs] for o in set(operands) if o >= inputs), reverse=True)
        need.append(max((n + i for i, n in enumerate(children)), default=1))
    return need


def peak_registers(
    items: Sequence[Sequence[int]], inputs: int, outputs: Sequence[int], free: Collection[int] = ()
) -> int:
    """Return the most registers alive at once when the items run in their order.

    An item's result takes a register if another item reads it, or if it goes to several outputs; a
    result that only one output takes is stored as it is computed. `free` are items without a
    register (constants). A result may take the register of an operand that is read for the last
    time.
    """
    last: dict[int, int] = {}
    for i, operands in enumerate(items):
        for o in operands:
            if o >= inputs:
                last[o] = i
    taken = list(outputs)
    for o in set(taken):
        if o >= inputs and (o in last or taken.count(o) > 1):
            last[o] = len(items)
    ends: list[int] = [0] * (len(items) + 1)
    alive = peak = 0
    for i in range(len(items)):
        during = alive
        alive -= ends[i]
        number = inputs + i
        if number in last and i not in free:
            alive += 1
            ends[last[number]] += 1
        peak = max(peak, during, alive)
    return peak
