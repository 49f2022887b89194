"""The ways to compute the stored values of a function: choices between lists of kernels.

A kernel in which some values are narrower than the iteration space has alternatives that keep some
of these values in memory (`hwc.planning.alternatives`). Results may be computed together or apart,
and kernels that read common values may be decided as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import NamedTuple, cast

import isa
from hwc.dialects.kernel import ApplyOp
from hwc.dialects.kernel_facts import Facts
from hwc.planning.alternatives import Decision, decisions, most_work, subsets
from hwc.shapes import Size
from hwc.shapes.assumptions import assuming_equal
from hwc.shapes.products import Product
from hwc.transforms.fusion_planner import KernelPlan, Planner

NAMED_SOURCES = 3
"""The most source operations that the name of a decision lists."""

MOST_JOINED = 64
"""The most operations for which there are plans that assume equal sizes of their results: each of
these plans has kernels for all of the operations."""

PAIRED = 3
"""The most shapes of results for which plans assume that two are equal: more have too many pairs.
"""


class Alternative(NamedTuple):
    """Kernels that compute the outputs of a fused kernel, in order, and a name for users."""

    name: str
    kernels: tuple[KernelPlan, ...]


class Choice(NamedTuple):
    """The ways to compute `outputs`, which the function needs in memory; there may be only one.

    Outputs are numbers of the planner's tensors.
    """

    outputs: tuple[int, ...]
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Choices:
    """Finds the choices for the kernels of a planner."""

    planner: Planner

    def of(self, kernels: Sequence[KernelPlan]) -> list[Choice]:
        """Return the choices for kernels in the order of their execution."""
        joined: dict[KernelPlan, Choice | None] = {}
        for members in self.connected(kernels):
            choice = self._together(members) if len(members) > 1 else None
            if choice is not None:
                joined.update(dict.fromkeys(members[:-1]))
                joined[members[-1]] = choice
        found: list[Choice] = []
        for kernel in kernels:
            choice = joined.get(kernel, Choice(kernel.outputs, ()))
            if choice is None:
                continue
            found.append(choice if choice.alternatives else self._choice(kernel))
        return found

    def _choice(self, kernel: KernelPlan) -> Choice:
        """Return the ways to compute a kernel's outputs: together, or each in its own kernel."""
        if len(kernel.outputs) == 1 or not self.pays(0, *self._points_of(kernel)):
            return Choice(kernel.outputs, tuple(self._alternatives([kernel], "fused")))
        joined = self._alternatives([kernel], "joined")
        return Choice(kernel.outputs, (*joined, *self._apart(kernel.numbers, kernel.outputs)))

    def _apart(self, numbers: Sequence[int], outputs: Collection[int]) -> list[Alternative]:
        """Return the ways to compute `outputs` with one kernel for each output."""
        return self._alternatives(self._by_output(numbers, outputs), "apart")

    def _by_output(self, numbers: Sequence[int], outputs: Collection[int]) -> list[KernelPlan]:
        """Plan nodes with a kernel for each output."""
        return self.planner.plan_nodes(numbers, set(outputs), len(numbers), outputs, outputs=1)

    def _points_of(self, kernel: KernelPlan) -> tuple[Product, Product]:
        points = Product.of(self.planner.shape(kernel.outputs[0]))
        return points, points

    def _alternatives(self, kernels: Sequence[KernelPlan], name: str) -> list[Alternative]:
        """Return the ways to compute what `kernels` store; the first way, `name`, is `kernels`."""
        found = [Alternative(name, tuple(kernels))]
        # One kernel has few decisions; several kernels share the limit, so some are left out.
        most = most_work({d: None for kernel in kernels for d in self._decisions(kernel)})
        if not most:
            return found
        prefix = "keep" if name == "fused" else f"{name}-keep"
        names = self._names(most)
        known = {found[0].kernels}
        for chosen in subsets(most):
            planned: list[KernelPlan] = []
            for kernel in kernels:
                # If any kernel keeps a value in memory, all kernels that compute it read it there.
                inner = {self.planner.nodes[n].value for n in kernel.numbers} - set(kernel.outputs)
                kept = {value for one in chosen for value in one.kept if value in inner}
                planned += self._keeping(kernel, kept) if kept else [kernel]
            if (key := tuple(dict.fromkeys(planned))) not in known:
                known.add(key)
                found.append(Alternative("-".join((prefix, *(names[one] for one in chosen))), key))
        return found

    def _decisions(self, kernel: KernelPlan) -> list[Decision[int]]:
        return decisions(
            [self.planner.nodes[n] for n in kernel.numbers],
            self.planner.shape(kernel.outputs[0]),
            kernel.outputs,
            self.pays,
        )

    def _keeping(self, kernel: KernelPlan, kept: set[int]) -> list[KernelPlan]:
        """Plan a kernel's nodes again, with the values `kept` in memory."""
        stored = {*kernel.outputs, *kept}
        return self.planner.plan_nodes(kernel.numbers, stored, len(kernel.numbers), kept)

    def _together(self, kernels: Sequence[KernelPlan]) -> Choice | None:
        """Return one choice for several kernels, None if each kernel is decided on its own.

        The results may turn out to have equal sizes, which allows plans with other kernels. Also, a
        value that several kernels recompute may be kept in memory for all of them.
        """
        numbers = sorted({number for kernel in kernels for number in kernel.numbers})
        if len(numbers) > MOST_JOINED:
            return None
        if any(self._is_viewed(v) for k in kernels for v in k.outputs):
            return None
        joined = self._with_equal_sizes(kernels, numbers)
        if not joined and sum(len(kernel.numbers) for kernel in kernels) == len(numbers):
            return None
        outputs = tuple(v for kernel in kernels for v in kernel.outputs if v in self.planner.stored)
        if all(len(kernel.outputs) == 1 for kernel in kernels):
            apart = self._alternatives(kernels, "apart")
        else:
            apart = [*self._mixed(kernels, "partly"), *self._apart(numbers, outputs)]
        return Choice(outputs, (*apart, *joined))

    def _with_equal_sizes(
        self, kernels: Sequence[KernelPlan], numbers: Sequence[int]
    ) -> list[Alternative]:
        """Return plans for the nodes of `kernels` if all their results have equal sizes.

        If the results have three shapes, there is also a plan for each pair of shapes being equal.
        There is no plan if the sizes are known to be equal or different, or if the plan has the
        same kernels.
        """
        shapes = dict.fromkeys(
            self.planner.shape(value) for kernel in kernels for value in kernel.outputs
        )
        found = self._assuming_equal(list(shapes), kernels, numbers, "joined")
        known = {frozenset(one.kernels) for one in found}
        if len(shapes) == PAIRED:
            for count, pair in enumerate(combinations(shapes, 2), start=1):
                for one in self._assuming_equal(pair, kernels, numbers, f"pair{count}")[:1]:
                    if frozenset(one.kernels) not in known:
                        found.append(one)
        return found

    def _assuming_equal(
        self,
        shapes: Sequence[tuple[Size, ...]],
        kernels: Sequence[KernelPlan],
        numbers: Sequence[int],
        name: str,
    ) -> list[Alternative]:
        """Return plans for the nodes of `kernels` that need `shapes` to be equal."""
        table = assuming_equal(self.planner.facts.table, shapes) if len(shapes) > 1 else None
        if table is None:
            return []
        other = self.planner.knowing(Facts(table, self.planner.facts.views), origins=True)
        together = other.kernels(numbers)
        return [] if set(together) == set(kernels) else Choices(other)._mixed(together, name)

    def _mixed(self, kernels: Sequence[KernelPlan], name: str) -> list[Alternative]:
        """Return the ways to compute what `kernels` store: with or without some results apart.

        Kernels without special functions compute their results apart, if other kernels compute
        theirs together. Next to special functions, a lane instruction costs nothing. But in a
        kernel that uses only the lanes, one more move may cost more than reading a value again.
        """
        found = self._alternatives(kernels, name)
        several = [kernel for kernel in kernels if len(kernel.outputs) > 1]
        special = [k for k in several if any(self.planner.nodes[n].slow for n in k.numbers)]
        if not special or special == several:
            return found
        split: list[KernelPlan] = []
        for kernel in kernels:
            if kernel in several and kernel not in special:
                split += self._by_output(kernel.numbers, kernel.outputs)
            else:
                split.append(kernel)
        return [*found, *self._alternatives(split, f"{name}-lanes-apart")]

    def _names(self, choices: Sequence[Decision[int]]) -> dict[Decision[int], str]:
        """Name each decision after the source operations of the values that it keeps."""
        names: dict[Decision[int], str] = {}
        for choice in choices:
            sources = {
                _word(cast("ApplyOp", self.planner.tensors[v].owner).source.data[-1].data): None
                for v in choice.kept
            }
            name = plain = "-".join(list(sources)[:NAMED_SOURCES])
            count = 1
            while name in names.values():
                count += 1
                name = f"{plain}{count}"
            names[choice] = name
        return names

    def _is_viewed(self, tensor: int) -> bool:
        """Whether a kernel reads a view of a tensor."""
        views = (self.planner.tensors[v] for v in self.planner.views.get(tensor, ()))
        uses = (use for view in views for use in view.uses)
        return any(isinstance(use.operation, ApplyOp) for use in uses)

    def connected(self, kernels: Sequence[KernelPlan]) -> list[list[KernelPlan]]:
        """Return the sets of kernels that read common values, or one another's."""
        number: dict[int, int] = {}
        sets: dict[int, list[int]] = {}
        for i, kernel in enumerate(kernels):
            own = sets[i] = [i]
            for tensor in (*kernel.inputs, *kernel.outputs):
                other = sets[number.setdefault(self.planner.roots[tensor], i)]
                if other is not own:
                    small, own = sorted((own, other), key=len)
                    own += small
                    sets.update(dict.fromkeys(small, own))
        found = {id(one): one for one in sets.values()}
        return [[kernels[i] for i in sorted(one)] for one in found.values()]

    def _most_points(self, points: Product) -> float:
        ranges = (self.planner.facts.table.range_of(symbol).high for symbol in points.symbols)
        return min(points.factor * prod(ranges), isa.load().limits.size_limit)

    def _least_points(self, points: Product) -> int:
        ranges = (self.planner.facts.table.range_of(symbol).low for symbol in points.symbols)
        return points.factor * prod(ranges)

    def pays(self, beats: int, wide: Product, narrow: Product) -> bool:
        """Whether computing values for fewer points may pay for the set-up of one more kernel.

        The set-up takes at least the time of the smallest kernel's set-up. Fewer points save beats,
        and in each strip at most one wait for a special function.
        """
        constants, target = isa.load().timing, self.planner.target
        most, least = self._most_points(wide), self._least_points(narrow)
        waits = most / target.vlen * constants.special
        setup = constants.setup_start + constants.setup_shapes + constants.setup_dimension
        return beats * (most - least) / target.lanes + waits > setup


def _word(source: str) -> str:
    """Return the name of a source operation without its dialect, as a word of letters."""
    return re.sub(r"\W+", "_", source.rpartition(".")[2])
