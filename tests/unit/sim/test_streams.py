"""Canonical form, held blocks, and how often an element is fetched."""

import itertools

import numpy as np
import pytest

from isa.load import load
from isa.operands import S
from sim.kernel import Stream
from sim.streams import Pattern, canonical_levels
from sim.views import dense_strides


def pattern_of(sizes, iteration, kind, ring_bytes):
    """The pattern of a dense stream of these sizes and element type."""
    stream = Stream.dense(S(0), load().types[kind], 0, sizes)
    return Pattern.of(stream, iteration, ring_bytes)


@pytest.mark.parametrize(
    ("sizes", "iteration", "repeats", "data"),
    [
        ((), (), (1,), (1,)),
        ((1, 1), (1, 1), (1,), (1,)),
        ((3, 4, 5), (3, 4, 5), (1,), (60,)),
        ((1, 4, 5), (3, 4, 5), (1, 3), (20, 1)),
        ((3, 4, 1), (3, 4, 5), (5,), (12,)),
        ((1, 1, 1), (3, 4, 5), (60,), (1,)),
        ((3, 1, 5), (3, 4, 5), (1, 4), (5, 3)),
        ((1, 4, 1), (3, 4, 5), (5, 3), (4, 1)),
        ((2, 1, 3, 1, 5, 1), (2, 7, 3, 8, 5, 9), (9, 8, 7), (5, 3, 2)),
        ((1, 2, 1, 3, 1, 5), (7, 2, 8, 3, 9, 5), (1, 9, 8, 7), (5, 3, 2, 1)),
        ((0, 1), (0, 5), (5,), (0,)),
    ],
)
def test_canonical_levels(sizes, iteration, repeats, data):
    assert canonical_levels(iteration, dense_strides(sizes)) == (repeats, data)


@pytest.mark.parametrize(
    ("sizes", "iteration", "held"),
    [
        ((100, 100), (100, 100), 0),
        ((1, 2048), (9, 2048), 1),  # 8192 bytes: just fits
        ((1, 2049), (9, 2049), 0),
        ((5, 1, 2049), (5, 3, 2049), 0),
        ((1, 5, 1, 100), (2, 5, 3, 100), 2),
        ((1, 50, 1, 100), (2, 50, 3, 100), 1),
        ((100, 1), (100, 9), 0),
        ((1, 100, 1), (7, 100, 9), 1),
    ],
)
def test_the_outermost_block_that_fits_is_held(sizes, iteration, held):
    assert pattern_of(sizes, iteration, "f32", 8192).held == held


@pytest.mark.parametrize("ring_bytes", [2048, 8192])
def test_each_element_is_fetched_once_if_its_block_fits(ring_bytes):
    """Bytes fetched are the operand's own for every pattern whose blocks fit the ring."""
    for keep in itertools.product((True, False), repeat=4):
        iteration = (3, 5, 7, 11)
        sizes = tuple(n if k else 1 for n, k in zip(iteration, keep, strict=True))
        pattern = pattern_of(sizes, iteration, "i8", ring_bytes)
        assert pattern.fetched_elements == np.prod(sizes)
