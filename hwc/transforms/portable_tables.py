"""Reads of a table in upstream dialects: `tensor.extract` of the table, as upstream lowers TOSA."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, Operation, Region, SSAValue

from hwc.dialects.scalars import LookupOp, TableReadOp
from hwc.dialects.upstream_casts import IndexCastOp
from hwc.dialects.views import TableOp
from hwc.frontend.diagnostics import error_at
from hwc.transforms.portable_builder import Builder

_FRACTION_BITS = 7


def read_table(op: TableReadOp) -> SSAValue:
    """Return the value of a table read; the operations are inserted in front of the read."""
    generic, argument = op.parent_op(), op.table
    assert op.parent is not None
    table = None
    if isinstance(generic, linalg.GenericOp) and isinstance(argument, BlockArgument):
        table = generic.operands[argument.index].owner
    if not isinstance(table, TableOp):
        raise error_at(op, f"'{op.name}' reads a table that is no result of 'hwc.table'")
    build = Builder(op.parent, op)

    def number(value: int) -> SSAValue:
        return build.add(arith.ConstantOp(IntegerAttr(value, i32)))

    def entry(position: SSAValue) -> SSAValue:
        index = build.add(IndexCastOp(position, IndexType()))
        return build.add(tensor.ExtractOp(table.table, [index], op.table.type))

    value = build.add(arith.ExtSIOp(op.value, i32))
    if isinstance(op, LookupOp):
        return entry(build.add(arith.AddiOp(value, number(128))))
    position = build.add(arith.AddiOp(value, number(1 << 15)))
    bits = number(_FRACTION_BITS)
    index = build.add(arith.ShRUIOp(position, bits))
    fraction = build.add(arith.AndIOp(position, number((1 << _FRACTION_BITS) - 1)))
    base = build.add(arith.ExtSIOp(entry(index), i32))
    following = build.add(arith.AddiOp(index, number(1)))
    after = build.add(arith.ExtSIOp(entry(following), i32))
    difference = build.add(arith.SubiOp(after, base))
    part = build.add(arith.MuliOp(difference, fraction))
    return build.add(arith.AddiOp(build.add(arith.ShLIOp(base, bits)), part))


def drop_tables(operations: Sequence[Operation]) -> None:
    """Remove tables, which nothing reads by name any more, from the inputs of `linalg.generic`."""
    tables = [op for op in operations if isinstance(op, TableOp)]
    for generic in {use.operation: None for table in tables for use in table.view.uses}:
        assert isinstance(generic, linalg.GenericOp)
        block = generic.body.block
        kept = [
            number
            for number, value in enumerate(generic.inputs)
            if not isinstance(value.owner, TableOp)
        ]
        for number in reversed(range(len(generic.inputs))):
            if number not in kept:
                block.erase_arg(block.args[number])
        generic.body.detach_block(block)
        maps = generic.indexing_maps.data
        new = linalg.GenericOp(
            [generic.inputs[number] for number in kept],
            list(generic.outputs),
            Region(block),
            ArrayAttr([*(maps[number] for number in kept), *maps[len(generic.inputs) :]]),
            generic.iterator_types,
            [result.type for result in generic.results],
        )
        assert generic.parent is not None
        Builder(generic.parent, generic).insert(new)
        for old, result in zip(generic.results, new.results, strict=True):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        generic.detach()
        generic.erase()
    for table in tables:
        table.detach()
        table.erase()
