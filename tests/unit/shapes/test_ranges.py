"""Ranges are compared with the sets of sizes that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.shapes.ranges import ANY, MAX_VALUES, Range

LIMIT = 40


@st.composite
def ranges(draw):
    """A range below LIMIT made as the table makes them, with some sizes left."""
    if draw(st.booleans()):
        return Range.of(draw(st.sets(st.integers(0, LIMIT), min_size=1, max_size=4)))
    low = draw(st.integers(0, LIMIT))
    result = Range(low, draw(st.integers(low, LIMIT)))
    modulus = draw(st.integers(1, 6))
    others = [Range.multiple(modulus, draw(st.integers(0, modulus - 1)))]
    others += [Range.without(value) for value in draw(st.lists(st.integers(0, LIMIT), max_size=2))]
    for other in others:
        result = result.meet(other) or result
    return result


def sizes(range_):
    return {x for x in range(LIMIT + 1) if range_.contains(x)}


@given(ranges(), ranges())
def test_meet_has_exactly_the_common_sizes(first, second):
    both = first.meet(second)
    assert (sizes(both) if both else set()) == sizes(first) & sizes(second)


@given(ranges(), ranges())
def test_join_has_the_sizes_of_both(first, second):
    assert sizes(first.join(second)) >= sizes(first) | sizes(second)


@given(ranges(), ranges())
def test_times_has_all_products(first, second):
    products = first.times(second)
    assert all(products.contains(a * b) for a in sizes(first) for b in sizes(second))


@given(ranges(), st.integers(1, 7))
def test_divided_has_exactly_the_quotients_of_a_set_and_all_of_a_range(first, divisor):
    wanted = {x // divisor for x in sizes(first) if x % divisor == 0}
    quotients = first.divided(divisor)
    found = sizes(quotients) if quotients else set()
    assert found >= wanted
    if first.values is not None:
        assert found == wanted


@given(ranges(), ranges())
def test_limits_are_sizes_themselves(first, second):
    for range_ in (first.meet(second), first.join(second)):
        if range_ is not None:
            assert range_.contains(range_.low)
            assert range_.contains(range_.high)


@given(ranges())
def test_a_range_within_sizes(first):
    if first.values is not None or first.low == first.high:
        assert first.within(sizes(first))
    assert not first.within(sizes(first) - {first.low})


def test_a_union_of_sets_is_a_set():
    both = Range.of({1, 5}).join(Range.of({1, 7}))
    assert both.values == {1, 5, 7}
    assert Range.of({1, 5}).meet(Range.of({1, 7})) == Range(1, 1)


def test_a_multiple_or_one_excludes_what_lies_between():
    assert Range.multiple(8).excludes_one
    assert not Range.multiple(8).join(Range(1, 1)).excludes_one
    assert Range.multiple(8).join(Range(16, 64)).excludes_one


def test_a_large_set_is_kept_as_its_limits():
    many = Range.of(range(8, 8 * (MAX_VALUES + 2), 8))
    assert many.values is None
    assert (many.low, many.high, many.modulus) == (8, 8 * (MAX_VALUES + 1), 8)


@pytest.mark.parametrize(
    ("range_", "text"),
    [
        (Range(4, 4), "4"),
        (Range(2, 9), "2 to 9"),
        (ANY, "0 or more"),
        (Range(2, ANY.high), "2 or more"),
        (Range.of({1, 5}), "{1, 5}"),
        (Range.multiple(8), "a multiple of 8"),
        (Range.multiple(8, 3), "3 modulo 8"),
        (Range.multiple(8).meet(Range(2, 4096)), "8 to 4096, a multiple of 8"),
        (Range.without(1), "not 1"),
        (Range.without(1).meet(Range(0, 9)), "0 to 9, not 1"),
        (Range.without(0), "1 or more"),
    ],
)
def test_text(range_, text):
    assert str(range_) == text


@pytest.mark.parametrize(
    ("known", "size", "expected"),
    [
        (ANY, 7, 7),
        (Range(512, 4096), 64, 512),
        (Range(512, 4096), 4097, None),
        (Range.multiple(96), 97, 192),
        (Range.multiple(8, 3), 4, 11),
        (Range.without(64), 64, 65),
        (Range.of([1, 4096]), 2, 4096),
        (Range.of([1, 4096]), 4097, None),
    ],
)
def test_the_next_size_of_a_range(known, size, expected):
    assert known.at_least(size) == expected
