"""TOSA operators that are written for IREE in other dialects, because IREE's own forms differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, TensorType

from hwc.dialects import tosa_shapes
from hwc.dialects.compile_time_operands import ignores_nan
from hwc.dialects.tosa_operation import ShapeType, TosaOperation
from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa.graph import TosaNode

if TYPE_CHECKING:
    from hwc.tosa.host_text import HostWriter

Write: TypeAlias = "Callable[[HostWriter, TosaNode], None]"
"""Writes a node."""


def writer_of(op: TosaOperation) -> Write | None:
    """Return what writes an operator; None if IREE takes it as it is."""
    if op.operator in _EXTREMES and _float(op) is not None:
        return _reduce_extreme
    if op.operator == "slice" and not _has_constant_shapes(op):
        return _slice
    if op.operator == "tile" and not (_has_constant_shapes(op) and _is_static(op)):
        return _tile
    return None


def _has_constant_shapes(op: TosaOperation) -> bool:
    shapes = (value for value in op.operands if isinstance(value.type, ShapeType))
    return all(each.number is not None for s in shapes for each in tosa_shapes.known_values(s))


def _is_static(op: TosaOperation) -> bool:
    """Whether the type of operand 0 is static; IREE tiles at most one dynamic dimension."""
    type_ = op.operands[0].type
    return isinstance(type_, TensorType) and type_.has_static_shape()


def _float(op: TosaOperation) -> AnyFloat | None:
    """Return the element type of operand 0 if it is a float."""
    type_ = op.operands[0].type
    element = type_.get_element_type() if isinstance(type_, TensorType) else None
    return element if isinstance(element, AnyFloat) else None


def _slice(writer: HostWriter, node: TosaNode) -> None:
    start, sizes = (writer.values(name, node) for name in node.inputs[1:])
    writer.gathered(node, sizes, lambda d, index: writer.arith("addi", index, start[d], node))


def _tile(writer: HostWriter, node: TosaNode) -> None:
    times = writer.values(node.inputs[1], node)
    own = [writer.dimension(node.inputs[0], d, node) for d in range(len(times))]
    sizes = [writer.arith("muli", size, n, node) for size, n in zip(own, times, strict=True)]
    writer.gathered(node, sizes, lambda d, index: writer.arith("remui", index, own[d], node))


_EXTREMES: Mapping[str, tuple[int, str, str]] = {
    "reduce_max": (-1, "maximumf", "maxnumf"),
    "reduce_min": (1, "minimumf", "minnumf"),
}
"""The sign of the extreme of nothing, and the operations that propagate and that ignore NaN."""


def _reduce_extreme(writer: HostWriter, node: TosaNode) -> None:
    """Write the extreme along a dimension, which stays in the result with size 1."""
    op, source = node.op, node.inputs[0]
    sign, propagating, ignoring = _EXTREMES[op.operator]
    element, axis = _float(op), op.arguments["axis"]
    assert element is not None and isinstance(axis, IntegerAttr)
    before, after = _split(writer.sizes(source), axis.value.data)
    sizes = [*before, *after]
    own = {d: size for d, size in enumerate(writer.sizes(source)) if d != axis.value.data}
    dynamic = {
        d: writer.dimension(source, d, node)
        for d, size in own.items()
        if isinstance(size, str) or not size
    }
    x = writer.name(source)
    start, empty, filled, reduced, result = (writer.fresh() for _ in range(5))
    type_, wide = _type(sizes, element), _type([*before, 1, *after], element)
    writer.line(f"{start} = arith.constant {_infinity(element, sign)} : {element}", node)
    writer.line(f"{empty} = tensor.empty({', '.join(dynamic.values())}) : {type_}", node)
    writer.line(
        f"{filled} = linalg.fill ins({start} : {element}) outs({empty} : {type_}) -> {type_}", node
    )
    combine = ignoring if ignores_nan(op) else propagating
    writer.line(
        f"{reduced} = linalg.reduce {{ arith.{combine} }} ins({x} : {writer.type_of(source)}) "
        f"outs({filled} : {type_}) dimensions = [{axis.value.data}]",
        node,
    )
    shape = [dynamic.get(d, str(size)) for d, size in own.items()]
    shape.insert(axis.value.data, "1")
    writer.line(
        f"{result} = tensor.expand_shape {reduced} {_groups(len(sizes), axis.value.data)} "
        f"output_shape [{', '.join(shape)}] : {type_} into {wide}",
        node,
    )
    writer.bind(node.outputs[0], writer.cast(result, wide, writer.type_of(node.outputs[0]), node))


def _split(sizes: Sizes, axis: int) -> tuple[Sizes, Sizes]:
    return sizes[:axis], sizes[axis + 1 :]


def _type(sizes: Sequence[Size], element: AnyFloat) -> str:
    shape = "".join(f"{size}x" if isinstance(size, int) and size else "?x" for size in sizes)
    return f"tensor<{shape}{element}>"


def _groups(rank: int, axis: int) -> list[list[int]]:
    """Return, for each dimension of a tensor, those that it has once `axis` is added."""
    if axis >= rank:  # the added dimension is the last
        groups = [[d] for d in range(rank)]
        return [*groups[:-1], [rank - 1, rank]] if rank else []
    return [[d] if d < axis else [d, d + 1] if d == axis else [d + 1] for d in range(rank)]


def _infinity(element: AnyFloat, sign: int) -> str:
    """Return an infinity of a float type in hexadecimal."""
    bits = {"f32": "7F800000", "f16": "7C00", "bf16": "7F80", "f64": "7FF0000000000000"}[
        str(element)
    ]
    return f"0x{int(bits, 16) | (1 << (4 * len(bits) - 1) if sign < 0 else 0):0{len(bits)}X}"


_INFINITY = {"f32": "7F800000", "f16": "7C00", "bf16": "7F80", "f64": "7FF0000000000000"}
"""The bits of infinity in each type."""
