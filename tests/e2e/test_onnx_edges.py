"""Edges of ONNX operators: special values and sizes of 0 and 1, whatever is constant."""

import numpy as np
import pytest
from e2e.support.onnx_edges import EXPLAINED, OPERATORS, differences
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


FAST = ("Clip", "LeakyRelu", "Sign")
"""Operators whose edges the default run checks."""


def check(operator):
    compared, found = differences(operator)
    assert compared
    assert {judge for judge in found if (operator, judge) not in EXPLAINED} == set(), found


@pytest.mark.parametrize("operator", FAST)
def test_special_values(operator):
    check(operator)


@pytest.mark.long
@pytest.mark.parametrize("operator", [each for each in OPERATORS if each not in FAST])
def test_special_values_of_the_others(operator):
    check(operator)
