"""The larger and the smaller of many numbers and one, against NumPy's own with two arrays."""

import numpy as np
import pytest

from sim.semantics import execute, extremes

FLOATS = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 6, -6, 1e-45, -1e-45, 3.4e38, -3.4e38], np.float32
)
INTEGERS = np.array([0, 1, -1, 7, -(2**31), 2**31 - 1], np.int32)


def many(values):
    """Repeat the values until there are enough of them for `np.clip`."""
    return np.tile(values, -(-extremes.FEW // values.size))


@pytest.mark.parametrize("bound", FLOATS.view(np.int32).tolist())
@pytest.mark.parametrize("name", ["max.f32", "min.f32", "maxn.f32", "minn.f32"])
def test_a_bound_of_many_floats_is_that_of_each(name, bound):
    one = np.array(bound, np.int32)
    each = [execute(name, [x, one]) for x in FLOATS.view(np.int32)]
    for operands in ([many(FLOATS).view(np.int32), one], [one, many(FLOATS).view(np.int32)]):
        np.testing.assert_array_equal(execute(name, operands), many(np.array(each)))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("bound", INTEGERS.tolist())
def test_a_bound_of_many_integers(bound, dtype):
    x, one = many(INTEGERS).view(dtype), np.array([bound], np.int32).view(dtype)
    whole = np.broadcast_to(one, x.shape).copy()
    np.testing.assert_array_equal(extremes.larger(x, one), np.maximum(x, whole))
    np.testing.assert_array_equal(extremes.larger(one, x), np.maximum(x, whole))
    np.testing.assert_array_equal(extremes.smaller(x, one), np.minimum(x, whole))
    np.testing.assert_array_equal(extremes.smaller(one, x), np.minimum(x, whole))


@pytest.mark.parametrize("find", [extremes.larger, extremes.smaller])
def test_the_result_has_the_shape_of_both(find):
    rows = np.zeros((2, extremes.FEW), np.float32)
    assert find(rows, np.ones((1, 1, 1), np.float32)).shape == (1, *rows.shape)
