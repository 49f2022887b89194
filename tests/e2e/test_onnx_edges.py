"""Edges of ONNX operators: special values and sizes of 0 and 1, whatever is constant."""

import numpy as np
import pytest
from e2e.support.onnx_edge_cases import OPERATORS, cases
from e2e.support.onnx_edge_reasons import Difference, reason_for
from e2e.support.onnx_edges import differences
from e2e.support.onnx_models import model, node

import hwc

INFINITY = np.inf


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [
        (0.5, [INFINITY, 0, 0, 2, np.nan]),
        (2.0, [INFINITY, 0, 0, 16, 4]),
        (0.0, [1, 1, 1, 1, 1]),
        (-1.0, [-0.0, -INFINITY, INFINITY, 0.25, -0.5]),
    ],
)
def test_pow_of_a_constant_and_of_an_input(exponent, expected):
    x = np.array([-INFINITY, -0.0, 0, 4, -2], np.float32)
    inputs, y = {"x": ("f4", ["n"])}, {"y": ("f4", ["n"])}
    power = np.float32(exponent)
    constant = model([node("Pow", "x e", "y")], inputs, y, {"e": power})
    general = model([node("Pow", "x e", "y")], {**inputs, "e": ("f4", [])}, y)
    for program, arguments in (
        (hwc.compile(constant), (x,)),
        (hwc.compile(general), (x, np.asarray(power))),
    ):
        assert [step.kind for step in program.package.steps] == ["machine"]
        (got,) = program(*arguments).outputs
        np.testing.assert_array_equal(got, np.array(expected, np.float32))
        np.testing.assert_array_equal(np.signbit(got), np.signbit(np.array(expected)))


def test_a_square_has_the_same_bits_whether_the_exponent_is_constant():
    x = np.random.default_rng(0).standard_normal(4096).astype(np.float32)
    inputs, y = {"x": ("f4", ["n"])}, {"y": ("f4", ["n"])}
    constant = model([node("Pow", "x e", "y")], inputs, y, {"e": np.float32(2)})
    general = model([node("Pow", "x e", "y")], {**inputs, "e": ("f4", ["n"])}, y)
    (one,) = hwc.compile(constant)(x).outputs
    (other,) = hwc.compile(general)(x, np.full_like(x, 2)).outputs
    np.testing.assert_array_equal(one.view(np.int32), other.view(np.int32))


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0), (1, 3, 1), (2, 3, 4)])
def test_flatten(shape, axis):
    nodes = [node("Relu", "x", "r"), node("Flatten", "r", "y", axis=axis)]
    free = model(nodes, {"x": ("f4", ["a", "b", "c"])}, {"y": ("f4", ["d", "e"])})
    program = hwc.compile(free)
    assert [step.kind for step in program.package.steps] == ["machine"]
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    (got,) = program(x).outputs
    place = axis % 3 if axis < 0 else axis
    sizes = [int(np.prod(part)) for part in (shape[:place], shape[place:])]
    np.testing.assert_array_equal(got, x.reshape(sizes))


@pytest.mark.parametrize("type_", ["f4", "f2"])
def test_clip_without_a_bound_clips_infinities(type_):
    """The bounds default to the lowest and the largest number."""
    top = np.finfo(type_).max
    x = np.array([-INFINITY, -1, np.nan, INFINITY], type_)
    inputs, y = {"x": (type_, ["n"])}, {"y": (type_, ["n"])}
    bounds = {"low": np.array(0, type_), "high": np.array(0, type_)}
    for names, expected in (
        ("x", [-top, -1, np.nan, top]),
        ("x low", [0, 0, np.nan, top]),
        ("x  high", [-top, -1, np.nan, 0]),
    ):
        used = {name: bounds[name] for name in names.split()[1:]}
        (got,) = hwc.compile(model([node("Clip", names, "y")], inputs, y, used))(x).outputs
        np.testing.assert_array_equal(got, np.array(expected, type_))


def test_a_reason_does_not_excuse_a_wrong_result():
    (case,) = (each for each in cases("Sign") if (each.version, each.result[0]) == (9, "f16"))
    nan = np.float16("nan")
    right = Difference(case, "onnxruntime", (nan,), nan, np.float16(0), "")
    assert reason_for(right)
    assert not reason_for(right._replace(got=np.float16(1)))
    assert not reason_for(right._replace(operands=(np.float16(1),)))
    assert not reason_for(right._replace(judge="reference"))


FAST = ("LeakyRelu", "Selu", "Sign")
"""Operators whose edges the default run checks."""


def check(operator):
    compared, found = differences(operator)
    assert compared
    assert not [each.text for (_, why), all_ in found.items() if not why for each in all_]


@pytest.mark.parametrize("operator", FAST)
def test_special_values(operator):
    check(operator)


@pytest.mark.long
@pytest.mark.parametrize("operator", [each for each in OPERATORS if each not in FAST])
def test_special_values_of_the_others(operator):
    check(operator)
