"""The plan of a function's kernels: which operations share a kernel.

`fusion_search` decides which operations share a kernel, by streams, sizes and words of machine
code. A kernel that needs more registers or phases than the target has is planned again with half as
many operations, down to single operations. `kernel_choices` finds other kernels with the same
results.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from xdsl.dialects import tensor
from xdsl.ir import Block, Operation, SSAValue

from hwc.backend.selection import MAX_TEMPORARIES, check_types, is_slow, words_of
from hwc.dialects.kernel import ApplyOp, table_of
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.planning.fusion_plan import Group, Limits, Node
from hwc.planning.fusion_search import plan_fusion
from hwc.planning.phases import Pipe
from hwc.planning.schedule import fits, least_phases
from hwc.recent import Recent
from hwc.shapes import Size, strip_ones
from hwc.transforms.fused_body import Body, Flow, Region, RegionReader, instruction_count
from isa.dispatch import HALT_WORDS
from isa.target import Target

MOST_ANSWERS = 1024
"""How many answers about kernels a planner keeps; equal parts of a program follow each other."""


class KernelPlan(NamedTuple):
    """A fused kernel: its source operations, and the tensors it reads and writes, by number."""

    numbers: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class _Effort(NamedTuple):
    """The cost of a region: its instructions, their beats, and whether any is slow."""

    weight: int
    beats: int
    slow: bool


@dataclass
class Planner:
    """The plan of one function: source operations as nodes, and kernels made of the nodes.

    Tensors are numbered in the order of the function, because numbers are compared and looked up
    faster than values; `tensors` maps each number to its value.
    """

    target: Target
    facts: Facts
    tensors: list[SSAValue] = field(default_factory=list)
    applies: list[ApplyOp] = field(default_factory=list)
    nodes: list[Node[int]] = field(default_factory=list)
    views: dict[int, list[int]] = field(default_factory=dict)
    viewed: dict[int, int] = field(default_factory=dict)
    stored: set[int] = field(default_factory=set)
    numbers: dict[SSAValue, int] = field(default_factory=dict)
    """The number of each tensor, while the function is read."""
    roots: list[int] = field(default_factory=list)
    """For each tensor, the tensor in memory that the tensor is a view of."""
    arguments: list[int] = field(default_factory=list)
    """For each tensor, a bit for each argument of the function on which the tensor depends."""
    regions: list[Region[int]] = field(default_factory=list)
    flows: list[Flow | None] = field(default_factory=list)
    flowless: set[int] = field(default_factory=set)
    reader: RegionReader = field(default_factory=RegionReader)
    enough: Recent[bool] = field(default_factory=lambda: Recent(MOST_ANSWERS))
    fitting: Recent[bool] = field(default_factory=lambda: Recent(MOST_ANSWERS))
    """The last answers: whether nodes with these bodies and outputs fit the registers."""
    efforts: dict[Hashable, _Effort] = field(default_factory=dict)

    @cached_property
    def pipe(self) -> Pipe:
        """The ports and registers of the target."""
        return Pipe.of(self.target)

    def plan(self, block: Block) -> list[KernelPlan]:
        """Return the kernels for a function's block in the order of their execution."""
        self._number(block.args)
        self.arguments = [1 << i for i in range(len(block.args))]
        for op in block.ops:
            self._number(op.results)
            if isinstance(op, ApplyOp):
                self._add_node(op)
            else:
                self.stored.update(self.numbers[v] for v in op.operands)
                if _is_view(op):
                    view = self.numbers[op.results[0]]
                    self.views.setdefault(self.roots[view], []).append(view)
                    self.viewed[view] = self.roots[view]
        self.numbers.clear()
        return self.kernels(range(len(self.nodes)))

    def _number(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self.numbers[value] = len(self.tensors)
            self.tensors.append(value)
            self.roots.append(self.numbers[self.facts.views[value].root])
            self.arguments.append(0)

    def kernels(self, numbers: Sequence[int]) -> list[KernelPlan]:
        """Plan the nodes `numbers`, which are not connected to other nodes."""
        return self.plan_nodes(numbers, self.stored, len(numbers))

    def knowing(self, facts: Facts, *, origins: bool = False) -> Planner:
        """Return a planner of the same nodes with other `facts` about their sizes.

        With `origins`, values are told apart by the arguments they depend on, whatever their sizes.
        """
        other = replace(self, facts=facts)
        other.nodes = [
            other._with_origins(replace(n, shape=other.shape(n.value)), always=origins)
            for n in self.nodes
        ]
        return other

    def _add_node(self, apply: ApplyOp) -> None:
        region = self.reader.read(apply, self.numbers)
        effort = self._effort(apply, region)
        (value,) = [self.numbers[result] for result in apply.results]
        inputs = tuple(dict.fromkeys(region.inputs))
        if len(inputs) == len(region.inputs):
            inputs = region.inputs
        for one in inputs:
            self.arguments[value] |= self.arguments[self.roots[one]]
        table = table_of(apply)
        shape = self.shape(value)
        node = Node(
            value,
            inputs,
            shape,
            effort.weight,
            effort.slow,
            effort.beats,
            self.arguments[value] if _is_static(shape) else 0,
            None if table is None else self.numbers[table.view],
        )
        self.nodes.append(node)
        self.applies.append(apply)
        self.regions.append(region)
        self.flows.append(self.reader.flow(region))
        if self.flows[-1] is None:
            self.flowless.add(len(self.flows) - 1)

    def _effort(self, apply: ApplyOp, region: Region[int]) -> _Effort:
        """Return the cost of a kernel's region, computed once for all equal regions."""
        key = region.form.number
        found = self.efforts.get(key)
        if found is None:
            operations = region.operations
            for op in operations:
                check_types(op)
            slow = [is_slow(op) for op in operations]
            if len(apply.results) != 1:
                raise error_at(apply, "a kernel with several results cannot be fused again")
            beats = sum(
                words_of(op) * (self.target.lanes // self.target.special_rate if is_slow else 1)
                for op, is_slow in zip(operations, slow, strict=True)
            )
            found = self.efforts[key] = _Effort(instruction_count(apply), beats, any(slow))
        return found

    def _with_origins(self, node: Node[int], *, always: bool = False) -> Node[int]:
        """Return a node with its origins if its sizes are static, or `always`."""
        known = always or _is_static(node.shape)
        return replace(node, origins=self.arguments[node.value] if known else 0)

    def sizes(self, tensor: int) -> tuple[Size, ...]:
        """Return what is known about the sizes of a tensor, given by its number."""
        return self.facts.table.resolve_shape(self.facts.sizes(self.tensors[tensor]))

    def shape(self, tensor: int) -> tuple[Size, ...]:
        """Return the sizes without the leading 1s that broadcasting would add."""
        return strip_ones(self.sizes(tensor))

    def plan_nodes(
        self,
        numbers: Sequence[int],
        stored: set[int],
        size: int,
        cut: Collection[int] = (),
        outputs: int | None = None,
    ) -> list[KernelPlan]:
        """Plan the nodes `numbers`, at most `size` of them per kernel.

        `stored` are the tensors that have to be in memory; `cut` are the stored tensors that no
        kernel both computes and uses. A kernel has at most `outputs` outputs (None: the target's
        limit).
        """
        limits = Limits(
            self.target.input_streams,
            self.target.output_streams if outputs is None else outputs,
            self.target.instruction_words - HALT_WORDS,
            size,
        )
        numbers = list(numbers)
        nodes = [self.nodes[n] for n in numbers]
        views: dict[int, list[int]] = {}
        for view in {v: None for node in nodes for v in node.inputs if v in self.viewed}:
            views.setdefault(self.viewed[view], []).append(view)

        def broadcast_to(inputs: Iterable[int], shape: tuple[Size, ...]) -> bool:
            shapes = [self.facts.sizes(self.tensors[v]) for v in inputs]
            return self.facts.table.broadcasts_to(shapes, shape)

        def enough_registers(group: Group[int], members: Sequence[int]) -> bool:
            return self._enough_registers(group, [numbers[i] for i in members])

        kernels: list[KernelPlan] = []
        for group in plan_fusion(nodes, stored, views, limits, broadcast_to, enough_registers, cut):
            members = tuple(numbers[i] for i in sorted(group.nodes))
            kernels += self._within_registers(group, members, limits)
        return kernels

    def _enough_registers(self, group: Group[int], numbers: Sequence[int]) -> bool:
        """Whether the nodes `numbers` of a group fit a kernel within the target's registers."""
        if self._too_many_phases(numbers):
            return False
        nodes = [self.nodes[n] for n in numbers]
        registers = self.target.vector_registers
        # Few instructions fit, unless special instructions divide the registers among strips.
        few = sum(node.weight for node in nodes) <= registers - MAX_TEMPORARIES
        if few and not any(node.slow for node in nodes):
            return True
        values = {node.value for node in nodes}
        key = tuple(numbers), tuple(v for v in group.outputs if v in values)

        def answer() -> bool:
            inputs = {v: None for node in nodes for v in node.inputs if v not in values}
            return self._fits(KernelPlan(key[0], tuple(inputs), key[1]))

        return self.enough.get(key, answer)

    def _too_many_phases(self, numbers: Sequence[int]) -> bool:
        """Whether the nodes `numbers` certainly need more phases than a kernel has.

        The first nodes of a long chain are enough to show that. The order does not matter, because
        all nodes are needed, and the expansion of a node is never smaller than alone.
        """
        if not self.flowless.isdisjoint(numbers):
            return False
        most = 2 * (max(self.pipe.registers) - 1)
        flows = [flow for n in numbers if (flow := self.flows[n]) is not None]
        # A special instruction is at most one step after its operands, and so is its reader.
        if 2 * sum([flow.specials for flow in flows]) <= most:
            return False
        steps: dict[int, int] = {}
        for number, flow in zip(numbers, flows, strict=True):
            region = self.regions[number]
            step = flow.step([steps.get(v, 0) for v in region.inputs])
            if step > most:
                return True
            steps[self.nodes[number].value] = step
        return False

    def _fits(self, kernel: KernelPlan) -> bool:
        """Whether a kernel has an order within the phases and registers of the target.

        Layers of a program repeat, so many kernels have the same body.
        """
        if self._too_many_phases(kernel.numbers):
            return False
        body, yielded = self._joined(kernel)
        key = len(kernel.inputs), tuple(body.numbers), tuple(yielded)

        def answer() -> bool:
            body.order(yielded)
            return fits(body.instructions([body.values[v] for v in kernel.outputs]), self.pipe)

        return self.fitting.get(key, answer)

    def _joined(self, kernel: KernelPlan) -> tuple[Body[int], list[int]]:
        """Join the regions of a kernel's nodes; return the body and what it yields."""
        body = Body(self.reader, kernel.inputs)
        for number in kernel.numbers:
            body.add(self.regions[number], (self.nodes[number].value,))
        return body, [body.values[v] for v in kernel.outputs]

    def body(self, kernel: KernelPlan) -> tuple[Body[int], list[int]]:
        """Return the body of a kernel in the order of its program, and what it yields."""
        body, yielded = self._joined(kernel)
        body.order(yielded)
        return body, [body.values[v] for v in kernel.outputs]

    def _within_registers(
        self, group: Group[int], numbers: tuple[int, ...], limits: Limits
    ) -> list[KernelPlan]:
        """Return one kernel, or several if it needs too many registers or phases."""
        if len(numbers) == 1:
            _check_limits(group, self.applies[numbers[0]], limits)
        kernel = KernelPlan(numbers, tuple(sorted(group.inputs)), tuple(sorted(group.outputs)))
        if self._fits(kernel):
            return [kernel]
        first, *others = numbers
        if others:
            return self.plan_nodes(numbers, set(kernel.outputs), len(numbers) // 2)
        op = self.applies[first]
        body, yielded = self.body(kernel)
        phases, most = least_phases(body.instructions(yielded)), max(self.pipe.registers)
        if phases > most:
            raise _too_much(
                op,
                f"needs {phases} phases of lane and special instructions, a kernel has {most} at "
                "most",
                "write it as several operations",
            )
        raise _too_small(op, "more registers", f"{self.target.vector_registers} vector registers")


def _is_static(shape: Sequence[Size]) -> bool:
    return not any(isinstance(size, str) for size in shape)


def _is_view(op: Operation) -> bool:
    return isinstance(op, ReshapeOp | TableOp | tensor.CastOp)


def _check_limits(group: Group[int], apply: ApplyOp, limits: Limits) -> None:
    if group.streams > limits.inputs:
        raise _too_small(apply, f"{group.streams} input streams", limits.inputs)
    if group.words > limits.words:
        raise _too_small(apply, f"{group.words + HALT_WORDS} words", limits.words + HALT_WORDS)


def _too_small(op: ApplyOp, needs: str, has: int | str) -> LocatedError:
    return _too_much(op, f"needs {needs}, the target has {has}", "compile for a larger target")


def _too_much(op: ApplyOp, why: str, hint: str) -> LocatedError:
    name = ", ".join(name.data for name in op.source)
    return error_at(op, f"'{name}' alone {why}", hint)
