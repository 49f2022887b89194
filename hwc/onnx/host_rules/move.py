"""Operators that move elements, or make tensors of sizes that are data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size

_FAR = 1 << 40
"""Beyond every size: starts and ends of a slice may be any 64-bit numbers."""


def _concat(use: Use) -> Results:
    shapes = [use.given(number, 1) for number in range(len(use.inputs))]
    rank = len(shapes[0])
    for number in range(len(shapes)):
        use.given(number, rank, rank)
    axis = use.axis(rank)
    columns = enumerate(zip(*shapes, strict=True))
    return (
        tuple(
            use.write.sum(sizes) if number == axis else use.write.equal(*sizes, dimension=number)
            for number, sizes in columns
        ),
    )


def _transpose(use: Use) -> Results:
    sizes = use.given(0)
    order = list(use.attributes.get("perm", range(len(sizes))[::-1]))
    if sorted(order) != [*range(len(sizes))]:
        use.refuse(f"has perm = {order}, which does not order {len(sizes)} dimensions")
    return (tuple(sizes[number] for number in order),)


def _sizes(use: Use, number: int, count: int | None = None, what: str = "") -> Sizes | None:
    """Return elements that are sizes, as many as `count`."""
    (length,) = use.given(number, 1, 1)
    if count is not None:
        use.write.equal(length, count, about=f"in the number of {what}")
    values = use.values(number)
    for value in values or ():
        use.write.size(value, "in a size of its result")
    return values


def _reshape(use: Use) -> Results:
    """0 copies a size unless `allowzero` is set; one size may be -1, which the others decide."""
    source = use.given(0)
    use.given(1, 1, 1)
    values = use.values(1)
    if values is None:
        return (None,)
    keep = not use.integer("allowzero", 0)
    result: list[Size | None] = []
    for place, value in enumerate(values):
        if value == 0 and keep and place >= len(source):
            use.refuse(f"has size 0 at {place}, but input 0 has rank {len(source)}")
        result.append(source[place] if value == 0 and keep else None if value == -1 else value)
    if result.count(None) > 1 or any(isinstance(size, int) and size < -1 for size in result):
        use.refuse(f"has the shape {[*values]}, expected sizes, and at most one -1")
    if None not in result:
        sizes = [size for size in result if size is not None]
        result = [*_stated(use, source, sizes, keep=keep)]
    return (use.write.reshape(source, result),)


def _stated(use: Use, source: Sizes, sizes: Sequence[Size], *, keep: bool) -> Sizes:
    """Return sizes of which a call may say that one is -1, or 0 to `keep` a size."""
    write = use.write
    sizes = [
        write.compute("select", size, size, source[place])
        if keep and place < len(source) and isinstance(size, str) and not write.is_size(size)
        else size
        for place, size in enumerate(sizes)
    ]
    open_ = {size for size in sizes if isinstance(size, str) and not write.is_size(size)}
    if not open_:
        return tuple(sizes)
    left: dict[Size, Size] = {size: write.compute("eq", size, -1) for size in open_}
    others = [
        write.compute("select", left[size], 1, size) if size in left else size for size in sizes
    ]
    product = write.compute("maxsi", write.product(others), 1)
    rest = write.compute("floordivsi", write.product(source), product)
    found = [
        write.compute("select", left[size], rest, size) if size in left else size for size in sizes
    ]
    return tuple(write.size(size, "in a size of its result") for size in found)


def _flatten(use: Use) -> Results:
    """Dimensions before `axis` become one, and so do the others."""
    sizes = use.given(0)
    axis = use.integer("axis", 1)
    if not -len(sizes) <= axis <= len(sizes):
        use.refuse(f"has axis = {axis}, which is not an axis of a tensor of rank {len(sizes)}")
    axis += len(sizes) if axis < 0 else 0
    return ((use.write.product(sizes[:axis]), use.write.product(sizes[axis:])),)


def _axes(use: Use, number: int, rank: int, *, distinct: bool = True) -> list[int] | None:
    """Return axes that are an attribute or an input; None if only an engine knows them."""
    if "axes" in use.attributes:
        return use.axes(use.attributes["axes"], rank, distinct=distinct)
    if use.optional(number) is None:
        return []
    use.given(number, 1, 1)
    values = use.static(number)
    return None if values is None else use.axes(values, rank, distinct=distinct)


def _squeeze(use: Use) -> Results:
    sizes = use.given(0)
    given = "axes" in use.attributes or use.optional(1) not in (None, (0,))
    if not given:
        if any(isinstance(size, str) for size in sizes):
            return (None,)
        return (tuple(size for size in sizes if size != 1),)
    axes = _axes(use, 1, len(sizes), distinct=False)
    if axes is None:
        return (None,)
    for axis in axes:
        use.write.equal(sizes[axis], 1, about=f"in dimension {axis}, which goes")
    return (tuple(size for axis, size in enumerate(sizes) if axis not in axes),)


def _unsqueeze(use: Use) -> Results:
    sizes = use.given(0)
    stated = use.attributes.get("axes") or (use.static(1) if len(use.names) > 1 else [])
    if stated is None:
        return (None,)
    axes = use.axes(stated, len(sizes) + len(stated))
    left = iter(sizes)
    rank = len(sizes) + len(axes)
    return (tuple(1 if axis in axes else next(left) for axis in range(rank)),)


def _slice(use: Use) -> Results:
    """Starts, ends, axes and steps are attributes before opset 10."""
    sizes = use.given(0)
    if use.version < 10:  # noqa: PLR2004 - attributes before opset 10
        starts, ends = (tuple(use.attributes.get(name, ())) for name in ("starts", "ends"))
        axes: Sequence[Size] | None = use.attributes.get("axes", range(len(starts)))
        steps: Sizes | None = (1,) * len(starts)
    else:
        lengths = [use.given(n, 1, 1)[0] for n in range(1, 5) if use.optional(n) is not None]
        (count,) = {use.write.equal(*lengths, about="in the number of starts, ends and axes")}
        starts, ends = use.values(1), use.values(2)
        if not isinstance(count, int):
            return (None,)
        axes = [*range(count)] if use.optional(3) is None else use.static(3)
        steps = (1,) * count if use.optional(4) is None else use.values(4)
    if starts is None or ends is None or axes is None or steps is None:
        return (None,)
    if len({len(starts), len(ends), len(axes), len(steps)}) > 1:
        use.refuse(f"has {len(starts)} starts, {len(ends)} ends and {len(axes)} axes")
    found = list(sizes)
    for axis, *rest in zip(use.axes(axes, len(sizes)), starts, ends, steps, strict=True):
        taken = _taken(use, sizes[axis], *rest)
        if taken is None:
            return (None,)
        found[axis] = taken
    return (tuple(found),)


def _taken(use: Use, size: Size, start: Size, end: Size, step: Size) -> Size | None:
    """Return how many elements a slice takes; None if only a call knows in which direction."""
    if step == 0:
        use.refuse("has a step of 0")
    if isinstance(step, str):
        return None
    write = use.write
    all_ = _is_whole(use, end) if step < 0 else 0
    start, end = (_from_front(use, place, size) for place in (start, end))
    if step > 0:
        if start != 0:
            start = write.compute("minsi", write.compute("maxsi", start, 0), size)
        if end != size:
            end = write.compute("minsi", write.compute("maxsi", end, 0), size)
        length = write.compute("subi", end, start)
    else:
        last = write.compute("subi", size, 1)
        start = write.compute("minsi", write.compute("maxsi", start, 0), last)
        end = write.compute("minsi", write.compute("maxsi", end, -1), last)
        end = write.compute("select", all_, -1, end)
        length = write.compute("subi", start, end)
    taken = length if abs(step) == 1 else write.compute("ceildivsi", length, abs(step))
    if taken == size:
        return size
    return write.size(write.compute("maxsi", taken, 0), "in a size of its result")


def _is_whole(use: Use, end: Size) -> Size:
    """Whether a backward slice is that to the first element: ONNX Runtime says so for INT_MAX."""
    is_any = (use.write.compute("eq", end, (1 << bits) - 1) for bits in (31, 63))
    return use.write.compute("maxsi", *is_any)


def _from_front(use: Use, place: Size, size: Size) -> Size:
    """Return a place that counts from the end if it is negative, not far beyond the size."""
    write = use.write
    if isinstance(place, int):
        place = max(-_FAR, min(place, _FAR))
        if place == _FAR:
            return size
        return write.compute("addi", size, place) if place < 0 else place
    place = write.compute("minsi", write.compute("maxsi", place, -_FAR), _FAR)
    negative = write.compute("slt", place, 0)
    return write.compute("select", negative, write.compute("addi", place, size), place)


def _split(use: Use) -> Results:
    """Sizes are an attribute before opset 13; without sizes, parts are equal."""
    sizes = use.given(0, 1)
    axis = use.axis(len(sizes), 0)
    write, count = use.write, use.results
    parts: Sizes | None
    if "split" in use.attributes:
        parts = tuple(use.attributes["split"])
    elif use.optional(1) is not None:
        use.vector(1, count, "split")
        parts = use.values(1)
    else:
        parts = _equal_parts(use, sizes[axis])
    if parts is None:
        return (None,) * count
    if len(parts) != count:
        use.refuse(f"has {count} results and split = {[*parts]}")
    for part in parts:
        write.size(part, "in a size of its result")
    write.equal(sizes[axis], write.sum(parts), about="in the sum of its results' sizes")
    return tuple((*sizes[:axis], part, *sizes[axis + 1 :]) for part in parts)


def _equal_parts(use: Use, size: Size) -> Sizes:
    count, write = use.results, use.write
    if use.integer("num_outputs", count) != count:
        use.refuse(f"has {count} results and num_outputs = {use.attributes['num_outputs']}")
    if use.version < 18:  # noqa: PLR2004 - the last part is smaller since then
        write.multiple(size, count, f"of {count} results along axis {use.integer('axis', 0)}")
        return (write.compute("divui", size, count),) * count
    part = write.compute("ceildivui", size, count)
    last = write.compute("subi", size, write.compute("muli", part, count - 1))
    return (*(part,) * (count - 1), last)


def _pad(use: Use) -> Results:
    """Pads are an attribute before opset 11; negative pads remove elements."""
    sizes = use.given(0)
    if use.version < 11:  # noqa: PLR2004 - an attribute before opset 11
        pads: Sizes | None = tuple(use.attributes.get("pads", ()))
        axes: list[int] | None = [*range(len(sizes))]
    else:
        axes = _axes(use, 3, len(sizes)) if use.optional(3) is not None else [*range(len(sizes))]
        (length,) = use.given(1, 1, 1)
        if axes is not None:
            use.write.equal(length, 2 * len(axes), about="in the number of pads")
        pads = use.values(1)
        use.single(2, "the constant value")
    if pads is None or axes is None:
        return (None,)
    if len(pads) != 2 * len(axes):
        use.refuse(f"has {len(pads)} pads for {len(axes)} dimensions")
    _copied(use, [(sizes[axis], pads[n :: len(axes)]) for n, axis in enumerate(axes)])
    found = list(sizes)
    for number, axis in enumerate(axes):
        about = f"in dimension {axis} of the result"
        total = use.write.sum((sizes[axis], pads[number], pads[number + len(axes)]))
        found[axis] = use.write.size(total, about)
    return (tuple(found),)


def _copied(use: Use, dimensions: Sequence[tuple[Size, Sizes]]) -> None:
    """Elements that are copied into the padding have to exist."""
    mode = use.word("mode", "constant")
    for size, pads in dimensions:
        numbers = [pad for pad in pads if isinstance(pad, int)]
        if mode == "constant" or len(numbers) < len(pads) or min(numbers) < 0 or not any(numbers):
            continue
        least = max(numbers) + 1 if mode == "reflect" else 1
        use.write.at_most(least, size, f"in the size to pad, mode {mode}")


def _expand(use: Use) -> Results:
    values = _sizes(use, 1)
    return (None if values is None else use.write.broadcast([use.given(0), values]),)


def _tile(use: Use) -> Results:
    sizes = use.given(0)
    repeats = _sizes(use, 1, len(sizes), "repeats")
    if repeats is None:
        return (None,)
    pairs = zip(sizes, repeats, strict=True)
    return (tuple(use.write.size(use.write.compute("muli", *pair)) for pair in pairs),)


def _block(use: Use) -> int:
    block = use.integer("blocksize", 0)
    if block < 1:
        use.refuse(f"has blocksize = {block}, expected at least 1")
    return block


def _depth_to_space(use: Use) -> Results:
    batch, depth, *spatial = use.given(0, 4, 4)
    block, write = _block(use), use.write
    write.multiple(depth, block * block, "in the channels")
    sizes = (write.compute("muli", size, block) for size in spatial)
    return ((batch, write.compute("divui", depth, block * block), *sizes),)


def _space_to_depth(use: Use) -> Results:
    batch, depth, *spatial = use.given(0, 4, 4)
    block, write = _block(use), use.write
    for dimension, size in enumerate(spatial, 2):
        write.multiple(size, block, f"in dimension {dimension}")
    sizes = (write.compute("divui", size, block) for size in spatial)
    return ((batch, write.compute("muli", depth, block * block), *sizes),)


def _trilu(use: Use) -> Results:
    use.single(1, "k")
    return (use.given(0, 2),)


def _eye_like(use: Use) -> Results:
    return (use.given(0, 2, 2),)


def _shape(use: Use) -> Results:
    rank = len(use.given(0))
    return ((len(range(rank)[use.integer("start", 0) : use.integer("end", rank)]),),)


def _constant_of_shape(use: Use) -> Results:
    return (_sizes(use, 0),)


def _range(use: Use) -> Results:
    """From `start` in steps of `delta`, up to `limit`; the number of elements is its size."""
    for number, what in enumerate(("start", "limit", "delta")):
        use.single(number, what)
    values = [use.values(number) for number in range(3)]
    if any(value is None or len(value) != 1 for value in values):
        return (None,)
    (start,), (limit,), (delta,) = (value for value in values if value is not None)
    if delta == 0:
        use.refuse("has a delta of 0")
    if isinstance(delta, str):
        return (None,)
    ends = (limit, start) if delta > 0 else (start, limit)
    steps = use.write.compute("ceildivsi", use.write.compute("subi", *ends), abs(delta))
    return ((use.write.size(use.write.compute("maxsi", steps, 0)),),)


def _window(use: Use) -> Results:
    """The number of elements is the input."""
    use.single(0, "size")
    values = use.values(0)
    if values is None:
        return (None,)
    return ((use.write.size(values[0], "in a size of its result"),),)


def _reverse_sequence(use: Use) -> Results:
    sizes = use.given(0, 2)
    batch = use.dimension(use.integer("batch_axis", 1), len(sizes))
    time = use.dimension(use.integer("time_axis", 0), len(sizes))
    if {batch, time} != {0, 1}:
        use.refuse(f"has batch_axis = {batch} and time_axis = {time}, expected 0 and 1")
    use.vector(1, sizes[batch], "sequence_lens")
    return (sizes,)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), _window),
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "ReverseSequence": _reverse_sequence,
    "Shape": _shape,
    "Size": lambda _: ((),),
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
}
