"""Products that are summed: matrix products, convolutions, Einsum."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.onnx.host_rules.window import SAME, windows
from hwc.shapes import Size

_INNER = "in the inner dimension"


def _product(use: Use, first: int = 0, second: int = 1) -> Sizes:
    """Return the sizes of a product as NumPy's `matmul` computes it."""
    left, right = use.given(first, 1), use.given(second, 1)
    use.write.equal(left[-1], right[-2:][0], about=_INNER)
    batches = use.write.broadcast([left[:-2], right[:-2]])
    return (*batches, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def _matmul(use: Use) -> Results:
    return (_product(use),)


def _parameter(use: Use, number: int, size: Size, what: str) -> None:
    """A scale or a zero point: one, or one for each row or column; ranks above 1 stay free."""
    sizes = use.optional(number)
    if sizes is not None and len(sizes) == 1:
        use.one_or(sizes[0], size, f"in the size of {what}")


def _for_channels(use: Use, number: int, size: Size, what: str) -> None:
    """A scale or a zero point: one, or one for each channel of the result."""
    if use.optional(number) is not None:
        use.given(number, 0, 1)
        _parameter(use, number, size, what)


def _rows_and_columns(use: Use, first: int, second: int) -> tuple[Size, Size]:
    left, right = use.given(first, 1), use.given(second, 1)
    return left[-2] if len(left) > 1 else 1, right[-1] if len(right) > 1 else 1


def _matmul_integer(use: Use) -> Results:
    result = _product(use)
    rows, columns = _rows_and_columns(use, 0, 1)
    _parameter(use, 2, rows, "the zero point of A")
    _parameter(use, 3, columns, "the zero point of B")
    return (result,)


def _qlinear_matmul(use: Use) -> Results:
    """A, its scale and zero point, the same for B, and those of the result."""
    result = _product(use, 0, 3)
    rows, columns = _rows_and_columns(use, 0, 3)
    for what, numbers, size in (("A", (1, 2), rows), ("B", (4, 5), columns)):
        _parameter(use, numbers[0], size, f"the scale of {what}")
        _parameter(use, numbers[1], size, f"the zero point of {what}")
        scale, zero = use.given(numbers[0]), use.given(numbers[1])
        if len(scale) == len(zero):
            use.same(scale, zero)
    _parameter(use, 6, rows, "the scale of the result")
    _parameter(use, 7, rows, "the zero point of the result")
    return (result,)


def _gemm(use: Use) -> Results:
    left, right = use.given(0, 2, 2), use.given(1, 2, 2)
    left = left[::-1] if use.attributes.get("transA", 0) else left
    right = right[::-1] if use.attributes.get("transB", 0) else right
    use.write.equal(left[1], right[0], about=_INNER)
    result = (left[0], right[1])
    if use.optional(2) is not None:
        added = use.given(2, 0, 2)
        for place, size in enumerate(added[::-1], 1):
            use.one_or(size, result[-place], f"in dimension {-place} of C")
    return (result,)


def _group(use: Use) -> int:
    group = use.integer("group", 1)
    if group < 1:
        use.refuse(f"has group = {group}, expected at least 1")
    return group


def _images(use: Use, first: int, second: int) -> tuple[Sizes, Sizes]:
    """Return the sizes of the image and the weights, whose kernel may be an attribute as well."""
    image, weights = use.given(first, 3), use.given(second, 3)
    if len(image) != len(weights):
        use.refuse(f"input {first} has rank {len(image)}, and the weights {len(weights)}")
    if "kernel_shape" in use.attributes:
        kernel = use.integers("kernel_shape", len(image) - 2, 1, low=1)
        for number, (stated, size) in enumerate(zip(kernel, weights[2:], strict=True)):
            use.write.equal(stated, size, about=f"in dimension {number} of the kernel")
    return image, weights


def _convolved(use: Use, first: int, second: int, bias: int) -> Sizes:
    """Return the sizes of the result: the weights are O x I / group x kernel."""
    image, weights = _images(use, first, second)
    group = _group(use)
    channels = use.write.compute("muli", weights[1], group)
    use.write.equal(image[1], channels, about="in the input channels")
    use.write.multiple(weights[0], group, about="in the output channels")
    if use.optional(bias) is not None:
        use.write.equal(use.given(bias, 1, 1)[0], weights[0], about="in the output channels")
    return (image[0], weights[0], *windows(use, image[2:], weights[2:]))


def _convolution(use: Use) -> Results:
    return (_convolved(use, 0, 1, 2),)


def _conv_integer(use: Use) -> Results:
    result = _convolved(use, 0, 1, len(use.inputs))
    use.single(2, "the zero point of x")
    _for_channels(use, 3, result[1], "the zero point of the weights")
    return (result,)


def _qlinear_conv(use: Use) -> Results:
    """x, its scale and zero point, the same for the weights and the result, and the bias."""
    result = _convolved(use, 0, 3, 8)
    for number, what in ((1, "scale of x"), (2, "zero point of x")):
        use.single(number, f"the {what}")
    for number, what in ((4, "scale of the weights"), (5, "zero point of the weights")):
        _for_channels(use, number, result[1], f"the {what}")
    for number, what in ((6, "scale of the result"), (7, "zero point of the result")):
        use.single(number, f"the {what}")
    return (result,)


def _transposed(use: Use) -> Results:
    """The weights are I x O / group x kernel."""
    image, weights = _images(use, 0, 1)
    group = _group(use)
    use.write.equal(image[1], weights[0], about="in the input channels")
    use.write.multiple(image[1], group, about="in the input channels")
    channels = use.write.compute("muli", weights[1], group)
    if use.optional(2) is not None:
        use.write.equal(use.given(2, 1, 1)[0], channels, about="in the output channels")
    return ((image[0], channels, *_enlarged(use, image[2:], weights[2:])),)


def _enlarged(use: Use, sizes: Sizes, kernel: Sizes) -> Sizes:
    count = len(sizes)
    strides = use.integers("strides", count, 1, low=1)
    dilations = use.integers("dilations", count, 1, low=1)
    more = use.integers("output_padding", count, 0, low=0)
    pads = use.integers("pads", 2 * count, 0)
    stated = [int(size) for size in use.attributes.get("output_shape", ())]
    if stated and (len(stated) not in (count, count + 2) or min(stated) < 1):
        use.refuse(f"has output_shape = {stated}, expected {count} sizes")
    automatic = use.word("auto_pad", "NOTSET")
    found: list[Size] = []
    for d, (size, taps) in enumerate(zip(sizes, kernel, strict=True)):
        if more[d] >= max(strides[d], dilations[d]):
            use.refuse(
                f"has output_padding = {more}, strides = {strides} and dilations = {dilations}, "
                "expected an output_padding below the stride or the dilation"
            )
        use.positive(size, f"in dimension {d + 2} of the image")
        steps = use.write.compute("muli", use.write.compute("subi", size, 1), strides[d])
        gaps = use.write.compute("muli", use.write.compute("subi", taps, 1), dilations[d])
        whole = use.write.sum((steps, gaps, more[d] + 1))
        if stated:
            most = use.write.compute("addi", whole, strides[d] - 1)
            use.write.at_most(stated[d - count], most, f"for output_shape in dimension {d + 2}")
            found.append(stated[d - count])
        elif automatic in SAME:
            scaled = use.write.compute("muli", size, strides[d])
            found.append(use.write.compute("minsi", scaled, whole))
        else:
            removed = 0 if automatic == "VALID" else pads[d] + pads[d + count]
            total = use.write.compute("subi", whole, removed)
            use.positive(total, f"in dimension {d + 2} of the result")
            found.append(total)
    return tuple(found)


def _deformed(use: Use) -> Results:
    """Each tap of the kernel has an offset of two numbers, and may have a factor."""
    result = _convolved(use, 0, 1, 3)
    batch, taps = result[0], use.write.product(use.given(1)[2:])
    taps = use.write.compute("muli", taps, use.integer("offset_group", 1))
    use.shaped(2, "offset", (batch, use.write.compute("muli", taps, 2), *result[2:]))
    use.shaped(4, "mask", (batch, taps, *result[2:]))
    return (result,)


def _determinant(use: Use) -> Results:
    *batches, rows, columns = use.given(0, 2)
    use.write.equal(rows, columns, about="in the rows and columns")
    return (tuple(batches),)


def _einsum(use: Use) -> Results:
    """Each label has one size, or 1, in all operands."""
    equation = re.sub(r"\s", "", use.word("equation", ""))
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(use.inputs):
        use.refuse(f"has {len(use.inputs)} inputs, and {len(terms)} in its equation {equation!r}")
    sizes: dict[str, list[Size]] = {}
    rests: list[Sizes] = []
    for number, term in enumerate(terms):
        shape = use.given(number)
        labels, dots, after = term.partition("...")
        count = len(shape) - len(labels) - len(after)
        if count < 0 or (count and not dots):
            use.refuse(f"input {number} has rank {len(shape)}, and {term!r} in the equation")
        rest = shape[len(labels) : len(labels) + count]
        if dots and rests and len(rest) != len(rests[0]):
            use.refuse(
                f"'...' is {len(rest)} dimensions of input {number}, and {len(rests[0])} of others"
            )
        if dots:
            rests.append(rest)
        for dimension, size in enumerate(shape if dots else ()):  # 0 ends ONNX Runtime's process
            use.positive(size, f"in dimension {dimension} of input {number}")
        known = (*shape[: len(labels)], *shape[len(labels) + count :])
        for label, size in zip(labels + after, known, strict=True):
            sizes.setdefault(label, []).append(size)
    found = {label: _one(use, label, each) for label, each in sizes.items()}
    rest = use.write.broadcast(rests)
    if not arrow:
        once = sorted(label for label in sizes if left.count(label) == 1)
        right = f"...{''.join(once)}" if rest else "".join(once)
    labels, dots, after = right.partition("...")
    if unknown := set(labels + after) - set(found):
        use.refuse(f"has an equation whose result has '{min(unknown)}', which no input has")
    made = [found[label] for label in labels], [found[label] for label in after]
    return ((*made[0], *(rest if dots else ()), *made[1]),)


def _one(use: Use, label: str, sizes: Sequence[Size]) -> Size:
    """Return the size of a label, which is 1 in some operands."""
    if len(set(sizes)) == 1:
        return sizes[0]
    return use.write.broadcast([(size,) for size in sizes])[0]


RULES: Mapping[str, Rule] = {
    "Conv": _convolution,
    "ConvInteger": _conv_integer,
    "ConvTranspose": _transposed,
    "DeformConv": _deformed,
    "Det": _determinant,
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
}
