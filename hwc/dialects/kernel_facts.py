"""Facts about symbols and tensors, from the shape program of a function at the kernel stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from hwc.dialects import strip
from hwc.dialects.kernel import ApplyOp, ChooseOp
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.kernel_sizes import SizeOp, size_ops
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, SizeConflict, SymbolTable, View
from hwc.shapes.steps import Dim


@dataclass
class Facts:
    """The symbols of a function, and the view that each of its tensor values is.

    The root of a view is the value whose elements are in memory: an argument, a constant or the
    result of a kernel. Casts and reshapes are views.
    """

    table: SymbolTable
    views: dict[SSAValue, View[SSAValue]]

    @staticmethod
    def of(block: Block) -> Facts:
        """Replay the shape program of a function's block and note the views that its tensors are.

        Raises:
            LocatedError: a symbol is used before it is defined, a tensor has no sizes, or the steps
                contradict each other.
        """
        table = replay(block)
        return Facts(table, _views(block, table))

    def sizes(self, value: SSAValue) -> tuple[Size, ...]:
        """Return the sizes of a tensor value, with the names that the operations use."""
        return self.views[value].sizes

    def show(self, value: SSAValue, source: SSAValue, sizes: Sequence[Size]) -> None:
        """Note that `value` has the elements of `source` in row-major order, with other sizes."""
        self.views[value] = View.dense(self.views[source].root, sizes)

    def store(self, value: SSAValue, sizes: Sequence[Size]) -> None:
        """Note that `value` is, or will be, in memory as its own tensor."""
        self.views[value] = View.dense(value, sizes)


def replay(block: Block) -> SymbolTable:
    """Return the symbol table that a function's shape program describes.

    Raises:
        LocatedError: a step is inconsistent, or no sizes satisfy all steps.
    """
    table = SymbolTable()
    known: set[str] = set()
    ranks = [a.type.get_num_dims() if isinstance(a.type, TensorType) else 0 for a in block.args]
    op: SizeOp | None = None
    try:
        for op in size_ops(block):
            for problem in op.step.problems(known, ranks):
                raise error_at(op, problem)
            op.step.replay(table)
            known.update(op.step.symbols)
        table.canonicalize()
    except SizeConflict as conflict:
        assert op is not None, "without steps there is nothing to contradict"
        raise error_at(op, f"the steps require a size to be both {conflict}") from None
    return table


def _check_known(op: Operation, sizes: Iterable[Size], table: SymbolTable) -> None:
    for size in sizes:
        if table.is_new(size):
            raise error_at(op, f"symbol '{size}' is not defined by any step")


def _views(block: Block, table: SymbolTable) -> dict[SSAValue, View[SSAValue]]:
    """Return the view that each tensor value of a function at the kernel stage is."""
    symbols = {
        (step.argument, step.dimension): step.result
        for step in (op.step for op in size_ops(block))
        if isinstance(step, Dim)
    }
    facts = Facts(table, {})
    for number, argument in enumerate(block.args):
        facts.store(argument, _argument_sizes(block, number, symbols))
    for op in with_alternatives(block):
        if isinstance(op, ApplyOp | ChooseOp):
            for result, shape in zip(op.results, op.shapes, strict=True):
                facts.store(result, shape)
        elif isinstance(op, strip.KernelOp):
            for result, shape in zip(op.results, op.output_shapes, strict=True):
                assert isinstance(result.type, TensorType)
                facts.store(result, (1,) * (result.type.get_num_dims() - len(shape)) + shape)
        elif isinstance(op, arith.ConstantOp) and isinstance(op.result.type, TensorType):
            facts.store(op.result, op.result.type.get_shape())
        elif isinstance(op, HostOp):
            facts.store(op.result, op.shape)
            _check_known(op, op.values or (), table)
        elif isinstance(op, tensor.CastOp):
            facts.views[op.dest] = facts.views[op.source]
        elif isinstance(op, ReshapeOp | TableOp):
            facts.show(op.view, op.operands[0], op.shape)
        else:
            continue
        for result in op.results:
            _check_known(op, facts.sizes(result), table)
    return facts.views


def with_alternatives(block: Block) -> Iterator[Operation]:
    """Yield the operations of a function's block in order; a choice comes after its contents."""
    for op in block.ops:
        if isinstance(op, ChooseOp):
            for alternative in op.blocks:
                yield from alternative.ops
        yield op


def _argument_sizes(
    block: Block, number: int, symbols: Mapping[tuple[int, int], str]
) -> tuple[Size, ...]:
    kind = block.args[number].type
    function = block.parent_op()
    assert function is not None
    if not isinstance(kind, TensorType):
        raise error_at(function, f"argument {number} is not a ranked tensor")
    sizes: list[Size] = []
    for dimension, size in enumerate(kind.get_shape()):
        if size != DYNAMIC:
            sizes.append(size)
        elif (number, dimension) in symbols:
            sizes.append(symbols[number, dimension])
        else:
            raise error_at(function, f"dimension {dimension} of argument {number} has no symbol")
    return tuple(sizes)
