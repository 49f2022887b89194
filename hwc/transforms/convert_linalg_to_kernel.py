"""From `linalg.generic` over broadcast views to kernels, symbols and the shape program.

Each `linalg.generic` becomes its own `kernel.apply` on the operands before broadcasting; fusion
comes later. `linalg_sizes.py` finds the symbols and the steps of the shape program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i8,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects import views
from hwc.dialects.building import discard, operations_of, string_attr, tensor_type
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.dialects.sizes import sizes_attr
from hwc.dialects.tensor_types import is_machine_tensor
from hwc.dialects.views import source_of
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, View, strip_ones
from hwc.transforms.linalg_sizes import LinalgSizes, Pending
from hwc.transforms.target_option import as_target
from isa.target import Target


@dataclass
class _Kernels:
    """The operations of a function at stage `kernel` under construction.

    For each root, `values` has the value for each of its views: first the root itself, then views
    that an operation reads. A view that no operation of the source made becomes a `kernel.reshape`
    when it is first read. `reads` counts how often a root will still be read; after that it is
    forgotten, and the operation of the source that made it is freed.
    """

    found: LinalgSizes
    streams: int
    block: Block
    values: dict[SSAValue, dict[View[SSAValue], SSAValue]] = field(default_factory=dict)
    reads: Counter[SSAValue] = field(default_factory=Counter)
    complete: dict[tuple[tuple[tuple[Size, ...], ...], tuple[Size, ...]], bool] = field(
        default_factory=dict
    )
    """Answers found so far: whether inputs with given sizes determine an iteration space."""

    def rebuild(self) -> None:
        """Replace the operations of the function's block by kernels."""
        for op in self.found.walk():
            self._release(op)
        returned = tuple(self.last.operands)
        self.last.operands = ()
        self._release_others(returned)
        self.reads.update(view.root for item in self.found.pending for view in item.operands)
        self.reads.update(self.found.views[value].root for value in returned)
        old = operations_of(self.block)[:-1]
        for step in self.found.required.steps:
            self._insert(step)
        for argument in self.block.args:
            self._hold(self.found.views[argument], argument)
        kept = {
            op: None
            for op in old
            if isinstance(op, arith.ConstantOp) and is_machine_tensor(op.result.type)
        }
        for op in kept:
            self._hold(self.found.views[op.result], op.result)
            op.detach()
            self._insert(op)
        for value, elements in self.found.filled.items():
            self._fill(value, elements)
        pending = self.found.pending[::-1]
        self.found.pending.clear()
        while pending:
            item = pending.pop()
            self._add(item)
            discard(item.op)
            self._forget_read(item)
        self._return(returned)
        for op in reversed(old):
            if op.parent is self.block and op not in kept:
                discard(op)

    @property
    def last(self) -> func.ReturnOp:
        """The return, which stays; all new operations are inserted before it."""
        last = self.block.last_op
        assert isinstance(last, func.ReturnOp)
        return last

    def _release(self, op: Operation) -> None:
        """Drop the operands of an operation that waits, and the views that nothing else reads."""
        if not self.found.pending or self.found.pending[-1].op is not op:
            return
        read = tuple(op.operands)
        op.operands = ()
        for owner in {value.owner for value in read}:
            if isinstance(owner, views.BroadcastOp | tensor.EmptyOp) and _is_unused(owner):
                self.found.forget(owner)
                discard(owner)

    def _release_others(self, returned: Iterable[SSAValue]) -> None:
        """Remove the other operations that only gave sizes."""
        found, block = self.found, self.block
        constants = [op.result for op in block.ops if isinstance(op, arith.ConstantOp)]
        found.forget_others([*block.args, *constants, *found.filled, *returned])
        needed: set[Operation] = {self.last, *(item.op for item in found.pending)}
        for op in reversed(operations_of(block)):
            if _is_unused(op) and op not in needed and not isinstance(op, arith.ConstantOp):
                discard(op)

    def _hold(self, view: View[SSAValue], value: SSAValue) -> None:
        if view.root in self.reads:
            self.values.setdefault(view.root, {})[view] = value

    def _forget_read(self, item: Pending) -> None:
        for view in item.operands:
            self.reads[view.root] -= 1
            if not self.reads[view.root]:
                del self.reads[view.root]
                self.values.pop(view.root, None)

    def _fill(self, value: SSAValue, elements: Sequence[Size] | None) -> None:
        """Add a tensor that the host fills, or a constant if all its elements are known."""
        view = self.found.views[value]
        sizes = self.found.table.resolve_shape(view.sizes)
        kind = TensorType(cast("TensorType[Attribute]", value.type).element_type, _static(sizes))
        known = [0] if elements is None and sizes == (1,) else elements
        if known is not None:
            known = self.found.table.resolve_shape(known)
        if known is not None and all(isinstance(element, int) for element in known):
            numbers = DenseIntOrFPElementsAttr.from_list(cast("Any", kind), cast("Any", known))
            new: Operation = arith.ConstantOp(numbers)
        else:
            new = HostOp(kind, sizes, known)
        new.results[0].name_hint = value.name_hint
        self._hold(view, self._append(new, cast("Operation", value.owner)))

    def _add(self, item: Pending) -> None:
        sizes = self.found.table.resolve_shape(item.result.sizes)
        operands = [self._read(view, item.op) for view in item.operands]
        if isinstance(item.op, linalg.GenericOp):
            inputs = len(operands)
            given = tuple([view.sizes for view in item.operands])
            operands += self._givers(given, sizes, item.op)
            new = _apply(item.op, operands, inputs, sizes)
        elif isinstance(item.op, views.TableOp):
            new = TableOp(operands[0])
        else:
            new = _reshape(operands[0], sizes, item.op)
        self._append(new, item.op)
        new.results[0].name_hint = item.op.results[0].name_hint
        self._hold(item.result, new.results[0])

    def _insert(self, new: Operation) -> None:
        """Insert an operation before the return.

        It is inserted as soon as it is made. CPython stores an object's attributes compactly only
        if the first few instances of its class have all of them, and an operation has no links
        until it is in a block.
        """
        self.block.insert_op_before(new, self.last)

    def _append(self, new: Operation, old: Operation) -> SSAValue:
        new.location = old.location
        self._insert(new)
        return new.results[0]

    def _read(self, view: View[SSAValue], user: Operation) -> SSAValue:
        """Return the value that shows `view`."""
        values = self.values[view.root]
        if view not in values:
            sizes = self.found.table.resolve_shape(view.sizes)
            root = next(iter(values.values()))
            values[view] = self._append(_reshape(root, sizes, user), user)
        return values[view]

    def _givers(
        self, given: tuple[tuple[Size, ...], ...], sizes: tuple[Size, ...], user: Operation
    ) -> list[SSAValue]:
        """Return tensors whose sizes complete the iteration space; their elements are never read.

        The iteration space of a kernel is the broadcast of its inputs' sizes. Where `linalg`
        repeats all inputs in a dimension, no input has the size of that dimension. Then a kernel
        without inputs writes an i8 tensor that has the size. There is one such tensor for each
        dimension. If the target has too few streams, the first tensor has the sizes of several
        dimensions: the outermost ones, which are usually the smallest.
        """
        table = self.found.table
        complete = self.complete.get((given, sizes))
        if complete is None:
            complete = not given or table.broadcasts_to(given, sizes)
            self.complete[given, sizes] = complete
        if complete:
            return []
        rank = len(sizes)
        padded = [(1,) * (rank - len(shape)) + shape for shape in given]
        missing = [
            dimension
            for dimension, size in enumerate(sizes)
            if table.find_broadcast([shape[dimension] for shape in padded]) != size
        ]
        last = max(0, len(missing) - max(1, self.streams - len(given)))
        groups = [missing[: last + 1], *([dimension] for dimension in missing[last + 1 :])]
        return [
            self._giver([size if d in group else 1 for d, size in enumerate(sizes)], user)
            for group in groups
        ]

    def _giver(self, sizes: list[Size], user: Operation) -> SSAValue:
        """Add a kernel that writes an i8 tensor with these sizes, without leading 1s."""
        shape = strip_ones(sizes)
        block = Block()
        zero = arith.ConstantOp(IntegerAttr(0, i8))
        block.add_ops([zero, YieldOp([zero.result])])
        kernel = ApplyOp.build_from(
            [], [tensor_type(i8, _static(shape))], [shape], [source_of(user)], block
        )
        return self._append(kernel, user)

    def _return(self, values: Sequence[SSAValue]) -> None:
        """Replace the return by one of the new values, in the types of the old ones."""
        returned: list[SSAValue] = []
        for value in values:
            new_value = self._read(self.found.views[value], self.last)
            if new_value.type != value.type:
                back = tensor.CastOp(new_value, cast("TensorType[Attribute]", value.type))
                new_value = self._append(back, self.last)
            returned.append(new_value)
        self.last.operands = returned


def _is_unused(op: Operation) -> bool:
    return not any(result.first_use for result in op.results)


def _static(sizes: tuple[Size, ...]) -> tuple[int, ...]:
    """Return sizes in the form that a tensor type uses."""
    return tuple([size if isinstance(size, int) else DYNAMIC for size in sizes])


def _reshape(value: SSAValue, sizes: tuple[Size, ...], source: Operation) -> Operation:
    kind = tensor_type(cast("TensorType[Attribute]", value.type).get_element_type(), _static(sizes))
    return ReshapeOp(value, kind, sizes_attr(sizes), string_attr(source_of(source)))


def _apply(
    op: linalg.GenericOp, operands: list[SSAValue], inputs: int, sizes: tuple[Size, ...]
) -> Operation:
    """Return the kernel that `op` becomes; operands after the first `inputs` only give sizes."""
    element = cast("TensorType[Attribute]", op.results[0].type).get_element_type()
    region = op.regions[0]
    body = region.block
    _finish_block(op, body, inputs)
    for giver in operands[inputs:]:
        body.insert_arg(
            cast("TensorType[Attribute]", giver.type).get_element_type(), len(body.args)
        )
    kind = tensor_type(element, _static(sizes))
    return ApplyOp.build_from(operands, [kind], [sizes], [source_of(op)], op.detach_region(region))


def _finish_block(generic: linalg.GenericOp, body: Block, inputs: int) -> None:
    """Turn the block of a `linalg.generic` into a kernel's: no output arguments, no captures."""
    for extra in list(body.args)[inputs:]:
        if extra.uses.get_length():
            raise error_at(generic, "'linalg.generic' reads the output it overwrites")
        body.erase_arg(extra)
    captured: dict[SSAValue, SSAValue] = {}
    for op in operations_of(body):
        for i, value in enumerate(op.operands):
            owner = value.owner
            if isinstance(owner, Block) or owner.parent is body:
                continue
            if value not in captured:
                if not isinstance(owner, arith.ConstantOp):
                    raise error_at(op, f"'{op.name}' captures a value that is not a constant")
                copy = owner.clone()
                assert body.first_op is not None
                body.insert_op_before(copy, body.first_op)
                captured[value] = copy.results[0]
            op.operands[i] = captured[value]
    end = body.last_op
    assert isinstance(end, linalg.YieldOp)
    values = tuple(end.operands)
    discard(end)
    body.add_op(YieldOp(values))


@dataclass(frozen=True)
class ConvertLinalgToKernel(ModulePass):
    """Make every `linalg.generic` a kernel, for a target, and state the shape program."""

    name = "convert-linalg-to-kernel"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that has a body."""
        streams = as_target(self.target).input_streams
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _Kernels(LinalgSizes(function), streams, function.body.block).rebuild()
