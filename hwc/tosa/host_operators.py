"""TOSA operators that are written for IREE in other dialects, because IREE's own forms differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, IntegerAttr, TensorType

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
    if op.operator == "max_pool2d" and _float(op) is not None and not ignores_nan(op):
        return _max_pool
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


def _max_pool(writer: HostWriter, node: TosaNode) -> None:
    """Write the largest of each window; around the image, and of nothing, it is -inf."""
    op, source = node.op, node.inputs[0]
    element = _float(op)
    assert element is not None
    kernel, stride, pad = (_integers(op, name) for name in ("kernel", "stride", "pad"))
    sizes, made = writer.sizes(source), writer.sizes(node.outputs[0])
    start, window, empty, filled, result = (writer.fresh() for _ in range(5))
    writer.line(f"{start} = arith.constant {_infinity(element, -1)} : {element}", node)
    image, image_type = _padded(writer, node, start, element)
    kernel_type, type_ = _type(kernel, element), _type(made, element)
    dynamic: list[str] = []
    for d, size in enumerate(made):
        if isinstance(size, int) and size:
            continue
        length = writer.dimension(source, d, node)
        if 0 < d < len(sizes) - 1:  # (size + padding - kernel) / stride + 1
            around = pad[2 * d - 2] + pad[2 * d - 1] - kernel[d - 1]
            length = writer.arith("addi", length, writer.index(around, node), node)
            length = writer.arith("divui", length, writer.index(stride[d - 1], node), node)
            length = writer.arith("addi", length, writer.index(1, node), node)
        dynamic.append(length)
    writer.line(f"{window} = tensor.empty() : {kernel_type}", node)
    writer.line(f"{empty} = tensor.empty({', '.join(dynamic)}) : {type_}", node)
    writer.line(
        f"{filled} = linalg.fill ins({start} : {element}) outs({empty} : {type_}) -> {type_}", node
    )
    writer.line(
        f"{result} = linalg.pooling_nhwc_max {{dilations = dense<1> : vector<2xi64>, "
        f"strides = dense<{[*stride]}> : vector<2xi64>}} ins({image}, {window} : {image_type}, "
        f"{kernel_type}) outs({filled} : {type_}) -> {type_}",
        node,
    )
    output = node.outputs[0]
    writer.bind(output, writer.cast(result, type_, writer.type_of(output), node))


def _padded(writer: HostWriter, node: TosaNode, value: str, element: AnyFloat) -> tuple[str, str]:
    """Write the image of a pool with its padding, elements of `value`; return it and its type."""
    source, pad = node.inputs[0], _integers(node.op, "pad")
    image, type_ = writer.name(source), writer.type_of(source)
    if not any(pad):
        return image, type_
    sizes = list(writer.sizes(source))
    for d in (1, 2):
        size = sizes[d]
        sizes[d] = size + pad[2 * d - 2] + pad[2 * d - 1] if isinstance(size, int) else size
    padded, wide = writer.fresh(), _type(sizes, element)
    indices = ", ".join(f"{writer.fresh()}: index" for _ in sizes)
    writer.line(
        f"{padded} = tensor.pad {image} low[0, {pad[0]}, {pad[2]}, 0] "
        f"high[0, {pad[1]}, {pad[3]}, 0] {{",
        node,
    )
    writer.line(f"^bb0({indices}):", node)
    writer.line(f"tensor.yield {value} : {element}", node)
    writer.line(f"}} : {type_} to {wide}", node)
    return padded, wide


def _integers(op: TosaOperation, name: str) -> tuple[int, ...]:
    """Return an attribute that lists integers; the rules have checked it."""
    values = op.arguments[name]
    assert isinstance(values, DenseArrayBase)
    return tuple(int(value) for value in values.get_values())


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
