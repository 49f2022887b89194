"""The plan of a function's kernels: which operations share one, and in which ways it is computed.

`fusion_search` decides which operations share a kernel, by streams, sizes and words of machine
code. A kernel that needs more registers than the target has is planned again with half as many
operations, down to single ones. A kernel in which values are narrower than its iteration space has
alternatives, which keep some of these values in memory (`hwc.planning.alternatives`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects import tensor
from xdsl.ir import Block, Operation, SSAValue

import isa
from hwc.backend.selection import MAX_TEMPORARIES, check_types, is_slow, words_of
from hwc.dialects.kernel import ApplyOp, ReshapeOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.planning.alternatives import Decision, decisions, most_work, subsets
from hwc.planning.fusion_plan import Group, Limits, Node
from hwc.planning.fusion_search import plan_fusion
from hwc.shapes import Size, strip_ones
from hwc.shapes.assumptions import assuming_equal
from hwc.shapes.products import Product
from hwc.transforms.fused_body import Body, instruction_count
from isa.dispatch import HALT_WORDS
from isa.target import Target

NAMED_SOURCES = 3
"""The most source operations that the name of a decision lists."""

MOST_JOINED = 64
"""The most operations for which there are plans in case their results have equal sizes: each of
these plans has kernels for all of the operations."""


PAIRED = 3
"""The shapes of results of which two may turn out to be equal: with more, pairs are too many."""


class KernelPlan(NamedTuple):
    """A fused kernel: its source operations by number, and the tensors that it reads and writes."""

    numbers: tuple[int, ...]
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]


class Alternative(NamedTuple):
    """Kernels that compute the outputs of a fused kernel, in order, and a name for people."""

    name: str
    kernels: tuple[KernelPlan, ...]


class Choice(NamedTuple):
    """The ways to compute `outputs`, which the function needs in memory; there may be only one."""

    outputs: tuple[SSAValue, ...]
    alternatives: tuple[Alternative, ...]


@dataclass
class Planner:
    """The plan of one function: source operations as nodes, and the kernels made of them."""

    target: Target
    facts: Facts
    applies: list[ApplyOp] = field(default_factory=list)
    nodes: list[Node[SSAValue]] = field(default_factory=list)
    views: dict[SSAValue, list[SSAValue]] = field(default_factory=dict)
    stored: set[SSAValue] = field(default_factory=set)
    order: dict[SSAValue, int] = field(default_factory=dict)
    arguments: dict[SSAValue, int] = field(default_factory=dict)
    bodies: dict[KernelPlan, tuple[Body, list[int]]] = field(default_factory=dict)

    def plan(self, block: Block) -> list[KernelPlan]:
        """Return the kernels for a function's block in the order of their execution."""
        self.order = {argument: i for i, argument in enumerate(block.args)}
        self.arguments = {argument: 1 << i for i, argument in enumerate(block.args)}
        for op in block.ops:
            for result in op.results:
                self.order[result] = len(self.order)
            if isinstance(op, ApplyOp):
                self._add_node(op)
            else:
                self.stored.update(op.operands)
                if _is_view(op):
                    root = self.facts.views[op.results[0]].root
                    self.views.setdefault(root, []).append(op.results[0])
        return self.kernels(range(len(self.nodes)))

    def kernels(self, numbers: Sequence[int]) -> list[KernelPlan]:
        """Plan the nodes `numbers`, which are not connected with others."""
        return self._kernels(numbers, self.stored, len(numbers))

    def knowing(self, facts: Facts, *, origins: bool = False) -> Planner:
        """Return a planner of the same nodes that knows `facts` of their sizes instead.

        `origins` tells values apart by the arguments that they depend on, whatever their sizes.
        """
        other = replace(self, facts=facts)
        other.nodes = [
            other._with_origins(replace(n, shape=other.shape(n.value)), always=origins)
            for n in self.nodes
        ]
        return other

    def _add_node(self, apply: ApplyOp) -> None:
        operations = [op for op in apply.body.block.ops if not isinstance(op, YieldOp)]
        for op in operations:
            check_types(op)
        slow = [is_slow(op) for op in operations]
        if len(apply.results) != 1:
            raise error_at(apply, "a kernel with several results cannot be fused again")
        beats = sum(
            words_of(op) * (self.target.lanes // self.target.special_rate if is_slow else 1)
            for op, is_slow in zip(operations, slow, strict=True)
        )
        value = apply.results[0]
        inputs = tuple(dict.fromkeys(apply.inputs))
        weight = instruction_count(apply)
        self.arguments[value] = 0
        for one in inputs:
            self.arguments[value] |= self.arguments.get(self.facts.views[one].root, 0)
        node = Node(value, inputs, self.shape(value), weight, any(slow), beats)
        self.nodes.append(self._with_origins(node))
        self.applies.append(apply)

    def _with_origins(self, node: Node[SSAValue], *, always: bool = False) -> Node[SSAValue]:
        """Return a node with its origins if its sizes are static, or `always`."""
        static = always or not any(isinstance(size, str) for size in node.shape)
        return replace(node, origins=self.arguments[node.value] if static else 0)

    def sizes(self, value: SSAValue) -> tuple[Size, ...]:
        """Return what is known of the sizes of a value."""
        return self.facts.table.resolve_shape(self.facts.sizes(value))

    def shape(self, value: SSAValue) -> tuple[Size, ...]:
        """Return the sizes without what broadcasting pads."""
        return strip_ones(self.sizes(value))

    def _kernels(
        self,
        numbers: Sequence[int],
        stored: set[SSAValue],
        size: int,
        cut: Collection[SSAValue] = (),
        outputs: int | None = None,
    ) -> list[KernelPlan]:
        """Plan the nodes `numbers`, at most `size` of them per kernel.

        `stored` are the values that have to be in memory, `cut` those of them that no kernel both
        computes and uses. A kernel has at most `outputs` outputs (None: what the target has).
        """
        limits = Limits(
            self.target.input_streams,
            self.target.output_streams if outputs is None else outputs,
            self.target.instruction_words - HALT_WORDS,
            size,
        )
        nodes = [self.nodes[n] for n in numbers]

        def broadcast_to(inputs: Iterable[SSAValue], shape: tuple[Size, ...]) -> bool:
            return self.facts.table.broadcasts_to([self.facts.sizes(v) for v in inputs], shape)

        def enough_registers(group: Group[SSAValue], members: Sequence[int]) -> bool:
            return self._enough_registers(group, [numbers[i] for i in members])

        kernels: list[KernelPlan] = []
        for group in plan_fusion(
            nodes, stored, self.views, limits, broadcast_to, enough_registers, cut
        ):
            members = tuple(numbers[i] for i in sorted(group.nodes))
            kernels += self._within_registers(group, members, limits)
        return kernels

    def _enough_registers(self, group: Group[SSAValue], numbers: Sequence[int]) -> bool:
        """Whether the nodes `numbers` of a group are a kernel within the target's registers."""
        registers = self.target.vector_registers
        if sum(self.nodes[n].weight for n in numbers) <= registers - MAX_TEMPORARIES:
            return True
        values = {self.nodes[n].value for n in numbers}
        inputs = {v: None for n in numbers for v in self.nodes[n].inputs if v not in values}
        outputs = tuple(v for v in group.outputs if v in values)
        body, yielded = self._body(KernelPlan(tuple(numbers), tuple(inputs), outputs))
        return body.registers(yielded) <= registers

    def _body(self, kernel: KernelPlan) -> tuple[Body, list[int]]:
        """Join the regions of a kernel's nodes; return the body and what it yields."""
        body = Body(list(kernel.inputs))
        for number in kernel.numbers:
            body.add(self.applies[number])
        body.order([body.values[v] for v in kernel.outputs])
        return body, [body.values[v] for v in kernel.outputs]

    def _within_registers(
        self, group: Group[SSAValue], numbers: tuple[int, ...], limits: Limits
    ) -> list[KernelPlan]:
        """Return one kernel, or several if it needs too many registers."""
        if len(numbers) == 1:
            _check_limits(group, self.applies[numbers[0]], limits)
        kernel = KernelPlan(
            numbers,
            tuple(sorted(group.inputs, key=self.order.__getitem__)),
            tuple(sorted(group.outputs, key=self.order.__getitem__)),
        )
        if kernel not in self.bodies:
            self.bodies[kernel] = self._body(kernel)
        body, yielded = self.bodies[kernel]
        registers = body.registers(yielded)
        if registers <= self.target.vector_registers:
            return [kernel]
        first, *others = numbers
        if others:
            return self._kernels(numbers, set(kernel.outputs), len(numbers) // 2)
        op = self.applies[first]
        raise _too_small(op, f"{registers} vector registers", self.target.vector_registers)

    # -- alternatives

    def choices(self, kernels: Sequence[KernelPlan]) -> list[Choice]:
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
        """Return the ways to compute a kernel's outputs: together, or each by a kernel."""
        if len(kernel.outputs) == 1 or not self.pays(0, *self._points_of(kernel)):
            return Choice(kernel.outputs, tuple(self._alternatives([kernel], "fused")))
        joined = self._alternatives([kernel], "joined")
        return Choice(kernel.outputs, (*joined, *self._apart(kernel.numbers, kernel.outputs)))

    def _apart(self, numbers: Sequence[int], outputs: Collection[SSAValue]) -> list[Alternative]:
        """Return the ways to compute `outputs` by a kernel each."""
        kernels = self._kernels(numbers, set(outputs), len(numbers), outputs, outputs=1)
        return self._alternatives(kernels, "apart")

    def _points_of(self, kernel: KernelPlan) -> tuple[Product, Product]:
        points = Product.of(self.shape(kernel.outputs[0]))
        return points, points

    def _alternatives(self, kernels: Sequence[KernelPlan], name: str) -> list[Alternative]:
        """Return the ways to compute what `kernels` store; the first one, `name`, is `kernels`."""
        found = [Alternative(name, tuple(kernels))]
        # One kernel has few decisions; those of several share the limit, and some are left over.
        most = most_work({d: None for kernel in kernels for d in self._decisions(kernel)})
        if not most:
            return found
        prefix = "keep" if name == "fused" else f"{name}-keep"
        names = _names(most)
        known = {found[0].kernels}
        for chosen in subsets(most):
            planned: list[KernelPlan] = []
            for kernel in kernels:
                # Whichever kernel wants a value in memory, all that compute it read it there.
                inner = {self.nodes[n].value for n in kernel.numbers} - set(kernel.outputs)
                kept = {value for one in chosen for value in one.kept if value in inner}
                planned += self._keeping(kernel, kept) if kept else [kernel]
            if (key := tuple(dict.fromkeys(planned))) not in known:
                known.add(key)
                found.append(Alternative("-".join((prefix, *(names[one] for one in chosen))), key))
        return found

    def _decisions(self, kernel: KernelPlan) -> list[Decision[SSAValue]]:
        return decisions(
            [self.nodes[n] for n in kernel.numbers],
            self.shape(kernel.outputs[0]),
            kernel.outputs,
            self.pays,
        )

    def _keeping(self, kernel: KernelPlan, kept: set[SSAValue]) -> list[KernelPlan]:
        """Plan a kernel's nodes again, with the values `kept` in memory."""
        stored = {*kernel.outputs, *kept}
        return self._kernels(kernel.numbers, stored, len(kernel.numbers), kept)

    def _together(self, kernels: Sequence[KernelPlan]) -> Choice | None:
        """Return a choice for several kernels as a whole, None if each is decided alone.

        Their results may turn out to have equal sizes, which allows plans with other kernels. And
        what several of them compute again may be kept in memory once for all.
        """
        numbers = sorted({number for kernel in kernels for number in kernel.numbers})
        if len(numbers) > MOST_JOINED:
            return None
        if any(self._is_viewed(v) for k in kernels for v in k.outputs):
            return None
        joined = self._with_equal_sizes(kernels, numbers)
        if not joined and sum(len(kernel.numbers) for kernel in kernels) == len(numbers):
            return None
        outputs = tuple(v for kernel in kernels for v in kernel.outputs if v in self.stored)
        if all(len(kernel.outputs) == 1 for kernel in kernels):
            apart = self._alternatives(kernels, "apart")
        else:
            apart = [*self._alternatives(kernels, "partly"), *self._apart(numbers, outputs)]
        return Choice(outputs, (*apart, *joined))

    def _with_equal_sizes(
        self, kernels: Sequence[KernelPlan], numbers: Sequence[int]
    ) -> list[Alternative]:
        """Return plans for the nodes of `kernels` if all their results have equal sizes.

        If the results have three shapes, there is one also for each two of them being equal. There
        are none if the sizes are known to be equal, or to differ, or if the kernels are the same.
        """
        shapes = dict.fromkeys(self.shape(value) for kernel in kernels for value in kernel.outputs)
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
        table = assuming_equal(self.facts.table, shapes) if len(shapes) > 1 else None
        if table is None:
            return []
        other = self.knowing(Facts(table, self.facts.views), origins=True)
        together = other.kernels(numbers)
        return [] if set(together) == set(kernels) else other._alternatives(together, name)

    def _is_viewed(self, value: SSAValue) -> bool:
        """Whether a kernel reads a view of a value."""
        uses = (use for view in self.views.get(value, ()) for use in view.uses)
        return any(isinstance(use.operation, ApplyOp) for use in uses)

    def connected(self, kernels: Sequence[KernelPlan]) -> list[list[KernelPlan]]:
        """Return the sets of kernels that read common values, or one another's."""
        number: dict[SSAValue, int] = {}
        sets: dict[int, list[int]] = {}
        for i, kernel in enumerate(kernels):
            own = sets[i] = [i]
            for value in (*kernel.inputs, *kernel.outputs):
                other = sets[number.setdefault(self.facts.views[value].root, i)]
                if other is not own:
                    small, own = sorted((own, other), key=len)
                    own += small
                    sets.update(dict.fromkeys(small, own))
        found = {id(one): one for one in sets.values()}
        return [[kernels[i] for i in sorted(one)] for one in found.values()]

    def _most_points(self, points: Product) -> float:
        ranges = (self.facts.table.range_of(symbol).high for symbol in points.symbols)
        return min(points.factor * prod(ranges), isa.load().limits.size_limit)

    def _least_points(self, points: Product) -> int:
        ranges = (self.facts.table.range_of(symbol).low for symbol in points.symbols)
        return points.factor * prod(ranges)

    def pays(self, beats: int, wide: Product, narrow: Product) -> bool:
        """Whether computing values for fewer points may pay for the set-up of a kernel more.

        Such a kernel has an output at least, and another kernel one input more to read it. It saves
        beats, and in each strip a wait for the slowest unit at most.
        """
        constants, target = isa.load().timing, self.target
        most, least = self._most_points(wide), self._least_points(narrow)
        waits = most / target.vlen * max(unit.latency for unit in isa.load().units.values())
        setup = constants.setup_base + 2 * constants.setup_per_stream
        return beats * (most - least) / target.lanes + waits > setup


def _names(choices: Sequence[Decision[SSAValue]]) -> dict[Decision[SSAValue], str]:
    """Name each decision after the source operations of the values that it keeps."""
    names: dict[Decision[SSAValue], str] = {}
    for choice in choices:
        sources = {
            _word(cast("ApplyOp", value.owner).source.data[-1].data): None for value in choice.kept
        }
        name = plain = "-".join(list(sources)[:NAMED_SOURCES])
        count = 1
        while name in names.values():
            count += 1
            name = f"{plain}{count}"
        names[choice] = name
    return names


def _word(source: str) -> str:
    """Return the name of a source operation without its dialect, as a word of letters."""
    return re.sub(r"\W+", "_", source.rpartition(".")[2])


def _is_view(op: Operation) -> bool:
    return isinstance(op, ReshapeOp | tensor.CastOp)


def _check_limits(group: Group[SSAValue], apply: ApplyOp, limits: Limits) -> None:
    if len(group.inputs) > limits.inputs:
        raise _too_small(apply, f"{len(group.inputs)} input streams", limits.inputs)
    words = group.words(len(group.inputs), len(group.outputs), group.weight)
    if words > limits.words:
        raise _too_small(apply, f"{words + HALT_WORDS} words", limits.words + HALT_WORDS)


def _too_small(op: ApplyOp, needs: str, has: int) -> LocatedError:
    name = ", ".join(name.data for name in op.source)
    return error_at(
        op, f"'{name}' alone needs {needs}, the target has {has}", "compile for a larger target"
    )
