"""One description for every element-wise form of `linalg`: maps and bodies.

The forms are `linalg.generic`, `linalg.map`, `linalg.elementwise`, `linalg.broadcast` and the named
operations. A form that hwc cannot compile raises a located error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from hwc.dialects.elementwise_rules import is_scalar, malformed
from hwc.dialects.tensor_types import type_problem
from hwc.dialects.upstream_linalg import StructuredOp, region_of
from hwc.frontend.diagnostics import error_at
from hwc.frontend.unsupported import reason_for
from hwc.transforms.generic_builder import ScalarBody
from hwc.transforms.linalg_bodies import (
    SCALARS,
    body_of,
    check_body,
    element_of,
    named_body,
    needed_by,
    operation_body,
)


@dataclass(frozen=True)
class Form:
    """An element-wise operation over `loops` loops.

    `inputs` and `outputs` are the operands with their maps. Each output has a body. The body takes
    the scalars of the inputs, then the scalars of the outputs, then the `captured` scalars, then
    the positions of the point in the loops `counters`. For each output, `reads` says which of these
    the body needs.
    """

    loops: int
    inputs: Sequence[tuple[SSAValue, AffineMap]]
    outputs: Sequence[tuple[SSAValue, AffineMap]]
    captured: Sequence[SSAValue]
    counters: Sequence[int]
    bodies: Sequence[ScalarBody]
    reads: Sequence[frozenset[int]]


def is_structured(op: Operation) -> bool:
    """Whether `op` is one of the element-wise forms of `linalg`."""
    return isinstance(op, StructuredOp | linalg.GenericOp)


def check_structured(op: Operation) -> None:
    """Raise a located error unless hwc can compile `op`."""
    with malformed(op):
        if isinstance(op, linalg.GenericOp):
            op.get_irdl_definition().verify(op)
        else:
            op.verify_()
    form_of(op)


def form_of(op: Operation) -> Form:
    """Describe `op`.

    Raises:
        LocatedError: hwc cannot compile it.
    """
    assert isinstance(op, StructuredOp | linalg.GenericOp)
    values = [*op.inputs, *op.outputs]
    for number, value in enumerate(values):
        problem = type_problem(value.type, f"operand {number} of '{op.name}'")
        if problem and not (number < len(op.inputs) and is_scalar(value.type)):
            raise error_at(op, *problem)
    if not op.outputs or [v.type for v in op.outputs] != list(op.result_types):
        raise error_at(
            op,
            f"'{op.name}' has results of other types than its destinations",
            "each result has the type of its destination, which is a tensor",
        )
    maps = _maps(op, values)
    count = len(op.inputs)
    inputs = list(zip(values[:count], maps[:count], strict=True))
    outputs = list(zip(values[count:], maps[count:], strict=True))
    loops = maps[-1].num_dims
    for number, mapping in enumerate(maps):
        _check_map(op, number, mapping, len(_shape(values[number])), loops)
    for _, mapping in outputs:
        order = [e.position for e in mapping.results if isinstance(e, AffineDimExpr)]
        if len(mapping.results) != loops or not all(map(_is_loop, mapping.results)):
            raise error_at(
                op,
                f"'{op.name}' writes {mapping}: not every loop is a dimension of the result",
                "a reduction is not element-wise; compute it outside",
            )
        for number, other in enumerate(maps):
            used = [e.position for e in other.results if isinstance(e, AffineDimExpr)]
            if used != sorted(used, key=order.index):
                raise error_at(
                    op,
                    f"'{op.name}' transposes operand {number}: {other} beside {mapping}",
                    "transpose it outside; a transposed operand is no view of this machine",
                )
    if isinstance(op, StructuredOp) and op.name != "linalg.map":
        body, reads = named_body(op, values)
        return Form(loops, inputs, outputs, (), (), [body], [reads])
    return _with_region(op, loops, inputs, outputs)


def _maps(op: StructuredOp | linalg.GenericOp, values: list[SSAValue]) -> list[AffineMap]:
    given = op.properties.get("indexing_maps")
    if given is not None:
        assert isinstance(given, ArrayAttr)
        maps = [map_.data for map_ in given if isinstance(map_, AffineMapAttr)]
        if len(maps) != len(values):
            raise error_at(
                op, f"'{op.name}' has {len(maps)} indexing maps", f"it takes {len(values)}"
            )
        _check_iterators(op)
        return maps
    rank = len(_shape(values[-1]))
    identity = AffineMap.identity(rank)
    if op.name == "linalg.broadcast":
        added = op.properties["dimensions"]
        assert isinstance(added, DenseArrayBase)
        kept = [loop for loop in range(rank) if loop not in added.get_values()]
        return [_projection(rank, kept), identity]
    return [
        identity if isinstance(value.type, TensorType) else _projection(rank, ())
        for value in values
    ]


def _projection(loops: int, kept: Sequence[int]) -> AffineMap:
    return AffineMap(loops, 0, tuple(AffineExpr.dimension(loop) for loop in kept))


def _check_iterators(op: StructuredOp | linalg.GenericOp) -> None:
    if isinstance(op, linalg.GenericOp):
        kinds = {kind.data for kind in op.iterator_types}
        if kinds - {IteratorType.PARALLEL}:
            raise error_at(
                op,
                f"'{op.name}' has a loop that is not parallel",
                "a reduction is not element-wise; compute it outside",
            )


def _is_loop(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineDimExpr)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _check_map(op: Operation, number: int, mapping: AffineMap, rank: int, loops: int) -> None:
    what = f"the indexing map of operand {number} of '{op.name}', {mapping},"
    if mapping.num_symbols or mapping.num_dims != loops or len(mapping.results) != rank:
        raise error_at(
            op,
            f"{what} does not fit {loops} loops and a tensor of rank {rank}",
            "a map has a dimension for each loop, a result for each dimension, and no symbols",
        )
    for expression in mapping.results:
        if not _is_loop(expression) and expression != AffineExpr.constant(0):
            raise error_at(
                op,
                f"{what} computes with loops",
                "a dimension is indexed by one loop, or by 0 if its size is 1",
            )
    used = [e for e in mapping.results if _is_loop(e)]
    if len(set(used)) != len(used):
        raise error_at(op, f"{what} uses a loop twice", "a diagonal is no view; take it outside")


def _with_region(
    op: StructuredOp | linalg.GenericOp,
    loops: int,
    inputs: Sequence[tuple[SSAValue, AffineMap]],
    outputs: Sequence[tuple[SSAValue, AffineMap]],
) -> Form:
    block = region_of(op)
    if block is None:
        payload = op.properties.get("payload")
        name = payload.data if isinstance(payload, StringAttr) else ""
        if name not in SCALARS:
            raise error_at(op, *reason_for(name))
        element = element_of(outputs[0][0])
        body = operation_body(op, name, element)
        return Form(loops, inputs, outputs, (), (), [body], [frozenset(range(len(inputs)))])
    given = [element_of(value) for value, _ in (*inputs, *outputs)]
    if [argument.type for argument in block.args] != given:
        raise error_at(
            op,
            f"the arguments of the region of '{op.name}' are not the elements of its operands",
            f"they are {', '.join(map(str, given))}",
        )
    captured = check_body(op, block)
    end = block.last_op
    assert end is not None
    indices = [inner for inner in block.ops if isinstance(inner, linalg.IndexOp)]
    counters = [_counter(index, loops) for index in indices]
    scalars = [*block.args, *captured, *(index.result for index in indices)]
    bodies: list[ScalarBody] = []
    reads: list[frozenset[int]] = []
    for value, (destination, _) in zip(end.operands, outputs, strict=True):
        if value.type != element_of(destination):
            raise error_at(
                end,
                f"'linalg.yield' gives {value.type}",
                f"the result has {element_of(destination)}",
            )
        needed = needed_by(value, scalars)
        bodies.append(body_of(block, scalars, value))
        reads.append(frozenset(i for i, scalar in enumerate(scalars) if scalar in needed))
    return Form(loops, inputs, outputs, captured, counters, bodies, reads)


def _counter(index: linalg.IndexOp, loops: int) -> int:
    """Return the loop that `index` counts."""
    loop = index.dim.value.data
    if not 0 <= loop < loops:
        raise error_at(
            index,
            f"'linalg.index' counts loop {loop} of {loops}",
            "loops count from 0, the outermost",
        )
    return loop
