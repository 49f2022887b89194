"""Products that are summed: matrix products, convolutions and Fourier transforms."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa.operators.use import Rule, Use
from hwc.tosa.operators.window import Window, output_size

_HW = ("height", "width")


def _matmul(use: Use) -> tuple[Sizes, ...]:
    """N x H x C by N x C x W."""
    batch, rows, inner = use.rank(0, 3)
    other, depth, columns = use.rank(1, 3)
    batch = use.write.equal(batch, other, dimension=0)
    use.write.equal(inner, depth, about="in the inner dimension")
    return (use.result((batch, rows, columns)),)


def _bias(use: Use, channels: Size) -> None:
    """The bias has one element, or one for each channel of the result."""
    (size,) = use.rank(2, 1)
    if size not in (1, channels):
        use.write.among(size, (1, channels), "for its bias")


def _convolution(use: Use, spatial: int) -> tuple[Sizes, ...]:
    """A convolution with `spatial` dimensions: input N ... C, weights OC ... C."""
    batch, *sizes, channels = use.rank(0, spatial + 2)
    made, *kernel, depth = use.rank(1, spatial + 2)
    use.write.equal(channels, depth, about="in the input channels")
    _bias(use, made)
    found = _windows(use, sizes, kernel)
    return (use.result((batch, *found, made)),)


def _windows(use: Use, sizes: list[Size], kernel: list[Size]) -> list[Size]:
    """Return the spatial sizes of a convolution's result."""
    count = len(sizes)
    pad = use.integers("pad", 2 * count)
    stride, dilation = use.integers("stride", count), use.integers("dilation", count)
    use.in_range("pad", pad, 0)
    use.in_range("stride", stride, 1)
    use.in_range("dilation", dilation, 1)
    return [
        output_size(
            use, d + 1, size, Window(kernel[d], stride[d], dilation[d], *pad[2 * d : 2 * d + 2])
        )
        for d, size in enumerate(sizes)
    ]


def _depthwise(use: Use) -> tuple[Sizes, ...]:
    """Input N x H x W x C, weights KH x KW x C x M: the result has C * M channels."""
    batch, *sizes, channels = use.rank(0, 4)
    *kernel, depth, multiplier = use.rank(1, 4)
    channels = use.write.equal(channels, depth, about="in the input channels")
    made = use.write.size(use.write.compute("muli", channels, multiplier), "in its channels")
    _bias(use, made)
    found = _windows(use, sizes, kernel)
    return (use.result((batch, *found, made)),)


def _transposed(use: Use) -> tuple[Sizes, ...]:
    """Input N x IH x IW x IC, weights OC x KH x KW x IC."""
    batch, *sizes, channels = use.rank(0, 4)
    made, *kernel, depth = use.rank(1, 4)
    use.write.equal(channels, depth, about="in the input channels")
    _bias(use, made)
    pad, stride = use.integers("out_pad", 4), use.integers("stride", 2)
    use.in_range("stride", stride, 1)
    found: list[Size] = []
    for d, size in enumerate(sizes):
        before, after = pad[2 * d : 2 * d + 2]
        for amount in (before, after):
            reach = use.write.compute("addi", kernel[d], amount)
            use.write.at_least(reach, 1, f"for the sum of kernel and out_pad in its {_HW[d]}")
        steps = use.write.compute("muli", use.write.compute("subi", size, 1), stride[d])
        total = use.write.sum((steps, before + after, kernel[d]))
        found.append(use.write.size(total, f"in dimension {d + 1} of the result"))
    return (use.result((batch, *found, made)),)


def _fft(use: Use) -> tuple[Sizes, ...]:
    """Real and imaginary parts, N x H x W; heights and widths are powers of 2."""
    real, imaginary = use.rank(0, 3), use.rank(1, 3)
    sizes = [
        use.write.equal(a, b, dimension=d)
        for d, (a, b) in enumerate(zip(real, imaginary, strict=True))
    ]
    _powers(use, sizes)
    return (use.result(sizes, 0), use.result(sizes, 1))


def _rfft(use: Use) -> tuple[Sizes, ...]:
    """A real input N x H x W: the results have W / 2 + 1 columns."""
    batch, rows, columns = use.rank(0, 3)
    _powers(use, (batch, rows, columns))
    half = use.write.compute("addi", use.write.compute("divui", columns, 2), 1)
    sizes = (batch, rows, half)
    return (use.result(sizes, 0), use.result(sizes, 1))


def _powers(use: Use, sizes: Sizes | list[Size]) -> None:
    for size, name in zip(sizes[1:], _HW, strict=True):
        about = f"for its {name}, which has to be a power of 2"
        use.write.at_least(size, 1, about)
        floor = use.write.compute("log2_floor", size)
        use.write.equal(size, use.write.compute("exp2", floor), about=about)


RULES: Mapping[str, Rule] = {
    "matmul": _matmul,
    "conv2d": lambda use: _convolution(use, 2),
    "conv3d": lambda use: _convolution(use, 3),
    "depthwise_conv2d": _depthwise,
    "transpose_conv2d": _transposed,
    "fft2d": _fft,
    "rfft2d": _rfft,
}
