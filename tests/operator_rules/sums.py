"""Examples of operators that compute sums of products, and of those that move a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from operator_rules.table import Array, Example, Misfit, Tensor, constant, given, shape

ZERO = constant("1xf32", [0.0])
ONE = constant("1xf32", [1.0])
ACCUMULATE = {"acc_type": "f32"}
ZERO_POINT = "ERROR_IF: only i8 has zero points other than 0"


def examples() -> Iterator[Example]:
    """Yield the examples."""
    yield _matmul()
    yield _conv2d()
    yield _conv3d()
    yield _depthwise()
    yield _transposed()
    yield _average()
    yield _largest()
    yield _resize("NEAREST_NEIGHBOR")
    yield _fft()
    yield _rfft()


def zero_point(operand: int, name: str) -> Misfit:
    """A zero point of f32 that is 1."""
    return Misfit(ZERO_POINT, (f"{name} = 1", "f32"), {operand: ONE})


def numbers(name: str, values: Sequence[int]) -> str:
    """Return an attribute that lists integers."""
    return f"array<i64: {', '.join(map(str, values))}>"


def below(name: str, values: Sequence[int], least: int) -> Iterator[Misfit]:
    """Each number of an attribute, below its least value."""
    for number in range(len(values)):
        wrong = [*values]
        wrong[number] = least - 1
        yield Misfit(
            f"ERROR_IF: {name}[{number}] >= {least}",
            (rf"{name} = \[{', '.join(map(str, wrong))}\]", f"at least {least}|smaller"),
            attributes={name: numbers(name, wrong)},
        )


def _matmul() -> Example:
    return Example(
        "matmul",
        (given("2x3x4xf32"), given("2x4x5xf32"), ZERO, ZERO),
        (given("2x3x5xf32"),),
        lambda a, b, *_: a @ b,
        misfits=(
            Misfit("ERROR_IF: N of both operands", ("0.0", "1.0"), {1: given("3x4x5xf32")}),
            Misfit("ERROR_IF: C of both operands", ("0.2", "1.1"), {1: given("2x6x5xf32")}),
            Misfit("ERROR_IF: C of both operands", ("0.2", "1.1"), {0: given("2x3x9xf32")}),
            zero_point(2, "a_zp"),
            zero_point(3, "b_zp"),
        ),
        ranks=(0, 1),
    )


def _windows(x: Array, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]) -> Array:
    """Return N x positions x C x kernel."""
    amounts = [(0, 0), *zip(pad[::2], pad[1::2], strict=True), (0, 0)]
    axes: Any = tuple(range(1, len(kernel) + 1))
    found = sliding_window_view(np.pad(x, amounts), tuple(kernel), axis=axes)
    return found[(slice(None), *(slice(None, None, s) for s in stride))]


def _convolution_misfits(image: Tensor, weights: Tensor, channels: int) -> Iterator[Misfit]:
    """Misfits that all convolutions share; `channels` is the dimension of the weights."""
    count = len(image.shape) - 2
    yield from below("pad", (0, 1) * count, 0)
    yield from below("stride", (2, *(1,) * (count - 1)), 1)
    yield from below("dilation", (1,) * count, 1)
    sizes = [*weights.shape]
    sizes[channels] += 1
    yield Misfit(
        "ERROR_IF: IC of input and weights",
        (f"0.{count + 1}", f"1.{channels}"),
        {1: given("x".join(map(str, (*sizes, "f32"))))},
    )
    wider = (image.shape[0], image.shape[1] + 1, *image.shape[2:])
    yield Misfit(
        "ERROR_IF: the stride divides the steps of the window",
        ("3", "2"),
        {0: given("x".join(map(str, (*wider, "f32"))))},
    )


def _bias(size: int, channels: int) -> Misfit:
    return Misfit(
        "ERROR_IF: the bias has 1 or OC elements", ("2.0", f"{channels}"), {2: given(f"{size}xf32")}
    )


def _conv2d() -> Example:
    image, weights = given("2x4x5x2xf32"), given("3x3x2x2xf32")

    def meaning(x: Array, w: Array, bias: Array, *_: Array) -> Array:
        return np.einsum("nhwcij,oijc->nhwo", _windows(x, (3, 2), (2, 1), (0, 1) * 2), w) + bias

    return Example(
        "conv2d",
        (image, weights, given("3xf32"), ZERO, ZERO),
        (given("2x2x5x3xf32"),),
        meaning,
        {
            "pad": numbers("pad", (0, 1, 0, 1)),
            "stride": numbers("stride", (2, 1)),
            "dilation": numbers("dilation", (1, 1)),
            **ACCUMULATE,
        },
        (
            *_convolution_misfits(image, weights, 3),
            _bias(2, 3),
            Misfit(
                "the window is inside the padded image", ("-[0-9]+",), {1: given("3x7x2x2xf32")}
            ),
            Misfit("the kernel has a size", ("1.2", "at least 1"), {1: given("3x3x0x2xf32")}),
            zero_point(3, "input_zp"),
            zero_point(4, "weight_zp"),
        ),
        ranks=(0, 1, 2),
    )


def _conv3d() -> Example:
    image, weights = given("1x4x4x5x2xf32"), given("3x3x2x2x2xf32")

    def meaning(x: Array, w: Array, bias: Array, *_: Array) -> Array:
        windows = _windows(x, (3, 2, 2), (2, 1, 1), (0, 1) * 3)
        return np.einsum("ndhwcijk,oijkc->ndhwo", windows, w) + bias

    return Example(
        "conv3d",
        (image, weights, given("3xf32"), ZERO, ZERO),
        (given("1x2x4x5x3xf32"),),
        meaning,
        {
            "pad": numbers("pad", (0, 1) * 3),
            "stride": numbers("stride", (2, 1, 1)),
            "dilation": numbers("dilation", (1, 1, 1)),
            **ACCUMULATE,
        },
        (
            *_convolution_misfits(image, weights, 4),
            _bias(2, 3),
            zero_point(3, "input_zp"),
            zero_point(4, "weight_zp"),
        ),
        ranks=(0, 1, 2),
    )


def _depthwise() -> Example:
    image, weights = given("2x4x5x2xf32"), given("3x2x2x3xf32")

    def meaning(x: Array, w: Array, bias: Array, *_: Array) -> Array:
        windows = _windows(x, (3, 2), (2, 1), (0, 1) * 2)
        made = np.einsum("nhwcij,ijcm->nhwcm", windows, w)
        return made.reshape(*made.shape[:3], -1) + bias

    return Example(
        "depthwise_conv2d",
        (image, weights, given("6xf32"), ZERO, ZERO),
        (given("2x2x5x6xf32"),),
        meaning,
        {
            "pad": numbers("pad", (0, 1, 0, 1)),
            "stride": numbers("stride", (2, 1)),
            "dilation": numbers("dilation", (1, 1)),
            **ACCUMULATE,
        },
        (
            *_convolution_misfits(image, weights, 2),
            _bias(4, 6),
            zero_point(3, "input_zp"),
            zero_point(4, "weight_zp"),
        ),
        ranks=(0, 1, 2),
    )


def _transposed() -> Example:
    def meaning(x: Array, w: Array, bias: Array, *_: Array) -> Array:
        result = np.zeros((1, 5, 6, 2), np.float32) + bias
        for h, w_, i, j in np.ndindex(2, 3, 2, 3):
            # stride 2 and 1; out_pad of the top is 1
            result[:, 2 * h + i + 1, w_ + j] += x[:, h, w_] @ w[:, i, j].T
        return result

    rule = "ERROR_IF: out_pad > -kernel"
    return Example(
        "transpose_conv2d",
        (given("1x2x3x3xf32"), given("2x2x3x3xf32"), given("2xf32"), ZERO, ZERO),
        (given("1x5x6x2xf32"),),
        meaning,
        {
            "out_pad": numbers("out_pad", (1, 0, 0, 1)),
            "stride": numbers("stride", (2, 1)),
            **ACCUMULATE,
        },
        (
            *below("stride", (2, 1), 1),
            Misfit(
                rule,
                ("got 0", "at least 1"),
                attributes={"out_pad": numbers("out_pad", (-2, 0, 0, 1))},
            ),
            Misfit(
                rule,
                ("got 0", "at least 1"),
                attributes={"out_pad": numbers("out_pad", (1, 0, 0, -3))},
            ),
            Misfit("ERROR_IF: IC of input and weights", ("0.3", "1.3"), {1: given("2x2x3x4xf32")}),
            _bias(3, 2),
            zero_point(3, "input_zp"),
            zero_point(4, "weight_zp"),
        ),
        ranks=(0, 1, 2),
    )


_POOL = {
    "kernel": numbers("kernel", (2, 3)),
    "stride": numbers("stride", (2, 1)),
    "pad": numbers("pad", (1, 0, 0, 1)),
}


def _pool_misfits() -> Iterator[Misfit]:
    yield from below("kernel", (2, 3), 1)
    yield from below("stride", (2, 1), 1)
    yield from below("pad", (1, 0, 0, 1), 0)
    for pad in ((2, 0, 0, 1), (1, 2, 0, 1), (1, 0, 3, 1), (1, 0, 0, 3)):
        yield Misfit(
            "ERROR_IF: pad < kernel",
            (rf"pad = \[{', '.join(map(str, pad))}\]", r"kernel = \[2, 3\]"),
            attributes={"pad": numbers("pad", pad)},
        )
    yield Misfit(
        "ERROR_IF: the stride divides the steps of the window",
        ("3", "2"),
        {0: given("1x4x4x2xf32")},
    )
    yield Misfit("the window is inside the padded image", ("-1",), {0: given("1x3x1x2xf32")})


def _average() -> Example:
    def meaning(x: Array, *_: Array) -> Array:
        sums, counts = (
            _windows(a, (2, 3), (2, 1), (1, 0, 0, 1)).sum((-1, -2)) for a in (x, np.ones_like(x))
        )
        return sums / counts

    return Example(
        "avg_pool2d",
        (given("1x3x4x2xf32"), ZERO, ZERO),
        (given("1x2x3x2xf32"),),
        meaning,
        {**_POOL, **ACCUMULATE},
        (*_pool_misfits(), zero_point(1, "input_zp"), zero_point(2, "output_zp")),
        ranks=(0,),
        ulp=1,
    )


def _largest() -> Example:
    return Example(
        "max_pool2d",
        (given("1x3x4x2xf32"),),
        (given("1x2x3x2xf32"),),
        lambda x: _windows(x, (2, 3), (2, 1), (1, 0, 0, 1)).max((-1, -2)),
        _POOL,
        tuple(_pool_misfits()),
        ranks=(0,),
    )


def _resize(mode: str) -> Example:
    scale, offset, border = (4, 2, 4, 2), (0, 0), (2, 2)

    def meaning(x: Array, *_: Array) -> Array:
        rows, columns = (np.minimum((np.arange(2 * n) + 1) // 2, n - 1) for n in x.shape[1:3])
        return x[:, rows][:, :, columns]

    def scales(rule: str, says: tuple[str, ...], *values: int) -> Misfit:
        return Misfit(rule, says, {1: shape(*values)})

    return Example(
        "resize",
        (given("1x3x4x2xf32"), shape(*scale), shape(*offset), shape(*border)),
        (given("1x6x8x2xf32"),),
        meaning,
        {"mode": f"#tosa.resize_mode<{mode}>"},
        (
            scales("ERROR_IF: scale_y_n > 0", ("got 0", "at least 1"), 0, 2, 4, 2),
            scales("ERROR_IF: scale_y_d > 0", ("got 0", "at least 1"), 4, 0, 4, 2),
            scales("ERROR_IF: scale_x_n > 0", ("got -4", "at least 1"), 4, 2, -4, 2),
            scales("ERROR_IF: scale_x_d > 0", ("got -1", "at least 1"), 4, 2, 4, -1),
            scales("ERROR_IF: scale_y_n <= 2048", ("got 2049", "at most 2048"), 2049, 2, 4, 2),
            scales("ERROR_IF: scale_x_n <= 2048", ("got 4096", "at most 2048"), 4, 2, 4096, 2),
            scales("ERROR_IF: scale_y_d < 16 * scale_y_n", ("got 64", "at most 63"), 4, 64, 4, 2),
            scales("ERROR_IF: scale_x_d < 16 * scale_x_n", ("got 80", "at most 63"), 4, 2, 4, 80),
            Misfit(
                "ERROR_IF: offset_y >= -scale_y_n", ("got -5", "at least -4"), {2: shape(-5, 0)}
            ),
            Misfit(
                "ERROR_IF: offset_x < 16 * scale_x_n", ("got 64", "at most 63"), {2: shape(0, 64)}
            ),
            Misfit(
                "ERROR_IF: border_y >= -16 * scale_y_n",
                ("got -65", "at least -64"),
                {3: shape(-65, 2)},
            ),
            Misfit("ERROR_IF: border_x < scale_x_n", ("got 4", "at most 3"), {3: shape(2, 4)}),
            Misfit("ERROR_IF: OH is a whole number", ("1", "multiple of 2"), {3: shape(1, 2)}),
            Misfit("ERROR_IF: OW is a whole number", ("1", "multiple of 2"), {2: shape(0, 1)}),
            Misfit(
                "ERROR_IF: IH < 16384",
                ("0.1", "at most 16383"),
                {0: given("1x16384x1x1xf32")},
            ),
            Misfit(
                "ERROR_IF: IW < 16384",
                ("0.2", "at most 16383"),
                {0: given("1x1x16385x1xf32")},
            ),
            Misfit(
                "ERROR_IF: OH < 16384", ("got 18000", "at most 16383"), {0: given("1x9000x1x1xf32")}
            ),
            Misfit("scale has 4 values", ("shape<2>", "4 values"), {1: shape(4, 2)}),
            Misfit("offset has 2 values", ("shape<1>", "2 values"), {2: shape(0)}),
            Misfit("border has 2 values", ("shape<3>", "2 values"), {3: shape(2, 2, 2)}),
        ),
        ranks=(0,),
    )


_POWER = "ERROR_IF: H and W are powers of 2"


def _fft() -> Example:
    def meaning(real: Array, imaginary: Array) -> tuple[Array, Array]:
        result = np.fft.fft2(real + 1j * imaginary)
        return result.real.astype(np.float32), result.imag.astype(np.float32)

    image = given("2x4x2xf32")
    return Example(
        "fft2d",
        (image, image),
        (image, image),
        meaning,
        {"inverse": "false"},
        (
            *(
                Misfit(
                    "ERROR_IF: both operands have one shape", (f"0.{d}", f"1.{d}"), {1: given(text)}
                )
                for d, text in enumerate(("3x4x2xf32", "2x8x2xf32", "2x4x4xf32"))
            ),
            *(
                Misfit(_POWER, (says, "power of 2"), {0: given(text), 1: given(text)})
                for says, text in (("0.1", "2x6x2xf32"), ("0.2", "2x4x3xf32"), ("0.1", "2x0x2xf32"))
            ),
        ),
        ranks=(0, 1),
        ulp=4,
    )


def _rfft() -> Example:
    def meaning(real: Array) -> tuple[Array, Array]:
        result = np.fft.rfft2(real)
        return result.real.astype(np.float32), result.imag.astype(np.float32)

    half = given("2x4x2xf32")
    return Example(
        "rfft2d",
        (given("2x4x2xf32"),),
        (half, replace(half)),
        meaning,
        misfits=tuple(
            Misfit(_POWER, (says, "power of 2"), {0: given(text)})
            for says, text in (("0.1", "2x6x2xf32"), ("0.2", "2x4x3xf32"))
        ),
        ranks=(0,),
        ulp=4,
    )
