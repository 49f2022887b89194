"""Comparison of outputs."""

import json
import tracemalloc

import numpy as np
import pytest
from element_types import DTYPES

from hwc.cli.compare import BLOCK, Tolerance, Unlike, difference, ulp_distance

EXACT = Tolerance()


def f32(*values):
    return np.array(values, np.float32)


def lines(actual, expected, tolerance=EXACT):
    """The report with single blanks; none if nothing differs."""
    found = difference(actual, expected, tolerance)
    return [] if found is None else [" ".join(line.split()) for line in str(found).splitlines()]


def test_exact_means_the_same_bits_and_any_nan():
    x = f32(1, -0.0, np.inf, np.nan)
    assert difference(x, x.copy(), EXACT) is None
    other_nan = np.array([0xFFC00001], np.uint32).view(np.float32)
    assert difference(f32(np.nan), other_nan, EXACT) is None
    assert str(difference(f32(0.0), f32(-0.0), EXACT)) == (
        "1 of 1 elements differs\n"
        "  first           at [0]: got 0.0, expected -0.0, 0 apart, 1 ulp\n"
        "  largest         at [0]: got 0.0, expected -0.0, 0 apart, 1 ulp\n"
        "  largest in ulp  at [0]: got 0.0, expected -0.0, 0 apart, 1 ulp"
    )


def test_the_number_the_first_and_the_largest():
    x = np.zeros((2, 3), np.int8)
    y = x.copy()
    y[1, 0], y[1, 1], y[1, 2] = 4, -128, 127
    assert lines(x, y) == [
        "3 of 6 elements differ",
        "first at [1, 0]: got 0, expected 4, 4 apart",
        "largest at [1, 1]: got 0, expected -128, 128 apart",
    ]
    assert lines(np.array(3, np.int32), np.array(4, np.int32)) == [
        "1 of 1 elements differs",
        "first got 3, expected 4, 1 apart",
        "largest got 3, expected 4, 1 apart",
    ]
    assert difference(np.zeros((0, 3)), np.zeros((0, 3)), EXACT) is None


def test_the_largest_in_ulp_may_be_another_element():
    """Between 1e9 and 1e9 + 64 lies nothing; between 0 and 1 lie most of the numbers.

    As in NumPy, 1e9 + 64 is shown by the fewest digits that tell it from its neighbours.
    """
    assert lines(f32(1, 0, 1e9), f32(1.5, 1, 1e9 + 64)) == [
        "3 of 3 elements differ",
        "first at [0]: got 1.0, expected 1.5, 0.5 apart, 4194304 ulp",
        "largest at [2]: got 1000000000.0, expected 1000000060.0, 64 apart, 1 ulp",
        "largest in ulp at [1]: got 0.0, expected 1.0, 1 apart, 1065353216 ulp",
    ]


def test_nan_and_infinities():
    """A NaN on one side has no distance; an infinity is infinitely far, and one ulp from the end.

    Equal infinities are equal.
    """
    most = np.finfo(np.float32).max
    assert lines(f32(np.nan, 1, np.inf, most, np.inf), f32(1, np.nan, np.inf, np.inf, -np.inf)) == [
        "4 of 5 elements differ",
        "first at [0]: got nan, expected 1.0",
        "largest at [3]: got 3.4028235e+38, expected inf, inf apart, 1 ulp",
        "largest in ulp at [4]: got inf, expected -inf, inf apart, 4278190081 ulp",
        "one value NaN 2 of 4",
    ]
    assert lines(f32(np.nan), f32(1)) == [
        "1 of 1 elements differs",
        "first at [0]: got nan, expected 1.0",
        "one value NaN 1 of 1",
    ]


@pytest.mark.parametrize("dtype", ["i1", "<i2", "<i4"])
def test_distances_of_integers_do_not_wrap(dtype):
    limits = np.iinfo(dtype)
    found = difference(np.array([limits.max], dtype), np.array([limits.min], dtype), EXACT)
    assert (found.largest.absolute, found.largest_ulp) == (2**limits.bits - 1, None)


def test_booleans_have_no_distance():
    assert lines(np.array([True, False]), np.array([True, True])) == [
        "1 of 2 elements differs",
        "first at [1]: got False, expected True",
    ]


def test_json_has_no_nan_and_no_infinity():
    found = difference(f32(np.nan, 5, 1), f32(1, -np.inf, 3), EXACT).to_json()
    json.dumps(found, allow_nan=False)
    del found["text"]
    far = {"position": [1], "got": 5.0, "expected": "-inf", "absolute": "inf", "ulp": 3223322625}
    assert found == {
        "elements": 3,
        "different": 3,
        "one_nan": 1,
        "first": {
            "position": [0],
            "got": "nan",
            "expected": 1.0,
            "absolute": None,
            "ulp": None,
        },
        "largest": far,
        "largest_ulp": far,
    }
    assert difference(f32(1), f32(1, 2), EXACT).to_json() == {
        "text": "got shape (1,), expected (2,)"
    }


def test_shape_and_dtype_come_first():
    assert difference(f32(1), f32(1, 2), EXACT) == Unlike("got shape (1,), expected (2,)")
    assert difference(f32(1), np.zeros(1), EXACT) == Unlike("got dtype float32, expected float64")
    assert difference(f32(1, 2), np.array([1, 2], ">f4"), EXACT) is None
    assert lines(f32(1, 2), np.array([1, 4], ">f4"))[1].startswith("first at [1]: got 2.0, expec")


@pytest.mark.parametrize("dtype", DTYPES.values())
@pytest.mark.parametrize("layout", ["same", "fortran", "reversed", "broadcast"])
def test_blocks_of_every_layout(dtype, layout):
    """Three blocks, with differences on both sides of their ends, against the whole at once."""
    rng = np.random.default_rng(0)
    shape = (3, BLOCK // 2, 2)
    x = rng.integers(0, 2, shape).astype(dtype)
    if layout == "broadcast":
        x = np.ascontiguousarray(np.broadcast_to(x[:1, :1], shape))
    y = x.copy()
    for at in (BLOCK - 1, BLOCK, 2 * BLOCK, 3 * BLOCK - 1) if layout != "broadcast" else ():
        y.reshape(-1)[at] = 1 - x.reshape(-1)[at].astype(int)
    given = {
        "same": y,
        "fortran": np.asfortranarray(y),
        "reversed": y[::-1].copy()[::-1],
        "broadcast": np.broadcast_to(y[:1, :1], shape),
    }[layout]
    found = difference(x, given, EXACT)
    if layout == "broadcast":
        assert found is None
        return
    assert (found.different, found.first.position) == (4, (0, BLOCK // 2 - 1, 1))
    if dtype != np.bool_:
        assert found.largest == found.first
    x[2, BLOCK // 2 - 1, 1] = 5
    found = difference(x, given, EXACT)
    if dtype != np.bool_:
        assert found.largest.position == (2, BLOCK // 2 - 1, 1)


def test_memory_does_not_grow_with_the_arrays(tmp_path):
    """Arrays of 32 MiB of which every element differs, one of them in a file."""
    x = np.arange(1 << 23, dtype=np.float32)
    np.save(tmp_path / "x.npy", np.zeros_like(x))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    tracemalloc.start()
    try:
        found = difference(x, mapped, Tolerance(ulp=1, rtol=1e-6))
        assert tracemalloc.get_traced_memory()[1] < 100 * BLOCK
    finally:
        tracemalloc.stop()
    assert found.different == x.size - 1
    assert found.largest.position == (x.size - 1,)


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
    most = np.finfo(np.float32).max
    assert difference(f32(near), f32(1), Tolerance(ulp=1)) is None
    assert difference(f32(near), f32(1), EXACT) is not None
    assert difference(f32(1.1), f32(1), Tolerance(rtol=0.2)) is None
    assert difference(f32(1.1), f32(1), Tolerance(atol=0.05)) is not None
    assert difference(f32(np.inf), f32(1), Tolerance(rtol=1.0)) is not None
    assert difference(f32(1), f32(np.inf), Tolerance(rtol=1.0)) is not None
    assert difference(f32(np.inf), f32(most), Tolerance(ulp=1)) is None
    assert difference(f32(np.nan), f32(1), Tolerance(ulp=1 << 40, atol=9.0)) is not None
    assert difference(f32(1), f32(np.nan), Tolerance(ulp=1 << 40, atol=9.0)) is not None
    assert (
        difference(np.array([1], np.int8), np.array([2], np.int8), Tolerance(9, 9, 9)) is not None
    )


def test_what_is_within_the_tolerance_is_not_counted():
    """Not even as the largest difference: 1 is far in ulp, and within `atol`."""
    assert lines(f32(0, 100, 300), f32(1, 103, 305), Tolerance(atol=2)) == [
        "2 of 3 elements differ",
        "first at [1]: got 100.0, expected 103.0, 3 apart, 393216 ulp",
        "largest at [2]: got 300.0, expected 305.0, 5 apart, 163840 ulp",
        "largest in ulp at [1]: got 100.0, expected 103.0, 3 apart, 393216 ulp",
    ]


def test_a_nan_is_never_the_largest():
    """Its bits are far from -1's; it is counted in every block."""
    x, y = np.zeros(2 * BLOCK, np.float32), np.zeros(2 * BLOCK, np.float32)
    x[[0, -1]], y[[0, -1]] = np.nan, -1
    x[7] = 1e-45
    found = difference(x, y, EXACT)
    assert (found.different, found.nan) == (3, 2)
    assert found.largest_ulp.position == found.largest.position == (7,)
    assert found.largest_ulp.ulp == 1


def test_the_first_is_the_first_in_rows_whatever_the_layout():
    x, y = (np.zeros((2, 3), np.int8, order="F") for _ in range(2))
    x[0, 2] = x[1, 0] = 1
    assert difference(x, y, EXACT).first.position == (0, 2)
