"""Operators that sample an image at other places: resizes, grids, crops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size

_EXACT = 1 << 8
"""Numerators and denominators of scales up to here are exact in ONNX Runtime's f32, for sizes below
2^16."""


def _resize(use: Use) -> Results:
    """Scales or sizes of all dimensions, or of `axes`; opset 10 has scales alone."""
    sizes = use.given(0)
    if use.version < 11:  # noqa: PLR2004 - as above
        return (_scaled(use, sizes, 1, [*range(len(sizes))]),)
    stated = use.attributes.get("axes")
    axes = [*range(len(sizes))] if stated is None else use.axes(stated, len(sizes))
    if not _is_empty(use, 2):
        return (_scaled(use, sizes, 2, axes),)
    if _is_empty(use, 3):
        use.refuse("has neither scales nor sizes")
    use.vector(3, len(axes), "the sizes")
    values = use.values(3)
    policy = use.word("keep_aspect_ratio_policy", "stretch")
    if values is None or policy != "stretch":
        return (None,)
    found = list(sizes)
    for axis, value in zip(axes, values, strict=True):
        found[axis] = use.write.size(value, "in a size of its result")
    return (tuple(found),)


def _is_empty(use: Use, number: int) -> bool:
    sizes = use.optional(number)
    return sizes is None or sizes == (0,)


def _upsample(use: Use) -> Results:
    """Opset 7 has scales as an attribute."""
    sizes = use.given(0)
    if "scales" in use.attributes:
        return (None,)
    return (_scaled(use, sizes, 1, [*range(len(sizes))]),)


def _scaled(use: Use, sizes: Sizes, number: int, axes: list[int]) -> Sizes | None:
    """Return size * scale, rounded down, for each axis."""
    use.vector(number, len(axes), "the scales")
    scales = use.array(number)
    if scales is None:
        return None
    found = list(sizes)
    for axis, scale in zip(axes, map(float, scales), strict=True):
        if not 0 < scale < float("inf"):
            use.refuse(f"has the scale {scale}, expected a positive number")
        fraction = Fraction(scale)
        if max(fraction.numerator, fraction.denominator) > _EXACT:
            return None
        more = use.write.compute("muli", sizes[axis], fraction.numerator)
        size = use.write.compute("divui", more, fraction.denominator)
        found[axis] = use.write.size(size, "in a size of its result")
    return tuple(found)


def _grid_sample(use: Use) -> Results:
    """Image N x C x D1 ..., grid N x E1 ... x the number of dimensions of the image."""
    image = use.given(0, 3)
    grid = use.given(1, len(image), len(image))
    batch = use.write.equal(image[0], grid[0], dimension=0)
    use.write.equal(grid[-1], len(image) - 2, about="in the last dimension of the grid")
    return ((batch, image[1], *grid[1:-1]),)


def _affine_grid(use: Use) -> Results:
    """Theta N x 2 x 3 or N x 3 x 4, and the sizes of the image: N, C, and 2 or 3 more."""
    theta = use.given(0, 3, 3)
    (count,) = use.given(1, 1, 1)
    values = use.values(1)
    if not isinstance(count, int):
        return (None,)
    if count not in (4, 5):
        use.refuse(f"has {count} sizes, expected 4 or 5")
    use.write.equal(theta[1], count - 2, about="in dimension 1 of theta")
    use.write.equal(theta[2], count - 1, about="in dimension 2 of theta")
    if values is None:
        return (None,)
    use.write.equal(theta[0], values[0], about="in the batches of theta and the sizes")
    sizes = (use.write.size(value, "in a size of its result") for value in values[2:])
    return ((theta[0], *sizes, count - 2),)


def _center_crop_pad(use: Use) -> Results:
    sizes = use.given(0)
    stated = use.attributes.get("axes")
    axes = [*range(len(sizes))] if stated is None else use.axes(stated, len(sizes))
    use.vector(1, len(axes), "the shape")
    values = use.values(1)
    if values is None:
        return (None,)
    found = list(sizes)
    for axis, value in zip(axes, values, strict=True):
        found[axis] = use.write.size(value, "in a size of its result")
    return (tuple(found),)


def _col_to_im(use: Use) -> Results:
    """Blocks N x (C * product of the block) x positions, summed into an image."""
    batch, columns, positions = use.given(0, 3, 3)
    (count,) = use.given(1, 1, 1)
    use.write.equal(count, use.given(2, 1, 1)[0], about="in the dimensions of image and block")
    image, block = use.values(1), use.static(2)
    if image is None or block is None:
        return (None,)
    if min(block, default=1) < 1:
        use.refuse(f"has a block of sizes {block}, expected at least 1")
    write, product = use.write, 1
    for size in block:
        product *= size
    write.multiple(columns, product, "in dimension 1, of the elements of a block")
    strides = use.integers("strides", len(block), 1, low=1)
    dilations = use.integers("dilations", len(block), 1, low=1)
    pads = use.integers("pads", 2 * len(block), 0)
    steps: list[Size] = []
    for d, size in enumerate(image):
        room = pads[d] + pads[d + len(block)] - dilations[d] * (block[d] - 1) - 1
        left = write.compute("addi", write.size(size, "in a size of its result"), room)
        write.at_most(0, left, f"in the room for the block in dimension {d}")
        steps.append(write.compute("addi", write.compute("floordivsi", left, strides[d]), 1))
    write.equal(positions, write.product(steps), about="in the number of blocks")
    return ((batch, write.compute("divui", columns, product), *image),)


RULES: Mapping[str, Rule] = {
    "AffineGrid": _affine_grid,
    "CenterCropPad": _center_crop_pad,
    "Col2Im": _col_to_im,
    "GridSample": _grid_sample,
    "Resize": _resize,
    "Upsample": _upsample,
}
