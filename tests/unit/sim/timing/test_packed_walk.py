"""The walk of a packed ring: windows agree, a ring has room for the next strip, bursts by hand."""

import itertools
from math import prod

import numpy as np
import pytest
from kernels import TARGETS

from isa.load import load
from isa.operands import S
from sim.kernel import Stream
from sim.streams import Pattern
from sim.timing.bursts import requests
from sim.timing.packed_walk import PackedWalk


def walk_of(target, sizes, iteration, kind, address):
    """The walk of a dense stream, with the target's own lanes and strips."""
    stream = Stream.dense(S(0), load().types[kind], address, sizes)
    pattern = Pattern.of(stream, iteration, target.ring_bytes)
    return PackedWalk(target, pattern, address, target.lanes, target.vlen)


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
        strips = -(-prod(iteration) // target.vlen)
        for address in (0, size, target.axi_bytes - size):
            walk = walk_of(target, sizes, iteration, kind, address)
            parts = walk.strips(0, strips)
            before = np.concatenate(([0], parts.free[:-1]))
            held = int((parts.fill - before).max()) * size
            assert held <= target.ring_capacity, (iteration, sizes, address)
            assert (np.diff(parts.fill) >= 0).all() and (np.diff(parts.free) >= 0).all()
            assert parts.fill[-1] == parts.free[-1] == walk.total
            worst, cases = max(worst, held), cases + 1
    assert cases > 500
    assert worst > target.ring_bytes  # the guard rows are used


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_windows_of_strips_agree(target):
    iteration = (5, 3, 700, 2)
    strips = -(-prod(iteration) // target.vlen)
    walk = walk_of(target, (5, 1, 700, 1), iteration, "i16", 6)
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
