"""From `linalg.generic` over broadcast views to kernels, symbols and the shape program.

Each `linalg.generic` becomes a `kernel.apply` of its own on the operands before broadcasting;
fusion comes later. `linalg_sizes.py` finds the symbols and the steps of the shape program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.kernel import ApplyOp, ReshapeOp, YieldOp
from hwc.dialects.sizes import sizes_attr
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, View
from hwc.transforms.linalg_sizes import LinalgSizes, Pending, source_of


def _rebuild(block: Block, found: LinalgSizes) -> None:
    """Replace the operations of a function's block by kernels."""
    values: dict[View[SSAValue], SSAValue] = {found.views[a]: a for a in block.args}
    operations: list[Operation] = list(found.steps)
    for op in block.ops:
        if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, TensorType):
            values[found.views[op.result]] = op.result
            operations.append(op)
    for item in found.pending:
        sizes = found.table.resolve_shape(item.result.sizes)
        operands = [values[view] for view in item.operands]
        new = _new_operation(item, operands, sizes)
        new.location = item.op.location
        new.results[0].name_hint = item.op.results[0].name_hint
        values[item.result] = new.results[0]
        operations.append(new)
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    returned: list[SSAValue] = []
    for value in last.operands:
        new_value = values[found.views[value]]
        if new_value.type != value.type:
            back = tensor.CastOp(new_value, cast("TensorType[Attribute]", value.type))
            back.location = last.location
            operations.append(back)
            new_value = back.dest
        returned.append(new_value)
    leave = func.ReturnOp(*returned)
    leave.location = last.location
    _replace(block, [*operations, leave])


def _new_operation(item: Pending, operands: list[SSAValue], sizes: tuple[Size, ...]) -> Operation:
    old = cast("TensorType[Attribute]", item.op.results[0].type)
    shape = [s if isinstance(s, int) else DYNAMIC for s in sizes]
    kind = TensorType(old.get_element_type(), shape)
    if not isinstance(item.op, linalg.GenericOp):
        return ReshapeOp(operands[0], kind, sizes_attr(sizes), StringAttr(source_of(item.op)))
    body = item.op.body.block
    _finish_block(item.op, body, len(operands))
    item.op.body.detach_block(body)
    return ApplyOp.build_from(operands, [kind], [sizes], [source_of(item.op)], body)


def _finish_block(generic: linalg.GenericOp, body: Block, inputs: int) -> None:
    """Make a `linalg.generic`'s block a kernel's: no output arguments, nothing captured."""
    for extra in list(body.args)[inputs:]:
        if extra.uses.get_length():
            raise error_at(generic, "'linalg.generic' reads the output it overwrites")
        body.erase_arg(extra)
    captured: dict[SSAValue, SSAValue] = {}
    for op in list(body.ops):
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
    values = list(end.operands)
    end.detach()
    end.erase()
    body.add_op(YieldOp(values))


def _replace(block: Block, ops: list[Operation]) -> None:
    """Make `ops` the block's operations; the others are erased."""
    keep = set(ops)
    for op in list(block.ops):
        op.detach()
        if op not in keep:
            op.drop_all_references()
    block.add_ops(ops)


@dataclass(frozen=True)
class ConvertLinalgToKernel(ModulePass):
    """Make every `linalg.generic` a kernel and state the shape program."""

    name = "convert-linalg-to-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that has a body."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _rebuild(function.body.block, LinalgSizes.of(function))
