"""Values of sizes and of keys, as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from hwc.errors import UserError
from hwc.sweeps.ranges import MOST_VALUES, given_values, read_sizes, read_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("7", (7,)),
        ("0", (0,)),
        ("64,768,64", (64, 768)),
        ("3..6", (3, 4, 5, 6)),
        ("1..20:+7", (1, 8, 15)),
        ("1..22:+7", (1, 8, 15, 22)),
        ("0..4:+2", (0, 2, 4)),
        ("1..4096:*2", tuple(2**i for i in range(13))),
        ("3..100:*3", (3, 9, 27, 81)),
        ("5..5", (5,)),
        ("1..4:*2, 3, 100..102", (1, 2, 4, 3, 100, 101, 102)),
    ],
)
def test_values(text, values):
    assert read_values(text, "here") == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got '', expected a number, a range such as"),
        ("a", "got 'a', expected a number"),
        ("-1", "got '-1', expected a number"),
        ("1...4", "got '1...4', expected a number"),
        ("1..4:2", "got '1..4:2', expected a number"),
        ("٣", "got '٣', expected a number"),
        ("1,,2", "got '', expected a number"),
        ("5..1", "the range 5..1 is empty: 5 is above 1"),
        ("1..9:+0", "the range 1..9:+0 never ends: add at least 1"),
        ("1..9:*1", "the range 1..9:*1 never ends: start at 1 or above, and multiply by 2"),
        ("0..9:*2", "the range 0..9:*2 never ends: start at 1 or above, and multiply by 2"),
        (f"1..{2 * MOST_VALUES}", "more than 1,000,000 values"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(UserError) as refused:
        read_values(text, "here")
    assert str(refused.value).startswith(f"here: error: {message}")


def test_sizes():
    assert read_sizes("n=1..4096:*64, d=64,768 , x.0=y.0=3", "here") == {
        ("n",): (1, 64, 4096),
        ("d",): (64, 768),
        ("x.0", "y.0"): (3,),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "here: error: got '3', expected NAME=VALUES"),
        ("=3", "here: error: got '=3', expected NAME=VALUES"),
        ("n=1,n=2", "here: error: n is given twice"),
        ("n=n=2", "here: error: n is given twice"),
        ("n=1,d=x", "here: d: error: got 'x', expected a number"),
    ],
)
def test_sizes_that_are_refused(text, message):
    with pytest.raises(UserError) as refused:
        read_sizes(text, "here")
    assert str(refused.value).startswith(message)


def test_values_from_python():
    assert given_values(3, "here") == given_values(np.int64(3), "here") == (3,)
    assert given_values("1..3", "here") == (1, 2, 3)
    assert given_values(range(2, 7, 2), "here") == (2, 4, 6)
    assert given_values([5, 5, 4], "here") == (5, 4)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "no values"),
        (None, "got None, expected numbers or a text"),
        ({1: 2}, "got {1: 2}, expected numbers or a text"),
        ([1.5], "got 1.5, expected whole numbers"),
        ([True], "got True, expected whole numbers"),
        ([-1], "got -1, expected 0 or more"),
    ],
)
def test_values_from_python_that_are_refused(values, message):
    with pytest.raises(UserError) as refused:
        given_values(values, "here")
    assert str(refused.value) == f"here: error: {message}"
