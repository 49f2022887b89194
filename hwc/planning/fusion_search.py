"""The search for a good plan of fusion: kernels grow freely, then growth is limited where needed.

A kernel that computes an expression over few inputs may read many intermediate values while it
grows backwards, before their producers join it. So a first plan lets kernels exceed the limit of
input streams. A kernel that is over a limit in the end is cut where it fits with most nodes: the
plan is made again with the kernel's growth limited there. A second search does the same without
any excess. The better plan is the one whose kernels have the fewest streams in all, because streams
are what goes over the bus.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from hwc.planning.fusion_plan import (
    FusionPlan,
    Group,
    GrowthLimits,
    Limits,
    Node,
    V,
    count_streams,
)
from hwc.shapes import Size

EXCESS = 4
"""Kernels under construction may read this many times the target's input streams."""

ROUNDS = 12
"""The number of plans with limited growth; then kernels may no longer exceed the streams."""

LARGE = 4000
"""Limit of nodes times rounds: compilation stays close to linear."""

Registers = Callable[[Group[V], Sequence[int]], bool]
"""Whether the given nodes of a group, in ascending order, have enough registers as a kernel."""


def plan_fusion(
    nodes: Sequence[Node[V]],
    stored: set[V],
    views: Mapping[V, Sequence[V]],
    limits: Limits,
    broadcast_to: Callable[[Iterable[V], tuple[Size, ...]], bool],
    enough_registers: Registers[V],
    cut: Collection[V] = (),
) -> list[Group[V]]:
    """Return kernels that respect `limits`, in the order of their execution.

    `cut` are stored values that no kernel both computes and uses.
    Registers are respected as far as the search gets; the caller checks every kernel once more.
    """
    crowded = False

    def plan(growth: GrowthLimits) -> list[Group[V]]:
        nonlocal crowded
        made = FusionPlan(nodes, stored, views, limits, broadcast_to, growth, cut)
        groups = made.run()
        crowded |= made.crowded
        return groups

    def limited(groups: list[Group[V]], excess: int) -> list[Group[V]]:
        return _limit_until_it_fits(groups, plan, nodes, limits, enough_registers, excess)

    plain = plan(GrowthLimits())
    best = limited(plain, 1)
    # Without a kernel that wants more streams, the second search would make the same plans.
    few = max((g.streams for g in plain), default=0) < limits.inputs - 1 and len(plain) == 1
    if few or not crowded:
        return best
    return min((best, limited(plan(GrowthLimits(EXCESS)), EXCESS)), key=_cost)


def _cost(groups: Iterable[Group[V]]) -> int:
    return sum(len(g.inputs) + len(g.outputs) for g in groups)


def _limit_until_it_fits(
    groups: list[Group[V]],
    plan: Callable[[GrowthLimits], list[Group[V]]],
    nodes: Sequence[Node[V]],
    limits: Limits,
    enough_registers: Registers[V],
    excess: int,
) -> list[Group[V]]:
    """Limit the growth of more and more groups until every kernel keeps the limits."""
    excess_ends: dict[int, int] = {}
    growth_ends: dict[int, int] = {}
    for _ in range(max(2, min(ROUNDS, LARGE // max(1, len(nodes))))):
        if not _limit_growth(groups, nodes, limits, enough_registers, excess_ends, growth_ends):
            return groups
        groups = plan(GrowthLimits(excess, excess_ends, growth_ends))
    return plan(GrowthLimits(1, {}, growth_ends))


def _limit_growth(
    groups: Sequence[Group[V]],
    nodes: Sequence[Node[V]],
    limits: Limits,
    enough_registers: Registers[V],
    excess_ends: dict[int, int],
    growth_ends: dict[int, int],
) -> bool:
    """Limit the growth of every group that is over a limit; return whether there is one."""
    found = False
    for group in groups:
        fits = group.streams <= limits.inputs
        if fits and enough_registers(group, sorted(group.nodes)):
            continue
        prefix, registers_decide = _longest_prefix(group, nodes, limits, enough_registers)
        left = sorted(group.nodes, reverse=True)[prefix:]
        if not left:
            continue
        found = True
        if registers_decide or group.identity in excess_ends:
            growth_ends[group.identity] = left[0]
        else:
            excess_ends[group.identity] = left[0]
    return found


def _longest_prefix(
    group: Group[V],
    nodes: Sequence[Node[V]],
    limits: Limits,
    enough_registers: Registers[V],
) -> tuple[int, bool]:
    """Return how many of a group's last nodes make a kernel, and whether registers decided it."""
    order = sorted(group.nodes, reverse=True)
    inputs: dict[V, None] = {}
    lengths: list[int] = []
    for count, number in enumerate(order, start=1):
        inputs.pop(nodes[number].value, None)
        inputs.update(dict.fromkeys(nodes[number].inputs))
        if count_streams(inputs, group.table) <= limits.inputs:
            lengths.append(count)
    if not lengths or enough_registers(group, sorted(order[: lengths[-1]])):
        return (lengths[-1] if lengths else 1), False
    low, high = 0, len(lengths) - 1
    while low < high:
        middle = (low + high) // 2
        if enough_registers(group, sorted(order[: lengths[middle]])):
            low = middle + 1
        else:
            high = middle
    return lengths[max(0, low - 1)], True
