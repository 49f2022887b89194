"""From fused kernels to streams, one strip loop and the machine's instructions on SSA values."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hwc.backend.selection import BlockEmitter, Constant, Operand, check_types, expand
from hwc.dialects import kernel, strip
from hwc.dialects.building import discard, operations_of
from hwc.dialects.kernel_facts import Facts, with_alternatives
from hwc.dialects.kernel_views import TableOp
from hwc.shapes import Size, strip_ones


def _body(apply: kernel.ApplyOp, table: SSAValue | None) -> Block:
    """Return the body of a kernel's strip loop; the argument for its table is not a stream."""
    source = apply.body.block
    streams = [a for a, v in zip(source.args, apply.inputs, strict=True) if v is not table]
    block = Block(arg_types=[strip.register(f"s{i}") for i in range(len(streams))])
    emitter = BlockEmitter(block)
    values: dict[SSAValue, Operand] = dict(zip(streams, block.args, strict=True))
    values.update({a: Constant(0) for a in source.args if a not in values})
    for op in source.ops:
        if not isinstance(op, kernel.YieldOp):
            check_types(op)
            first = block.last_op
            values[op.results[0]] = expand(emitter, op, [values[v] for v in op.operands])
            _locate(block, first, op)
    outputs = [values[v] for v in apply.yielded]
    block.add_op(strip.YieldOp(_write_outputs(emitter, outputs)))
    return block


def _locate(block: Block, after: Operation | None, source: Operation) -> None:
    """Give the operations after `after` the location of their source operation."""
    op = block.first_op if after is None else after.next_op
    while op is not None:
        op.location = source.location
        op = op.next_op


def _write_outputs(emitter: BlockEmitter, outputs: list[Operand]) -> list[SSAValue]:
    """Return one value per output stream; the instruction that computes it writes the stream.

    A stream, a constant, or a value that is also read elsewhere is copied first. The copy follows
    the value's own instruction directly.
    """
    stored: list[SSAValue] = []
    for value in outputs:
        if isinstance(value, Constant) or isinstance(value.owner, Block):
            stored.append(emitter.append("mov", [value]))
        elif value.uses.get_length() == 0 and outputs.count(value) == 1:
            stored.append(value)
        else:
            move = strip.INSTRUCTIONS["mov"](value)
            emitter.block.insert_op_after(move, value.owner)
            stored.append(move.result)
    return stored


def _fill(apply: kernel.ApplyOp, table: TableOp, facts: Facts) -> strip.KernelOp:
    """Return the kernel that fills the table; it also writes a copy, as every kernel must write."""
    block = Block(arg_types=[strip.register("s0")])
    fill = BlockEmitter(block).append("fill", [block.args[0]])
    block.add_op(strip.YieldOp([fill]))
    sizes = (facts.table.resolve_shape(facts.sizes(table.table)),)
    types = [table.table.type]
    new = strip.KernelOp.build_from([table.table], types, (sizes, sizes), ["table"], block)
    for op in (new, *block.ops):
        op.location = apply.location
    return new


def _convert(apply: kernel.ApplyOp, table: TableOp | None, facts: Facts) -> strip.KernelOp:
    named = None if table is None else table.view
    inputs = kernel.stream_inputs(apply)

    def streams(shapes: list[tuple[Size, ...]]) -> strip.Shapes:
        # The hardware pads with leading 1s, so the streams do not need them.
        return tuple([strip_ones(facts.table.resolve_shape(shape)) for shape in shapes])

    sizes = streams([facts.sizes(v) for v in inputs]), streams(apply.shapes)
    types = [r.type for r in apply.results]
    source = [name.data for name in apply.source.data]
    new = strip.KernelOp.build_from(inputs, types, sizes, source, _body(apply, named))
    new.location = apply.location
    return new


def _replace(old: kernel.ApplyOp, new: strip.KernelOp, facts: Facts) -> None:
    Rewriter.insert_op(new, InsertPoint.before(old))
    for before, after in zip(old.results, new.results, strict=True):
        after.name_hint = before.name_hint
        facts.store(after, facts.sizes(before))
        before.replace_all_uses_with(after)
    discard(old)


@dataclass(frozen=True)
class ConvertKernelToStrip(ModulePass):
    """Select the instructions of every kernel."""

    name = "convert-kernel-to-strip"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert the kernels of every function that has a body."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                block = function.body.block
                facts = Facts.of(block)
                for old in list(with_alternatives(block)):
                    if isinstance(old, kernel.ApplyOp):
                        table = kernel.table_of(old)
                        if table is not None:
                            fill = _fill(old, table, facts)
                            Rewriter.insert_op(fill, InsertPoint.before(old))
                            facts.store(fill.results[0], facts.sizes(table.table))
                        _replace(old, _convert(old, table, facts), facts)
                for old in operations_of(block):
                    if isinstance(old, TableOp):
                        discard(old)
