"""Canonical form, what is held, and that a ring always has room for the next strip."""

import itertools

import numpy as np
import pytest
from kernels import TARGETS

from isa.load import load
from isa.operands import S
from sim.kernel import Stream
from sim.streams import Pattern, canonical_levels
from sim.timing.bursts import requests
from sim.timing.packed_walk import PackedWalk
from sim.views import dense_strides


def pattern_of(sizes, iteration, kind, ring_bytes):
    """The pattern of a dense stream of these sizes and element type."""
    stream = Stream.dense(S(0), load().types[kind], 0, sizes)
    return Pattern.of(stream, iteration, ring_bytes)


def walk_of(target, pattern, address):
    """The walk of a pattern at an address, with the target's own lanes and strips."""
    return PackedWalk(target, pattern, address, target.lanes, target.vlen)


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


def _patterns(target, size):
    """Patterns whose strips ask most of a ring: blocks and runs about the ring's and a strip's."""
    ring, vlen = target.ring_bytes // size, target.vlen
    near = [1, 2, 3, vlen - 1, vlen + 1, ring // 2 - 1, ring // 2 + 1, ring - 1, ring, ring + 1]
    near += [1023, 1100, 1500, 1900, 2040]
    for middle, inner in itertools.product((1, 2, 3, 7), near):
        for keep in itertools.product((True, False), repeat=3):
            yield (
                (4, middle, inner),
                tuple(n if k else 1 for n, k in zip((4, middle, inner), keep, strict=True)),
            )
    for block, repeat in itertools.product((1, 3, 5, 17, ring // 5, ring // 3), (2, 3, 50)):
        yield (3, repeat, 5, 2, block), (3, 1, 5, 1, block)
        yield (3, 5, repeat, block, 3), (1, 5, 1, block, 1)
        yield (2, block, 3, repeat), (1, block, 1, repeat)
        yield (block, 2, repeat), (block, 1, repeat)


@pytest.mark.parametrize("kind", ["i8", "i16", "f32"])
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_a_strip_never_waits_for_itself(target, kind):
    """What strip s brings in fits beside what strip s-1 leaves: fill(s) - free(s-1) <= capacity."""
    size = load().types[kind].bytes
    worst = cases = 0
    for iteration, sizes in _patterns(target, size):
        pattern = pattern_of(sizes, iteration, kind, target.ring_bytes)
        strips = -(-pattern.points // target.vlen)
        for address in (0, size, target.axi_bytes - size):
            parts = walk_of(target, pattern, address).strips(0, strips)
            before = np.concatenate(([0], parts.free[:-1]))
            held = int((parts.fill - before).max()) * size
            assert held <= target.ring_capacity, (iteration, sizes, address)
            assert (np.diff(parts.fill) >= 0).all() and (np.diff(parts.free) >= 0).all()
            assert parts.fill[-1] == parts.free[-1] == pattern.fetched_elements
            worst, cases = max(worst, held), cases + 1
    assert cases > 500
    assert worst > target.ring_bytes  # the guard rows are used


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_windows_of_strips_agree(target):
    pattern = pattern_of((5, 1, 700, 1), (5, 3, 700, 2), "i16", target.ring_bytes)
    strips = -(-pattern.points // target.vlen)
    walk = walk_of(target, pattern, 6)
    whole = walk.strips(0, strips)
    for first in range(0, strips, 7):
        count = min(7, strips - first)
        part = walk.strips(first, count)
        for name in ("fill", "free", "beats", "cuts"):
            np.testing.assert_array_equal(
                getattr(part, name), getattr(whole, name)[first : first + count], name
            )
        for name, own in vars(requests(target, part.segments)).items():
            expected = getattr(requests(target, whole.segments), name)
            np.testing.assert_array_equal(own, expected[first : first + count], name)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_each_element_is_fetched_once_if_its_block_fits(target):
    """Bytes fetched are the operand's own for every pattern whose blocks fit the ring."""
    for keep in itertools.product((True, False), repeat=4):
        iteration = (3, 5, 7, 11)
        sizes = tuple(n if k else 1 for n, k in zip(iteration, keep, strict=True))
        pattern = pattern_of(sizes, iteration, "i8", target.ring_bytes)
        assert pattern.fetched_elements == np.prod(sizes)
