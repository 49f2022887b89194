"""Operators that slide a window over an image: pools, and the windows of convolutions."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size

SAME = ("SAME_UPPER", "SAME_LOWER")


def windows(use: Use, sizes: Sizes, kernel: Sizes, *, up: bool = False) -> Sizes:
    """Return the number of positions of a window in each dimension; `up` counts partial ones."""
    count = len(sizes)
    strides = use.integers("strides", count, 1, low=1)
    dilations = use.integers("dilations", count, 1, low=1)
    pads = use.integers("pads", 2 * count, 0)
    automatic = use.word("auto_pad", "NOTSET")
    found: list[Size] = []
    for number, (size, taps) in enumerate(zip(sizes, kernel, strict=True)):
        write, stride = use.write, strides[number]
        if automatic in SAME:
            use.positive(size, f"in dimension {number + 2} of the image")
            found.append(write.compute("ceildivsi", size, stride))
            continue
        before = 0 if automatic == "VALID" else pads[number]
        after = 0 if automatic == "VALID" else pads[number + count]
        padded = write.compute("addi", size, before + after)
        gaps = write.compute("muli", write.compute("subi", taps, 1), dilations[number])
        window = write.compute("addi", gaps, 1)
        write.at_most(window, padded, about=f"in the window of dimension {number + 2}")
        left = write.compute("subi", padded, window)
        steps = write.compute("ceildivsi" if up else "floordivsi", left, stride)
        if up:
            # The last window begins in the image or in the padding before it.
            start = write.compute("addi", size, before - 1)
            steps = write.compute("minsi", steps, write.compute("floordivsi", start, stride))
        found.append(write.compute("addi", steps, 1))
    return tuple(found)


def _pool(use: Use) -> Results:
    """Both results of MaxPool have the same sizes."""
    image = use.given(0, 3)
    spatial = len(image) - 2
    kernel = _kernel(use, spatial)
    if use.word("auto_pad", "NOTSET") == "NOTSET":
        for number, amount in enumerate(use.integers("pads", 2 * spatial, 0, low=0)):
            if amount >= kernel[number % spatial]:
                use.refuse(
                    f"has pads = {use.attributes['pads']} and kernel_shape = {kernel}, expected "
                    "pads below the kernel"
                )
    for number, size in enumerate(image[1:], 1):
        use.positive(size, f"in dimension {number} of the image")
    up = bool(use.integer("ceil_mode", 0))
    found = windows(use, image[2:], tuple(kernel), up=up)
    return ((*image[:2], *found),) * use.results


def _kernel(use: Use, count: int) -> list[int]:
    if "kernel_shape" not in use.attributes:
        use.refuse("has no kernel_shape")
    return use.integers("kernel_shape", count, 1, low=1)


def _global_pool(use: Use) -> Results:
    sizes = use.given(0, 3)
    return ((*sizes[:2], *(1,) * (len(sizes) - 2)),)


def _max_unpool(use: Use) -> Results:
    """Indices beside the maxima; the sizes of the result may be an input."""
    image, indices = use.given(0, 3), use.given(1, 3)
    use.same(image, indices)
    count = len(image) - 2
    kernel, strides = _kernel(use, count), use.integers("strides", count, 1, low=1)
    pads = use.integers("pads", 2 * count, 0, low=0)
    if use.optional(2) is not None:
        use.vector(2, len(image), "output_shape")
        return (use.values(2),)
    found = tuple(
        _enlarged(use, size, strides[d], kernel[d] - pads[d] - pads[d + count])
        for d, size in enumerate(image[2:])
    )
    return ((*image[:2], *found),)


def _enlarged(use: Use, size: Size, stride: int, added: int) -> Size:
    """Return (size - 1) * stride + added."""
    steps = use.write.compute("muli", use.write.compute("subi", size, 1), stride)
    return use.write.size(use.write.compute("addi", steps, added))


def _max_roi_pool(use: Use) -> Results:
    image, regions = use.given(0, 4, 4), use.given(1, 2, 2)
    use.write.equal(regions[1], 5, about="in dimension 1 of the regions")
    pooled = use.integers("pooled_shape", 2, 1, low=1)
    return ((regions[0], image[1], *pooled),)


def _roi_align(use: Use) -> Results:
    image, regions = use.given(0, 4, 4), use.given(1, 2, 2)
    use.write.equal(regions[1], 4, about="in dimension 1 of the regions")
    use.vector(2, regions[0], "batch_indices")
    use.indices(2, image[0], from_end=False)
    sizes = [use.integer(name, 1) for name in ("output_height", "output_width")]
    return ((regions[0], image[1], *sizes),)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("AveragePool", "LpPool", "MaxPool"), _pool),
    **dict.fromkeys(("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"), _global_pool),
    "MaxRoiPool": _max_roi_pool,
    "MaxUnpool": _max_unpool,
    "RoiAlign": _roi_align,
}
