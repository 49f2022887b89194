"""The search for a good fusion plan: kernels grow freely, then growth is limited where needed.

A kernel that computes an expression over few inputs may read many intermediate values while it
grows backwards, before their producers join it. So a first plan lets kernels exceed the limit of
input streams. A kernel that is over a limit in the end is cut at the point where it fits with the
most nodes: the plan is made again with the kernel's growth limited there. The rest of a chain is
cut in the same step, because it can only become the next kernels. A second search does the same
without any excess. The better plan is the one whose kernels have the fewest streams in total,
because streams are the bus traffic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from hwc.planning.fusion_plan import (
    FusionPlan,
    Group,
    GrowthLimits,
    Limits,
    Node,
    V,
    count_streams,
    identity_of,
)
from hwc.shapes import Size

EXCESS = 4
"""Kernels under construction may read up to this multiple of the target's input streams."""

ROUNDS = 12
"""The number of plans with limited growth; after that, kernels may not exceed the streams."""

LARGE = 4000
"""Limit of nodes times rounds, so that the compile time stays close to linear."""

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
    """Return kernels that respect `limits`, in execution order.

    `cut` are stored values that no kernel may both compute and use. The search respects the
    registers as far as it gets; the caller checks every kernel again.
    """
    crowded = False
    cutter = _Cutter(nodes, stored, limits, enough_registers)

    def plan(growth: GrowthLimits) -> list[Group[V]]:
        nonlocal crowded
        made = FusionPlan(nodes, stored, views, limits, broadcast_to, growth, cut)
        groups = made.run()
        crowded |= made.crowded
        return groups

    def limited(groups: list[Group[V]], excess: int) -> list[Group[V]]:
        """Limit the growth of more and more groups until every kernel is within the limits."""
        growth = GrowthLimits(excess)
        rounds = max(2, min(ROUNDS, LARGE // max(1, len(nodes))))
        for rest in reversed(range(rounds)):
            if not cutter.limit_growth(groups, growth):
                return groups
            groups.clear()  # half of the memory of the plans of a large program
            groups = plan(growth if rest else GrowthLimits(1, {}, growth.growth_ends))
        return groups

    plain = plan(GrowthLimits())
    few = max((g.streams for g in plain), default=0) < limits.inputs - 1 and len(plain) == 1
    best = limited(plain, 1)
    # Without a kernel that wants more streams, the second search would make the same plans.
    if few or not crowded:
        return best
    return min((best, limited(plan(GrowthLimits(EXCESS)), EXCESS)), key=_cost)


def _cost(groups: Iterable[Group[V]]) -> int:
    return sum(len(g.inputs) + len(g.outputs) for g in groups)


@dataclass
class _Cutter(Generic[V]):
    """Finds the points where groups that are over a limit have to end."""

    nodes: Sequence[Node[V]]
    stored: set[V]
    limits: Limits
    enough_registers: Registers[V]

    @cached_property
    def read_again(self) -> set[V]:
        """The values that several nodes read."""
        seen: set[V] = set()
        again: set[V] = set()
        for node in self.nodes:
            for value in node.inputs:
                (again if value in seen else seen).add(value)
        return again

    def limit_growth(self, groups: Iterable[Group[V]], growth: GrowthLimits) -> bool:
        """Limit the growth of every group that is over a limit; return whether there was one."""
        found = False
        for group in groups:
            if self._keeps_limits(group):
                continue
            order = sorted(group.nodes, reverse=True)
            prefix, registers_decide = self._longest_prefix(group, order)
            left = order[prefix:]
            if not left:
                continue
            found = True
            if registers_decide or group.identity in growth.excess_ends:
                growth.growth_ends[group.identity] = left[0]
                if self._is_chain(left):
                    self._cut_chain(left, prefix, growth)
            else:
                growth.excess_ends[group.identity] = left[0]
        return found

    def _keeps_limits(self, group: Group[V]) -> bool:
        fits = group.streams <= self.limits.inputs
        return fits and self.enough_registers(group, sorted(group.nodes))

    def _longest_prefix(
        self, group: Group[V], order: Sequence[int], guess: int = 0
    ) -> tuple[int, bool]:
        """Return how many of a group's last nodes make a kernel, and whether registers decided.

        `order` are the nodes of the group, which is over a limit, from the last to the first. If
        the answer is `guess`, it is found in two steps.
        """
        inputs: dict[V, None] = {}
        lengths: list[int] = []
        for count, number in enumerate(order, start=1):
            inputs.pop(self.nodes[number].value, None)
            inputs.update(dict.fromkeys(self.nodes[number].inputs))
            if count_streams(inputs, group.table) <= self.limits.inputs:
                lengths.append(count)
        if not lengths:
            return 1, False
        whole = lengths[-1] == len(order)  # then it is the registers that are too few
        if not whole and self._has_registers(group, order, lengths[-1]):
            return lengths[-1], False
        low, high = 0, len(lengths) - 1
        guessed = bisect_right(lengths, guess) - 1
        likely = [guessed + 1, guessed] if guess else []
        while low < high:
            middle = likely.pop() if likely else (low + high) // 2
            if not low <= middle < high:
                continue
            if self._has_registers(group, order, lengths[middle]):
                low = middle + 1
            else:
                high = middle
        return lengths[max(0, low - 1)], True

    def _has_registers(self, group: Group[V], order: Sequence[int], length: int) -> bool:
        """Whether a group's last nodes, as many as `length`, have enough registers as a kernel."""
        return self.enough_registers(group, sorted(order[:length]))

    def _is_chain(self, numbers: Sequence[int]) -> bool:
        """Whether each node, from the last to the first, is read only by the node listed before it.

        Then only the kernel with that reader can compute the node.
        """
        for number, before in zip(numbers[1:], numbers, strict=False):
            value = self.nodes[number].value
            if value in self.stored or value in self.read_again:
                return False
            if value not in self.nodes[before].inputs:
                return False
        return True

    def _cut_chain(self, left: Sequence[int], length: int, growth: GrowthLimits) -> None:
        """Limit the growth of the kernels of a chain; `left` are its nodes, the last node first.

        `length` is a first guess at how many nodes fit. The search for each kernel looks at twice
        as many nodes as the previous kernel has, so that it does not examine the whole rest of a
        long chain for every kernel.
        """
        begin = 0
        while begin < len(left):
            before, length = length, 2 * length
            order = left[begin : begin + length]
            group = self._chain_group(order)
            if self._keeps_limits(group):
                if begin + length >= len(left):
                    return
                continue
            length, _ = self._longest_prefix(group, order, before)
            begin += length
            if begin < len(left):
                growth.growth_ends[group.identity] = left[begin]

    def _chain_group(self, numbers: Sequence[int]) -> Group[V]:
        """Return the kernel of the nodes of a chain, given from the last to the first."""
        members = [self.nodes[number] for number in numbers]
        values = {node.value for node in members}
        inputs = {value: None for node in members for value in node.inputs if value not in values}
        return Group(
            identity_of(numbers[0], self.nodes),
            members[0].shape,
            tuple(numbers),
            tuple(inputs),
            (members[0].value,),
            sum(node.weight for node in members),
            next((node.table for node in members if node.table is not None), None),
        )
