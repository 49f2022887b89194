"""The search for a good plan of fusion: plans with room to exceed the streams, then with brakes.

A kernel that computes an expression over few inputs may read many intermediate values while it
grows backwards, before their producers join it. So a first plan lets kernels exceed the limit of
input streams. A kernel that is over a limit in the end is cut where it fits with most nodes: the
plan is made again with a brake there. The best of these plans and of the one without any excess is
taken: the one whose kernels have the fewest streams in all, which is what goes over the bus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hwc.planning.fusion_plan import Brakes, FusionPlan, Group, Limits, Node, V
from hwc.shapes import Size

SLACK = 4
"""Kernels under construction may have this many times the target's input streams."""

ROUNDS = 12
"""At most so many plans are made with brakes; after these, kernels no longer exceed the streams."""

LARGE = 4000
"""Nodes times rounds beyond which fewer rounds are made: compilation stays close to linear."""

Registers = Callable[[Group[V], Sequence[int]], bool]
"""Whether the given nodes of a group, in ascending order, have enough registers as a kernel."""


def plan_fusion(
    nodes: Sequence[Node[V]],
    pinned: set[V],
    views: Mapping[V, Sequence[V]],
    limits: Limits,
    covers: Callable[[Iterable[V], tuple[Size, ...]], bool],
    enough_registers: Registers[V],
) -> list[Group[V]]:
    """Return kernels that respect `limits`, in the order of their execution.

    Registers are respected as far as the search gets; the caller checks every kernel once more.
    """

    def plan(brakes: Brakes) -> list[Group[V]]:
        return FusionPlan(nodes, pinned, views, limits, covers, brakes).run()

    plain = plan(Brakes())
    best = _braked(plain, plan, nodes, limits, enough_registers, slack=1)
    if max((len(g.inputs) for g in plain), default=0) < limits.inputs - 1 and len(plain) == 1:
        return best
    loose = _braked(plan(Brakes(SLACK)), plan, nodes, limits, enough_registers, slack=SLACK)
    return min((best, loose), key=_cost)


def _cost(groups: Iterable[Group[V]]) -> int:
    return sum(len(g.inputs) + len(g.outputs) for g in groups)


def _braked(
    groups: list[Group[V]],
    plan: Callable[[Brakes], list[Group[V]]],
    nodes: Sequence[Node[V]],
    limits: Limits,
    enough_registers: Registers[V],
    slack: int,
) -> list[Group[V]]:
    """Make plans with more and more brakes until every kernel keeps the limits."""
    strict: dict[int, int] = {}
    closed: dict[int, int] = {}
    for _ in range(max(2, min(ROUNDS, LARGE // max(1, len(nodes))))):
        if not _brake(groups, nodes, limits, enough_registers, strict, closed):
            return groups
        groups = plan(Brakes(slack, strict, closed))
    return plan(Brakes(1, {}, closed))


def _brake(
    groups: Sequence[Group[V]],
    nodes: Sequence[Node[V]],
    limits: Limits,
    enough_registers: Registers[V],
    strict: dict[int, int],
    closed: dict[int, int],
) -> bool:
    """Add a brake for every group that is over a limit; return whether there is one."""
    found = False
    for group in groups:
        streams = len(group.inputs) <= limits.inputs
        if streams and enough_registers(group, sorted(group.nodes)):
            continue
        prefix, registers_decide = _longest_prefix(group, nodes, limits, enough_registers)
        left = sorted(group.nodes, reverse=True)[prefix:]
        if not left:
            continue
        found = True
        if registers_decide or group.identity in strict:
            closed[group.identity] = left[0]
        else:
            strict[group.identity] = left[0]
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
        if len(inputs) <= limits.inputs:
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
