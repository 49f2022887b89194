"""MediaPipe's operators in TFLite models: the host computes them as functions of TOSA."""

import math
import re
import struct

import numpy as np
import pytest
from bench.models import BOUND, MODELS, measure
from flatbuffers import flexbuffers

import hwc
from hwc.errors import UserError


def tensor(*sizes):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}f32>"


def program(operator, attributes, operands, result):
    """An operator, between two that the machine computes."""
    text = "".join(f"\\{byte:02X}" for byte in attributes)
    arguments = ", ".join(f"%a{i}: {tensor(*sizes)}" for i, sizes in enumerate(operands))
    names = ", ".join(["%x", *(f"%a{i}" for i in range(1, len(operands)))])
    types = ", ".join(tensor(*sizes) for sizes in operands)
    first, last = tensor(*operands[0]), tensor(*result)
    return f"""\
func.func @main({arguments}) -> {last} {{
  %x = tosa.abs %a0 : ({first}) -> {first}
  %y = tosa.custom {names} {{domain_name = "TFL", implementation_attrs = "{text}",
    operator_name = "{operator}"}} : ({types}) -> {last}
  %z = tosa.negate %y : ({last}) -> {last}
  return %z : {last}
}}
"""


def data(*sizes):
    return np.random.default_rng(sum(sizes)).uniform(-1, 1, sizes).astype(np.float32)


def check(text, expected, *arrays):
    compiled = hwc.compile(text)
    assert [step.kind for step in compiled.package.steps] == ["machine", "host", "machine"]
    (got,) = compiled(*arrays).outputs
    np.testing.assert_allclose(got, -np.asarray(expected), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("channels", [2, 3])
def test_landmarks_are_transformed(channels):
    points, matrix = data(1, 7, channels), data(1, 4, 4)
    moved = np.abs(points)
    at = np.concatenate([moved[0, :, :2], np.zeros((7, 1)), np.ones((7, 1))], 1)
    moved[0, :, :2] = at @ matrix[0, :2].T
    text = program("TransformLandmarks", b"", [points.shape, (1, 4, 4)], points.shape)
    check(text, moved, points, matrix)


def seen(image, matrix, height, width):
    """What `TransformTensorBilinear` is said to compute, pixel by pixel."""
    rows, columns, channels = image.shape
    made = np.zeros((height, width, channels))
    for v in range(height):
        for u in range(width):
            place = matrix[:2] @ [u + 0.5, v + 0.5, 0, 1] - 0.5
            x, y = place
            if not (0 <= x <= columns - 1 and 0 <= y <= rows - 1):
                continue
            for row in (math.floor(y), math.floor(y) + 1):
                for column in (math.floor(x), math.floor(x) + 1):
                    if row < rows and column < columns:
                        share = (1 - abs(x - column)) * (1 - abs(y - row))
                        made[v, u] += share * image[row, column]
    return made


@pytest.mark.parametrize("added", [0.3, -1.2, 0.0, math.nan])
def test_an_image_is_seen_through_a_transform(added):
    image, matrix = data(1, 5, 6, 3), np.zeros((1, 4, 4), np.float32)
    matrix[0, :2] = [[0.9, -0.2, 5, added], [0.3, 0.8, 5, 0.25]]
    if not added:  # the corners of the image are those of what is seen
        matrix[0, :2] = [[1, 0, 0, 0], [0, 1, 0, 0]]
    options = flexbuffers.Dumps({"output_height": 5, "output_width": 6})
    text = program(
        "TransformTensorBilinear", bytes(options), [image.shape, (1, 4, 4)], (1, 5, 6, 3)
    )
    expected = seen(np.abs(image[0]), matrix[0], 5, 6)
    assert (expected == 0).all() == math.isnan(added)
    check(text, expected[None], image, matrix)


def crop(points, options):
    """What `Landmarks2TransformMatrix` is said to compute."""
    left, right = (points[options[f"{side}_rotation_idx"]] for side in ("left", "right"))
    angle = options["target_rotation_radians"] - math.atan2(*(right - left)[1::-1])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    turned = points[options["subset_idxs"]][:, :2].astype(np.float64) @ turn.T
    low, high = turned.min(0), turned.max(0)
    size = np.array([options["output_width"], options["output_height"]])
    scale = np.array([options["scale_x"], options["scale_y"]]) * (high - low) / size
    matrix = np.eye(4)
    matrix[:2, :2] = turn.T @ np.diag(scale)
    matrix[:2, 3] = turn.T @ (low + high) / 2 - matrix[:2, :2] @ size / 2
    return matrix


OPTIONS = {
    "left_rotation_idx": 2,
    "right_rotation_idx": 5,
    "output_height": 12,
    "output_width": 16,
    "scale_x": 1.5,
    "scale_y": 1.25,
    "subset_idxs": [0, 3, 8, 5, 1],
    "target_rotation_radians": 0.75,
}


@pytest.mark.parametrize("places", ["apart", "above", "equal"])
def test_landmarks_give_a_transform(places):
    points = data(1, 9, 3)
    if places == "above":
        points[0, 5, 0] = points[0, 2, 0]
    if places == "equal":
        points[0, 5] = points[0, 2]
    text = program(
        "Landmarks2TransformMatrix", bytes(flexbuffers.Dumps(OPTIONS)), [points.shape], (1, 4, 4)
    )
    check(text, crop(np.abs(points[0]), OPTIONS)[None], points)


def convolved(image, weights, bias, strides, around, sizes):
    """A transposed convolution: each pixel adds to some of the result."""
    made = np.zeros((1, *sizes, len(bias))) + bias
    for y, x in np.ndindex(image.shape[1:3]):
        for v, u in np.ndindex(weights.shape[1:3]):
            row, column = y * strides[0] + v - around[0], x * strides[1] + u - around[1]
            if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
                made[0, row, column] += weights[:, v, u] @ image[0, y, x]
    return made


@pytest.mark.parametrize(
    ("padding", "filters", "strides", "around", "sizes"),
    [
        (1, (2, 2), (2, 2), (0, 0), (5, 8)),  # 5: of an odd size all but the last is doubled
        (1, (4, 3), (2, 1), (1, 1), (5, 4)),
        (2, (3, 2), (1, 2), (0, 0), (5, 8)),
    ],
)
def test_a_transposed_convolution_has_a_bias(padding, filters, strides, around, sizes):
    image, weights, bias = data(1, 3, 4, 2), data(5, *filters, 2), data(5)
    attributes = struct.pack("<iii", padding, strides[1], strides[0])
    shapes = [image.shape, weights.shape, bias.shape]
    text = program("Convolution2DTransposeBias", attributes, shapes, (1, *sizes, 5))
    expected = convolved(np.abs(image), weights, bias, strides, around, sizes)
    check(text, expected, image, weights, bias)


MATRIX, LINE = (1, 4, 4), (1, 7, 2)
KNOWN = "Convolution2DTransposeBias, Landmarks2TransformMatrix, TransformLandmarks, Transform"


@pytest.mark.parametrize(
    ("operator", "attributes", "operands", "result", "why"),
    [
        ("Turn", b"", [LINE], LINE, "no engine knows it"),
        ("TransformLandmarks", b"", [LINE], LINE, r"its operands have ranks \[3\], expected"),
        ("TransformLandmarks", b"", [LINE, (1, 3, 3)], LINE, "its transform has the type"),
        ("TransformLandmarks", b"", [(1, 7, 4), MATRIX], (1, 7, 4), "its operand has the type"),
        ("TransformLandmarks", b"", [LINE, MATRIX], (1, 7, 3), "its result has the type"),
        ("TransformLandmarks", b"", [("?", 7, 2), MATRIX], LINE, "a size is not known before"),
        ("Landmarks2TransformMatrix", b"\0", [LINE], MATRIX, "its attributes cannot be read"),
        ("Landmarks2TransformMatrix", b"\1\4\1", [LINE], MATRIX, "its attributes are not a map"),
        ("Convolution2DTransposeBias", b"\1", [LINE], MATRIX, "its attributes have 1 bytes"),
        ("Convolution2DTransposeBias", bytes(12), [(1, 2, 2, 1)] * 2 + [(1,)], (1, 4, 4, 1),
         r"its attributes are \(0, 0, 0\)"),
    ],
)  # fmt: skip
def test_what_is_not_known(operator, attributes, operands, result, why):
    with pytest.raises(UserError) as caught:
        hwc.compile(program(operator, attributes, operands, result))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("-:3:8: error: nothing computes the operator TFL." + operator)
    assert re.search(why, lines[0])
    assert any(KNOWN in line for line in lines)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("subset_idxs", [], "it has no subset_idxs"),
        ("subset_idxs", [9], "an index is too large"),
        ("left_rotation_idx", -1, "left_rotation_idx is -1"),
        ("output_width", 0, "output_width is 0"),
        ("scale_x", None, "scale_x is None"),
    ],
)
def test_damaged_attributes(name, value, why):
    options = bytes(flexbuffers.Dumps({**OPTIONS, name: value}))
    with pytest.raises(UserError, match=f"TFL.Landmarks2TransformMatrix: {why}"):
        hwc.compile(program("Landmarks2TransformMatrix", options, [(1, 9, 3)], MATRIX))


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.in_mediapipe])
def test_whole_models_compute_what_mediapipe_does(name):
    assert max(measure(MODELS[name]).differences) < BOUND
