"""Views as sizes and strides: against NumPy's own strides, and against every element visited."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.views import dense_strides, extent, merge, pad_sizes, pad_strides

SHAPES = [s for rank in range(5) for s in itertools.product((1, 2, 3, 5), repeat=rank)]


@pytest.mark.parametrize("rank", range(5))
def test_dense_strides_are_numpys_except_that_sizes_of_1_repeat(rank):
    for shape in (s for s in SHAPES if len(s) == rank):
        steps = np.empty(shape, np.int8).strides
        assert dense_strides(shape) == tuple(
            0 if size == 1 else step for size, step in zip(shape, steps, strict=True)
        )


def test_padding_is_on_the_left():
    assert pad_sizes((4, 5), 4) == (1, 1, 4, 5)
    assert pad_strides((5, 1), 4) == (0, 0, 5, 1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=4))
def test_extent_is_that_of_all_elements(dimensions):
    sizes, strides = [n for n, _ in dimensions], [s for _, s in dimensions]
    elements = [np.dot(index, strides) for index in np.ndindex(*sizes)]
    first, end = extent(sizes, strides)
    if elements:
        assert (first, end) == (min(elements), max(elements) + 1)
    else:
        assert first == end


@pytest.mark.parametrize(
    ("sizes", "views", "merged", "strides"),
    [
        ((), [()], (), [()]),
        ((1, 1), [(0, 0)], (), [()]),
        ((3, 4, 5), [(20, 5, 1)], (60,), [(1,)]),
        ((3, 1, 5), [(5, 0, 1)], (15,), [(1,)]),
        ((3, 4, 5), [(0, 0, 0)], (60,), [(0,)]),
        ((3, 4, 5), [(0, 5, 1)], (3, 20), [(0, 1)]),
        ((2, 3, 1, 4), [(12, 4, 0, 1), (0, 0, 0, 1)], (6, 4), [(4, 1), (0, 1)]),
        # A gap between rows, and a walk backwards.
        ((3, 4), [(8, 2)], (12,), [(2,)]),
        ((3, 4), [(9, 2)], (3, 4), [(9, 2)]),
        ((3, 4), [(-4, -1)], (12,), [(-1,)]),
    ],
)
def test_neighbours_that_every_view_walks_alike_are_one(sizes, views, merged, strides):
    assert merge(sizes, views) == (merged, strides)


@given(st.data())
def test_a_merged_space_is_walked_in_the_same_order(data):
    sizes = data.draw(st.lists(st.integers(1, 4), max_size=4))
    views = [
        data.draw(st.lists(st.integers(-4, 4), min_size=len(sizes), max_size=len(sizes)))
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    merged, strides = merge(sizes, views)
    for own, after in zip(views, strides, strict=True):
        walked = [int(np.dot(index, own)) for index in np.ndindex(*sizes)]
        assert [int(np.dot(index, after)) for index in np.ndindex(*merged)] == walked
