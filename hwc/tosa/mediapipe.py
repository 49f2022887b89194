"""Operators that MediaPipe added to TFLite, as TOSA functions.

The converter leaves them as `tosa.custom` in the domain `TFL`, and no engine knows them. They
compute what `mediapipe/util/tflite/operations` in MediaPipe's sources computes. Points are planar:
x and y are the first two channels. A transform is a 1 x 4 x 4 matrix, of which only the first two
rows matter: columns 0 and 1 are the factors of x and y, and column 3 is the offset.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hwc.tosa.function import Function, Value


class UnknownFormError(Exception):
    """An operator has attributes or operands that no rule knows; the text says which."""


def definition(
    operator: str, attributes: bytes, arguments: Sequence[Value], result: Value, name: str
) -> str | None:
    """Return the private function `name` that computes an operator; None if no rule knows it.

    `attributes` are the operator's attributes as the model stores them.

    Raises:
        UnknownFormError: the operator is not in the known form.
    """
    rule = RULES.get(operator)
    if rule is None:
        return None
    tensors = (*arguments, result)
    if any(each.element != "f32" for each in tensors):
        raise UnknownFormError("it is not on f32")
    if any(size < 0 for each in tensors for size in each.sizes):
        raise UnknownFormError("a size is not known before a call")
    function = Function(arguments)
    made = rule(function, attributes, result)
    if made.sizes != result.sizes:
        raise UnknownFormError(f"its result has the type {result.type}, expected {made.type}")
    return function.text(name, made)


def _operands(function: Function, *ranks: int) -> list[Value]:
    found = [len(each.sizes) for each in function.arguments]
    if found != [*ranks]:
        raise UnknownFormError(f"its operands have ranks {found}, expected {[*ranks]}")
    return function.arguments


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise UnknownFormError(what)


def _options(attributes: bytes) -> dict[str, Any]:
    """Return attributes that are stored as a flexbuffer map."""
    from flatbuffers import flexbuffers  # noqa: PLC0415 - few models need it

    try:
        options: Any = flexbuffers.Loads(attributes)
    except Exception as error:  # noqa: BLE001 - damaged bytes may raise anything
        raise UnknownFormError(f"its attributes cannot be read: {error}") from error
    _expect(isinstance(options, dict), "its attributes are not a map")
    return options


def _whole(options: Mapping[str, Any], name: str, least: int) -> int:
    value = options.get(name)
    _expect(isinstance(value, int) and value >= least, f"{name} is {value!r}")
    return int(value)  # type: ignore[arg-type]


def _number(options: Mapping[str, Any], name: str) -> float:
    value = options.get(name)
    _expect(isinstance(value, int | float) and math.isfinite(value), f"{name} is {value!r}")
    return float(value)  # type: ignore[arg-type]


class _Rotation(NamedTuple):
    """An angle as its cosine and its sine, each 1 x 1 x 1."""

    cosine: Value
    sine: Value

    def turned(self, f: Function, x: Value, y: Value, back: bool = False) -> tuple[Value, Value]:
        """Return points rotated by the angle, or by its negative if `back`."""
        cx, cy, sx, sy = (f.computed("mul", p, q) for q in self for p in (x, y))
        first, second = ("add", "sub") if back else ("sub", "add")
        return f.computed(first, cx, sy), f.computed(second, cy, sx)


def _landmarks_to_matrix(f: Function, attributes: bytes, _: Value) -> Value:
    """The transform from a crop's pixels to landmarks: a rotated box around some landmarks."""
    options = _options(attributes)
    (landmarks,) = _operands(f, 3)
    batch, count, channels = landmarks.sizes
    _expect(batch == 1 and channels >= 2, f"its operand has the type {landmarks.type}")  # noqa: PLR2004
    eyes = [_whole(options, f"{side}_rotation_idx", 0) for side in ("left", "right")]
    subset = options.get("subset_idxs")
    _expect(isinstance(subset, list) and bool(subset), "it has no subset_idxs")
    indices = [*eyes, *(subset or ())]
    _expect(all(isinstance(i, int) and 0 <= i < count for i in indices), "an index is too large")
    size = [_whole(options, f"output_{each}", 1) for each in ("width", "height")]
    scale = [_number(options, f"scale_{axis}") for axis in "xy"]
    target = _number(options, "target_rotation_radians")

    def points(numbers: Sequence[int]) -> tuple[Value, Value]:
        taken = f.gathered(landmarks, f.constant(np.array([numbers], np.int32)))
        x, y = (f.sliced(taken, (0, 0, axis), (1, len(numbers), 1)) for axis in (0, 1))
        return x, y

    rotation = _rotation(f, *points(eyes), target)
    corners = []
    for turned in rotation.turned(f, *points(subset or ())):
        corners.append([f.reduced(f"reduce_{name}", turned, 1) for name in ("max", "min")])
    widths = [f.computed("sub", high, low) for high, low in corners]
    middle = [f.computed("mul", f.computed("add", high, low), 0.5) for high, low in corners]
    center = rotation.turned(f, middle[0], middle[1], back=True)
    scaled = [f.computed("mul", w, s / n) for w, s, n in zip(widths, scale, size, strict=True)]
    # The columns: each axis of the crop, scaled and rotated back.
    nothing = f.number(0, 3)
    first = rotation.turned(f, scaled[0], nothing, back=True)
    second = rotation.turned(f, nothing, scaled[1], back=True)
    rows: list[Value] = []
    for along_x, along_y, start in zip(first, second, center, strict=True):
        moved = f.computed("sub", start, f.computed("mul", along_x, size[0] / 2))
        moved = f.computed("sub", moved, f.computed("mul", along_y, size[1] / 2))
        rows += [along_x, along_y, nothing, moved]
    rest = f.constant(np.eye(4, dtype=np.float32)[2:].reshape(1, 1, 8))
    return f.reshaped(f.joined([*rows, rest], 2), (1, 4, 4))


def _rotation(f: Function, x: Value, y: Value, target: float) -> _Rotation:
    """Return the angle from the direction between two points, 1 x 2 x 1, to `target`.

    If the two points are equal, the direction is the x axis.
    """
    across, down = (
        f.computed("sub", f.sliced(p, (0, 1, 0), (1, 1, 1)), f.sliced(p, (0, 0, 0), (1, 1, 1)))
        for p in (x, y)
    )
    squares = [f.computed("mul", each, each) for each in (across, down)]
    square = f.computed("add", *squares)
    same = f.computed("equal", square, 0.0, element="i1")
    across = f.computed("select", same, 1.0, across)
    inverse = f.computed("rsqrt", f.computed("select", same, 1.0, square))
    own = _Rotation(f.computed("mul", across, inverse), f.computed("mul", down, inverse))
    # cos(target - own) and sin(target - own)
    cosine, sine = (f.number(math.cos(target), 3), f.number(math.sin(target), 3))
    return _Rotation(*own.turned(f, cosine, sine, back=True))


class _Transform(NamedTuple):
    """One row of a transform; each factor is 1 x 1 x 1."""

    x: Value
    y: Value
    added: Value

    def applied(self, f: Function, x: Value, y: Value) -> Value:
        """Return one coordinate of points."""
        both = f.computed("add", f.computed("mul", self.x, x), f.computed("mul", self.y, y))
        return f.computed("add", both, self.added)


def _rows(f: Function, matrix: Value) -> tuple[_Transform, _Transform]:
    _expect(matrix.sizes == (1, 4, 4), f"its transform has the type {matrix.type}")
    first, second = (
        _Transform(*(f.sliced(matrix, (0, row, column), (1, 1, 1)) for column in (0, 1, 3)))
        for row in (0, 1)
    )
    return first, second


def _transform_landmarks(f: Function, _: bytes, result: Value) -> Value:
    """Apply a transform to points; a third coordinate is unchanged."""
    landmarks, matrix = _operands(f, 3, 3)
    batch, count, channels = landmarks.sizes
    _expect(batch == 1 and channels in (2, 3), f"its operand has the type {landmarks.type}")
    parts = [f.sliced(landmarks, (0, 0, i), (1, count, 1)) for i in range(channels)]
    moved = [row.applied(f, parts[0], parts[1]) for row in _rows(f, matrix)]
    return f.joined([*moved, *parts[2:]], 2)


def _transform_tensor(f: Function, attributes: bytes, result: Value) -> Value:
    """Apply a transform to an image: pixels are interpolated between four, or 0 outside."""
    image, matrix = _operands(f, 4, 3)
    batch, height, width, channels = image.sizes
    options = _options(attributes)
    sizes = tuple(_whole(options, f"output_{each}", 1) for each in ("height", "width"))
    _expect(batch == 1 and result.sizes == (1, *sizes, channels), f"its result is {result.type}")
    pixels = np.indices(sizes, np.float32).reshape(2, 1, -1, 1)
    y, x = (f.constant(each) for each in pixels)
    inside: Value | None = None
    places: list[tuple[Value, Value]] = []
    for row, size in zip(_rows(f, matrix), (width, height), strict=True):
        # The center of a pixel is half a pixel from its corner, in both images.
        half = f.computed("mul", f.computed("add", row.x, row.y), 0.5)
        added = f.computed("add", row.added, f.computed("sub", half, 0.5))
        place = row._replace(added=added).applied(f, x, y)
        places.append((place, f.computed("floor", place)))
        for relation in (
            f.computed("greater_equal", place, 0.0, element="i1"),
            f.computed("greater_equal", f.number(size - 1, 3), place, element="i1"),
        ):
            both = (inside, relation)
            inside = relation if inside is None else f.computed("logical_and", *both, element="i1")  # type: ignore[arg-type]
    assert inside is not None
    shares = [f.computed("sub", place, below) for place, below in places]
    # Outside, and where a position is NaN, any pixel will do.
    low = [f.computed("select", inside, below, 0.0) for _, below in places]
    high = [
        f.computed("minimum", f.computed("add", each, 1.0), float(size - 1))
        for each, size in zip(low, (width, height), strict=True)
    ]
    elements = f.reshaped(image, (1, height * width, channels))

    def taken(column: Value, row: Value) -> Value:
        index = f.computed("add", f.computed("mul", row, float(width)), column)
        number = f.computed("cast", index, element="i32")
        return f.gathered(elements, f.reshaped(number, number.sizes[:2]))

    def between(share: Value, first: Value, second: Value) -> Value:
        near = f.computed("mul", f.computed("sub", f.number(1, 3), share), first)
        return f.computed("add", near, f.computed("mul", share, second))

    upper, lower = (
        between(shares[0], taken(low[0], row), taken(high[0], row)) for row in (low[1], high[1])
    )
    made = f.computed("select", inside, between(shares[1], upper, lower), 0.0)
    return f.reshaped(made, (1, *sizes, channels))


_SAME = 1
"""TFLite's number for the padding SAME."""


def _transposed_convolution(f: Function, attributes: bytes, _: Value) -> Value:
    """A transposed convolution with a bias, which TFLite did not have."""
    form = struct.Struct("<iii")
    _expect(len(attributes) == form.size, f"its attributes have {len(attributes)} bytes")
    padding, *strides = form.unpack(attributes)
    across, down = strides
    image, weights, bias = _operands(f, 4, 4, 1)
    _expect(min(strides) > 0 and padding in (1, 2), f"its attributes are {padding, *strides}")
    sizes, around = [], []
    for size, filter_, stride in zip(
        image.sizes[1:3], weights.sizes[1:3], (down, across), strict=True
    ):
        cut = max(0, filter_ - (size - 1) % stride - 1) if padding == _SAME else 0
        around += [-(cut // 2), cut // 2 - cut]
        sizes.append(stride * (size - 1) + filter_ - cut)
    zero = f.constant(np.zeros(1, np.float32))
    return f.operator(
        "transpose_conv2d",
        [image, weights, bias, zero, zero],
        (image.sizes[0], *sizes, weights.sizes[0]),
        f"acc_type = f32, out_pad = array<i64: {', '.join(map(str, around))}>, "
        f"stride = array<i64: {down}, {across}>",
    )


Rule = Callable[[Function, bytes, Value], Value]
RULES: Mapping[str, Rule] = {
    "Convolution2DTransposeBias": _transposed_convolution,
    "Landmarks2TransformMatrix": _landmarks_to_matrix,
    "TransformLandmarks": _transform_landmarks,
    "TransformTensorBilinear": _transform_tensor,
}
"""Every supported operator, in the version that models use."""
