"""What ONNX operators on the host require of sizes, and the sizes of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hwc.models.sizes import NodeSizes, Sizes
from hwc.shapes import Size

OLDEST = 8
"""The opset version since which all operands broadcast as in NumPy."""


@dataclass(frozen=True)
class Use:
    """A node: its attributes, the sizes of its inputs (None for an omitted one), and the writer."""

    attributes: Mapping[str, Any]
    inputs: Sequence[Sizes | None]
    write: NodeSizes

    def given(self, number: int, least: int, most: int | None = None) -> Sizes:
        """Return the sizes of an input that has a rank of at least `least` and at most `most`."""
        sizes = self.inputs[number]
        if sizes is None:
            self.write.refuse(f"has no input {number}")
        if len(sizes) < least or (most is not None and len(sizes) > most):
            wanted = str(least) if least == most else f"at least {least}" if most is None else ""
            self.write.refuse(
                f"input {number} has rank {len(sizes)}, expected "
                f"{wanted or f'a rank from {least} to {most}'}"
            )
        return sizes

    def axis(self, rank: int, default: int | None = None) -> int:
        """Return the attribute `axis`, counted from the front."""
        axis = self.attributes.get("axis", default)
        if not isinstance(axis, int) or not -rank <= axis < rank:
            self.write.refuse(f"has axis = {axis}, which is not an axis of a tensor of rank {rank}")
        return axis % rank

    def optional(self, number: int) -> Sizes | None:
        """Return the sizes of an input; None if it is left out."""
        return self.inputs[number] if number < len(self.inputs) else None


Rule: TypeAlias = Callable[[Use], Sizes]


def _broadcast(use: Use) -> Sizes:
    return use.write.broadcast([sizes for sizes in use.inputs if sizes is not None])


def _first(use: Use) -> Sizes:
    return use.given(0, 0)


def _along(use: Use) -> Sizes:
    """Return the sizes of an operator that works along `axis`."""
    sizes = use.given(0, 0)
    use.axis(max(len(sizes), 1), -1)
    return sizes


def _matmul(use: Use) -> Sizes:
    left, right = use.given(0, 1), use.given(1, 1)
    use.write.equal(left[-1], right[-2:][0], about="in the inner dimension")
    batches = use.write.broadcast([left[:-2], right[:-2]])
    return (*batches, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def _gemm(use: Use) -> Sizes:
    left, right = use.given(0, 2, 2), use.given(1, 2, 2)
    left = left[::-1] if use.attributes.get("transA", 0) else left
    right = right[::-1] if use.attributes.get("transB", 0) else right
    use.write.equal(left[1], right[0], about="in the inner dimension")
    result = (left[0], right[1])
    if use.optional(2) is not None:
        added = use.given(2, 0, 2)
        for place, size in enumerate(added[::-1], 1):
            use.write.among(size, (1, result[-place]), about=f"in dimension {-place} of C")
    return result


def _convolution(use: Use) -> Sizes:
    image, weights = use.given(0, 3), use.given(1, 3)
    if len(image) != len(weights):
        use.write.refuse(f"input 0 has rank {len(image)}, and the weights {len(weights)}")
    group = int(use.attributes.get("group", 1))
    if group < 1:
        use.write.refuse(f"has group = {group}, expected at least 1")
    channels = use.write.compute("muli", weights[1], group)
    use.write.equal(image[1], channels, about="in the input channels")
    use.write.multiple(weights[0], group, about="in the output channels")
    if use.optional(2) is not None:
        use.write.equal(use.given(2, 1, 1)[0], weights[0], about="in the output channels")
    spatial = len(image) - 2
    kernel = use.attributes.get("kernel_shape", weights[2:])
    _count(use, "kernel_shape", kernel, spatial)
    for number, (stated, size) in enumerate(zip(kernel, weights[2:], strict=True)):
        use.write.equal(stated, size, about=f"in dimension {number} of the kernel")
    return (image[0], weights[0], *_windows(use, image[2:], weights[2:]))


def _windows(use: Use, sizes: Sizes, kernel: Sizes) -> Sizes:
    """Return the number of positions of a window in each dimension."""
    count = len(sizes)
    strides = use.attributes.get("strides", (1,) * count)
    dilations = use.attributes.get("dilations", (1,) * count)
    pads = use.attributes.get("pads", (0,) * (2 * count))
    for name, values, wanted in (
        ("strides", strides, count),
        ("dilations", dilations, count),
        ("pads", pads, 2 * count),
    ):
        _count(use, name, values, wanted)
    if min((*strides, *dilations), default=1) < 1:
        use.write.refuse("has strides and dilations below 1")
    automatic = use.attributes.get("auto_pad", b"NOTSET")
    found: list[Size] = []
    for number, (size, taps) in enumerate(zip(sizes, kernel, strict=True)):
        stride = int(strides[number])
        if automatic in {b"SAME_UPPER", b"SAME_LOWER"}:
            more = use.write.compute("addi", size, stride - 1)
            found.append(use.write.compute("floordivsi", more, stride))
            continue
        added = 0 if automatic == b"VALID" else int(pads[number] + pads[number + count])
        padded = use.write.compute("addi", size, added)
        gaps = use.write.compute("muli", use.write.compute("subi", taps, 1), int(dilations[number]))
        window = use.write.compute("addi", gaps, 1)
        use.write.at_most(window, padded, about=f"in the window of dimension {number + 2}")
        left = use.write.compute("subi", padded, window)
        found.append(use.write.compute("addi", use.write.compute("floordivsi", left, stride), 1))
    return tuple(found)


def _count(use: Use, name: str, values: Sequence[Any], count: int) -> None:
    if len(values) != count:
        use.write.refuse(f"has {name} = {list(values)}, expected {count} numbers")


def _concat(use: Use) -> Sizes:
    shapes = [use.given(number, 1) for number in range(len(use.inputs))]
    rank = len(shapes[0])
    for number in range(len(shapes)):
        use.given(number, rank, rank)
    axis = use.axis(rank)
    columns = enumerate(zip(*shapes, strict=True))
    return tuple(
        use.write.sum(sizes) if number == axis else use.write.equal(*sizes, dimension=number)
        for number, sizes in columns
    )


def _transpose(use: Use) -> Sizes:
    sizes = use.given(0, 0)
    order = list(use.attributes.get("perm", range(len(sizes))[::-1]))
    if sorted(order) != [*range(len(sizes))]:
        use.write.refuse(f"has perm = {order}, which does not order {len(sizes)} dimensions")
    return tuple(sizes[number] for number in order)


def _gather(use: Use) -> Sizes:
    sizes, indices = use.given(0, 1), use.given(1, 0)
    axis = use.axis(len(sizes), 0)
    return (*sizes[:axis], *indices, *sizes[axis + 1 :])


def _global_pool(use: Use) -> Sizes:
    sizes = use.given(0, 3)
    return (*sizes[:2], *(1,) * (len(sizes) - 2))


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            *("Add", "Sub", "Mul", "Div", "Mod", "Pow", "And", "Or", "Xor", "Equal", "Greater"),
            *("GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mean", "Sum", "Where"),
            *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"),
        ),
        _broadcast,
    ),
    **dict.fromkeys(
        (
            *("Abs", "Cast", "Ceil", "Cos", "Erf", "Exp", "Floor", "Identity", "Log", "Neg", "Not"),
            *("Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sqrt", "Tanh"),
        ),
        _first,
    ),
    **dict.fromkeys(("Softmax", "LogSoftmax"), _along),
    "Concat": _concat,
    "Conv": _convolution,
    "Gather": _gather,
    "Gemm": _gemm,
    "GlobalAveragePool": _global_pool,
    "GlobalMaxPool": _global_pool,
    "MatMul": _matmul,
    "Transpose": _transpose,
}
"""The rules by operator. ONNX Runtime checks other operators, and tells their results' sizes."""
