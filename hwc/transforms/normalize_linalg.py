"""`linalg` as people write it becomes `linalg.generic` as stage `linalg` has it.

That is one result, which the loops write in row-major order and do not read; and no value from
outside of the region, constants apart: scalars are inputs. An operation with several results
becomes as many, and fusion joins what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.transforms.generic_builder import Add, GenericBuilder, Indices, ScalarBody
from hwc.transforms.linalg_forms import Form, form_of, is_structured


def _renamed(mapping: AffineMap, numbers: dict[int, int]) -> AffineMap:
    """Return `mapping` with its loops called by other numbers."""
    results = tuple(
        AffineExpr.dimension(numbers[e.position]) if isinstance(e, AffineDimExpr) else e
        for e in mapping.results
    )
    return AffineMap(mapping.num_dims, 0, results)


def _loop_numbers(mapping: AffineMap) -> dict[int, int]:
    """Return the number of each loop if the loops are in the order in which `mapping` has them."""
    loops = [e.position for e in mapping.results if isinstance(e, AffineDimExpr)]
    return {loop: number for number, loop in enumerate(loops)}


def _result(form: Form, number: int, build: GenericBuilder) -> SSAValue:
    """Insert the operation that computes one result."""
    destination, mapping = form.outputs[number]
    numbers = _loop_numbers(mapping)
    scalar = AffineMap(form.loops, 0, ())
    counts = ((_numbers(size, build), _of_loop(form.loops, loop)) for loop, size in form.counters)
    captured = ((value, scalar) for value in form.captured)
    operands = [*form.inputs, *form.outputs, *captured, *counts]
    read = sorted(form.reads[number])
    inputs = [(operands[i][0], _renamed(operands[i][1], numbers)) for i in read]

    def compute(scalars: Sequence[SSAValue], add: Add) -> SSAValue:
        given = dict(zip(read, scalars, strict=True))
        # The body does not look at the others.
        return form.bodies[number]([given.get(i, destination) for i in range(len(operands))], add)

    return build.generic(inputs, destination, compute)


def _numbers(size: int, build: GenericBuilder) -> SSAValue:
    """Insert the constant 0, 1, 2, ..."""
    type_ = TensorType(i32, [size])
    return build.add(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, range(size))))


def _of_loop(loops: int, loop: int) -> AffineMap:
    return AffineMap(loops, 0, (AffineExpr.dimension(loop),))


def _splat(op: tensor.SplatOp, build: GenericBuilder) -> SSAValue:
    """Insert the operation that repeats a scalar."""
    type_ = op.result.type
    assert isinstance(type_, TensorType)
    destination = build.add(tensor.EmptyOp(op.dynamicSizes, type_))
    repeat: ScalarBody = lambda scalars, add: scalars[0]  # noqa: E731
    return build.generic([(op.input, AffineMap(type_.get_num_dims(), 0, ()))], destination, repeat)


@dataclass(frozen=True)
class NormalizeLinalg(ModulePass):
    """Give every element-wise operation of `linalg` the one form that stage `linalg` has."""

    name = "normalize-linalg"

    def has_work(self, module: ModuleOp) -> bool:
        """Whether there is an operation of `linalg`, or a splat."""
        return any(is_structured(op) or isinstance(op, tensor.SplatOp) for op in module.walk())

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        for function in op.walk():
            if isinstance(function, FuncOp) and function.body.blocks:
                _normalize(function)


def _normalize(function: FuncOp) -> None:
    block = function.body.block
    indices = Indices(block)
    for op in list(block.ops):
        build = GenericBuilder(op, indices)
        if isinstance(op, tensor.SplatOp):
            _replace(op, [_splat(op, build)])
        elif is_structured(op):
            form = form_of(op)
            _replace(op, [_result(form, i, build) for i in range(len(form.outputs))])
    for op in reversed(list(block.ops)):
        if isinstance(op, tensor.EmptyOp) and not op.tensor.uses.get_length():
            op.detach()
            op.erase()


def _replace(op: Operation, values: list[SSAValue]) -> None:
    for result, value in zip(op.results, values, strict=True):
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()
