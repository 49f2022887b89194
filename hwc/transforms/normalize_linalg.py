"""Turns hand-written `linalg` into `linalg.generic` in the form of stage `linalg`.

In that form, an operation has one result, which the loops write in row-major order and do not read.
The region uses no value from outside except constants: scalars are inputs. The values of a
`linalg.index` are an input too, from an operation that writes 0, 1, 2, ... . An operation with
several results becomes one operation for each result, and fusion joins the parts that they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ModuleOp, TensorType, i32
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.dialects.building import operations_of
from hwc.dialects.upstream_casts import IndexCastOp
from hwc.transforms.generic_builder import Add, GenericBuilder, Indices, ScalarBody
from hwc.transforms.linalg_forms import Form, form_of, is_structured


def _renamed(mapping: AffineMap, numbers: dict[int, int]) -> AffineMap:
    """Return `mapping` with its loops renumbered."""
    results = tuple(
        AffineExpr.dimension(numbers[e.position]) if isinstance(e, AffineDimExpr) else e
        for e in mapping.results
    )
    return AffineMap(mapping.num_dims, 0, results)


def _loop_numbers(mapping: AffineMap) -> dict[int, int]:
    """Return the number of each loop when the loops are in the order of `mapping`."""
    loops = [e.position for e in mapping.results if isinstance(e, AffineDimExpr)]
    return {loop: number for number, loop in enumerate(loops)}


def _result(form: Form, number: int, build: GenericBuilder) -> SSAValue:
    """Insert the operation that computes one result."""
    destination, mapping = form.outputs[number]
    numbers = _loop_numbers(mapping)
    scalar = AffineMap(form.loops, 0, ())
    tensors = [*form.inputs, *form.outputs, *((value, scalar) for value in form.captured)]
    count = len(tensors) + len(form.counters)
    read = sorted(form.reads[number])
    operands = (
        tensors[i] if i < len(tensors) else _positions(form, form.counters[i - len(tensors)], build)
        for i in read
    )
    inputs = [(value, _renamed(mapping, numbers)) for value, mapping in operands]

    def compute(scalars: Sequence[SSAValue], add: Add) -> SSAValue:
        given = dict(zip(read, scalars, strict=True))
        # The body does not read the other values.
        return form.bodies[number]([given.get(i, destination) for i in range(count)], add)

    return build.generic(inputs, destination, compute)


def _positions(form: Form, loop: int, build: GenericBuilder) -> tuple[SSAValue, AffineMap]:
    """Insert the tensor 0, 1, 2, ... with the length of a loop; return it, indexed by the loop."""
    destination, mapping = form.outputs[0]
    expression = AffineExpr.dimension(loop)
    dimension = mapping.results.index(expression)
    assert isinstance(destination.type, TensorType)
    size = destination.type.get_shape()[dimension]
    dynamic = [build.add(tensor.DimOp(destination, build.indices(dimension)))] * (size == DYNAMIC)
    empty = build.add(tensor.EmptyOp(dynamic, TensorType(i32, [size])))

    def compute(_: Sequence[SSAValue], add: Add) -> SSAValue:
        return add(IndexCastOp(add(linalg.IndexOp(0)), i32))

    return build.generic([], empty, compute), AffineMap(form.loops, 0, (expression,))


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
    for op in operations_of(block):
        build = GenericBuilder(op, indices)
        if isinstance(op, tensor.SplatOp):
            _replace(op, [_splat(op, build)])
        elif is_structured(op):
            form = form_of(op)
            _replace(op, [_result(form, i, build) for i in range(len(form.outputs))])
    for op in reversed(operations_of(block)):
        if isinstance(op, tensor.EmptyOp) and not op.tensor.uses.get_length():
            op.detach()
            op.erase()


def _replace(op: Operation, values: list[SSAValue]) -> None:
    for result, value in zip(op.results, values, strict=True):
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()
