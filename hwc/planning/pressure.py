"""Evaluation orders that need few registers, on plain graphs without IR.

A graph is a list of items; item i holds the numbers of the values that it reads. Numbers below
`inputs` are input streams, which need no register; item i has the number `inputs + i`. Items come
after the items that they read.
"""

from __future__ import annotations

from collections.abc import Sequence


def depth_first_order(
    items: Sequence[Sequence[int]], inputs: int, outputs: Sequence[int]
) -> list[int]:
    """Return the items that `outputs` need, each as close before its first use as possible.

    Among the operands of an item, the operand whose evaluation needs the most registers comes
    first. This is Sethi and Ullman's rule: optimal for trees, a heuristic for shared values.
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
