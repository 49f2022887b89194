"""Comparison of outputs."""

import numpy as np
import pytest

from hwc.cli.compare import Tolerance, difference, ulp_distance

EXACT = Tolerance()


def f32(*values):
    return np.array(values, np.float32)


def test_exact_means_the_same_bits_and_any_nan():
    x = f32(1, -0.0, np.inf, np.nan)
    assert difference(x, x.copy(), EXACT) is None
    other_nan = np.array([0xFFC00001], np.uint32).view(np.float32)
    assert difference(f32(np.nan), other_nan, EXACT) is None
    assert difference(f32(0.0), f32(-0.0), EXACT) == (
        "1 of 1 elements differ; the first at [0]: got 0.0, expected -0.0, 1 ulp apart"
    )


def test_the_first_difference_and_their_number():
    x = np.zeros((2, 3), np.int8)
    y = x.copy()
    y[1, 1] = 4
    y[1, 2] = 5
    assert difference(x, y, EXACT) == (
        "2 of 6 elements differ; the first at [1, 1]: got 0, expected 4"
    )
    assert difference(np.int32(3)[()].reshape(()), np.array(4, np.int32), EXACT) == (
        "1 of 1 elements differ; the first: got 3, expected 4"
    )
    assert difference(np.zeros((0, 3)), np.zeros((0, 3)), EXACT) is None


def test_shape_and_dtype_come_first():
    assert difference(f32(1), f32(1, 2), EXACT) == "got shape (1,), expected (2,)"
    assert difference(f32(1), np.zeros(1), EXACT) == "got dtype float32, expected float64"
    assert difference(f32(1, 2), np.array([1, 2], ">f4"), EXACT) is None


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (1.0, 1.0, 0),
        (1.0, np.nextafter(np.float32(1), np.float32(2)), 1),
        (0.0, -0.0, 1),
        (1e-45, -1e-45, 3),
        (np.finfo(np.float32).max, np.inf, 1),
    ],
)
def test_ulp_distance(a, b, distance):
    assert ulp_distance(f32(a), f32(b)) == [distance]
    assert ulp_distance(f32(b), f32(a)) == [distance]


def test_ulp_distance_is_that_of_the_format():
    a = np.array([1.0, -1.0, 0.0, 65504.0], np.float16)
    b = np.array([1.0009765625, -0.99951171875, -0.0, np.inf], np.float16)
    assert ulp_distance(a, b).tolist() == [1, 1, 1, 1]


def test_tolerances():
    near = np.nextafter(np.float32(1), np.float32(2))
    assert difference(f32(near), f32(1), Tolerance(ulp=1)) is None
    assert difference(f32(near), f32(1), EXACT) is not None
    assert difference(f32(1.1), f32(1), Tolerance(rtol=0.2)) is None
    assert difference(f32(1.1), f32(1), Tolerance(atol=0.05)) is not None
    assert difference(f32(np.inf), f32(1), Tolerance(rtol=1.0)) is not None
    assert difference(f32(np.nan), f32(1), Tolerance(ulp=1 << 40, atol=9.0)) is not None
    assert difference(f32(1), f32(np.nan), Tolerance(ulp=1 << 40, atol=9.0)) is not None
    assert (
        difference(np.array([1], np.int8), np.array([2], np.int8), Tolerance(9, 9, 9)) is not None
    )
