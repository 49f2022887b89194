"""Operators that slide a window over an image: pools, and the resampling of `resize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa.operators.use import Rule, Use


class Window(NamedTuple):
    """A window along one dimension: its size, how it moves, and the padding around the image."""

    kernel: Size
    stride: int
    dilation: int
    before: int
    after: int


def output_size(use: Use, dimension: int, size: Size, window: Window) -> Size:
    """Return the number of positions of a window, which have to use up the padded size.

    It is (size - 1 + padding - (kernel - 1) * dilation) / stride + 1, without a remainder.
    """
    about = f"in dimension {dimension} of the result"
    write = use.write
    use.write.at_least(window.kernel, 1, f"for its kernel {about}")
    reach = write.compute("muli", write.compute("subi", window.kernel, 1), window.dilation)
    room = write.sum((size, window.before + window.after - 1))
    steps = write.size(write.compute("subi", room, reach), f"{about}, for the steps of the window")
    write.multiple(steps, window.stride, f"{about}, for the steps of the window")
    return write.compute("addi", write.compute("divui", steps, window.stride), 1)


def _pool(use: Use) -> tuple[Sizes, ...]:
    """Input N x H x W x C; the padding is smaller than the kernel."""
    batch, *sizes, channels = use.rank(0, 4)
    kernel, stride = use.integers("kernel", 2), use.integers("stride", 2)
    pad = use.integers("pad", 4)
    use.in_range("kernel", kernel, 1)
    use.in_range("stride", stride, 1)
    use.in_range("pad", pad, 0)
    if any(amount >= kernel[number // 2] for number, amount in enumerate(pad)):
        use.refuse(
            f"has pad = {list(pad)} and kernel = {list(kernel)}", "pad is smaller than the kernel"
        )
    found = [
        output_size(use, d + 1, size, Window(kernel[d], stride[d], 1, *pad[2 * d : 2 * d + 2]))
        for d, size in enumerate(sizes)
    ]
    return (use.result((batch, *found, channels)),)


def _resize(use: Use) -> tuple[Sizes, ...]:
    """Input N x IH x IW x C; scale is a fraction for each of height and width."""
    batch, *sizes, channels = use.rank(0, 4)
    scale, offset, border = (use.shape_values(number) for number in (1, 2, 3))
    found: list[Size] = []
    for d, size in enumerate(sizes):
        above, below = scale[2 * d : 2 * d + 2]
        about = f"in dimension {d + 1} of the result"
        write = use.write
        _limits(use, above, below, offset[d], border[d], about)
        write.at_most(size, LARGEST, f"for the size of its operand that gives dimension {d + 1}")
        reach = write.compute("muli", write.compute("subi", size, 1), above)
        total = write.sum((write.compute("subi", reach, offset[d]), border[d]))
        whole = write.compute("remsi", total, below)
        write.equal(whole, 0, about=f"{about}: the scaled size has to be a multiple of {below}")
        made = write.compute("addi", write.compute("floordivsi", total, below), 1)
        found.append(write.size(made, about))
        write.at_most(made, LARGEST, about)
    return (use.result((batch, *found, channels)),)


LARGEST = 16383
"""The largest height and width of an image that is resized."""
MAX_SCALE = 1 << 11
"""The largest numerator of a scale."""
_REACH = 16
"""The largest enlargement in one direction, and the largest offset."""


def _limits(use: Use, above: Size, below: Size, offset: Size, border: Size, about: str) -> None:  # noqa: PLR0917
    """Check the limits of scale, offset and border of one dimension."""
    write = use.write
    write.at_least(above, 1, f"for the numerator of its scale {about}")
    write.at_least(below, 1, f"for the denominator of its scale {about}")
    write.at_most(above, MAX_SCALE, f"for the numerator of its scale {about}")
    reach = write.compute("muli", above, _REACH)
    most = write.compute("subi", reach, 1)
    write.at_most(below, most, f"for the denominator of its scale {about}")
    write.at_least(offset, write.compute("subi", 0, above), f"for its offset {about}")
    write.at_most(offset, most, f"for its offset {about}")
    write.at_least(border, write.compute("subi", 0, reach), f"for its border {about}")
    write.at_most(border, write.compute("subi", above, 1), f"for its border {about}")


RULES: Mapping[str, Rule] = {"avg_pool2d": _pool, "max_pool2d": _pool, "resize": _resize}
