"""One package, every shape: fully dynamic programs of each rank against NumPy's broadcasting."""

import itertools
from functools import cache
from math import prod

import numpy as np
import pytest
from e2e.support.tosa_text import add_program, dynamic, one_operator
from hypothesis import given, settings
from hypothesis import strategies as st

import hwc
from hwc.errors import DispatchError

TARGETS = ("accel", "tiny", "wide")
SETS_PER_RANK = 200


@cache
def adder(rank: int, target: str = "accel") -> hwc.Program:
    return hwc.compile(add_program(dynamic(rank), dynamic(rank), dynamic(rank)), target)


@cache
def selector(rank: int, target: str = "accel") -> hwc.Program:
    shape = dynamic(rank)
    operands = [(shape, "i1"), (shape, "i32"), (shape, "i32")]
    return hwc.compile(one_operator("select", operands, (shape, "i32")), target)


def floats(shape, rng):
    return rng.standard_normal(shape, dtype=np.float32)


def check_add(program, a_shape, b_shape, rng):
    a, b = floats(a_shape, rng), floats(b_shape, rng)
    (output,) = program(a, b).outputs
    expected = a + b
    assert output.shape == expected.shape
    np.testing.assert_array_equal(output.view(np.uint32), expected.view(np.uint32))


def shape_sets(rank: int, rng: np.random.Generator):
    """Distinct pairs of shapes that broadcast, of at most some thousand points."""
    largest = {0: 1, 1: 5000, 2: 90, 3: 24, 4: 11, 5: 7, 6: 5}[rank]
    seen = set()
    tries = 0
    while len(seen) < SETS_PER_RANK and tries < 100 * SETS_PER_RANK:
        tries += 1
        full = rng.integers(1, largest + 1, rank)
        a, b = (tuple(int(s) for s in np.where(rng.random(rank) < 0.35, 1, full)) for _ in "ab")
        if (a, b) not in seen:
            seen.add((a, b))
            yield a, b


@pytest.mark.parametrize("rank", range(7))
@pytest.mark.parametrize("target", TARGETS)
def test_many_shapes_per_rank(rank, target):
    rng = np.random.default_rng(rank)
    count = 0
    for a, b in shape_sets(rank, rng):
        check_add(adder(rank, target), a, b, rng)
        count += 1
    assert count == (SETS_PER_RANK if rank else 1)


SIZES = (3, 100)


@pytest.mark.parametrize("target", TARGETS)
def test_every_pattern_of_ones_of_two_operands(target):
    rng = np.random.default_rng(2)
    patterns = list(itertools.product((False, True), repeat=2))
    for ones in itertools.product(patterns, repeat=2):
        shapes = [tuple(1 if one else s for one, s in zip(o, SIZES, strict=True)) for o in ones]
        check_add(adder(2, target), *shapes, rng)


@pytest.mark.parametrize("target", TARGETS)
def test_every_pattern_of_ones_of_three_operands(target):
    rng = np.random.default_rng(3)
    program = selector(2, target)
    patterns = list(itertools.product((False, True), repeat=2))
    for ones in itertools.product(patterns, repeat=3):
        shapes = [tuple(1 if one else s for one, s in zip(o, SIZES, strict=True)) for o in ones]
        condition = rng.integers(0, 2, shapes[0]).astype(bool)
        a, b = (rng.integers(-99, 99, s, np.int32) for s in shapes[1:])
        (output,) = program(condition, a, b).outputs
        expected = np.where(condition, a, b)
        assert output.shape == expected.shape
        np.testing.assert_array_equal(output, expected)


@settings(max_examples=150)
@given(st.data())
def test_any_shapes_fit_or_are_refused_as_in_numpy(data):
    rank = data.draw(st.integers(0, 6), label="rank")
    size = st.sampled_from((0, 1, 1, 2, 3, 5, 8, 17))
    a, b = (data.draw(st.tuples(*[size] * rank), label=name) for name in "ab")
    rng = np.random.default_rng(0)
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(DispatchError, match="do not broadcast"):
            adder(rank)(np.zeros(a, np.float32), np.zeros(b, np.float32))
    else:
        if prod(shape) <= 1 << 16:
            check_add(adder(rank), a, b, rng)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((4, 5), (3, 5), r"'tosa.add' in dimension 0 of the result: sizes 4 .*%a.* and 3 .*%b"),
        ((2, 5), (64, 5), r"'tosa.add' in dimension 0 of the result: sizes 2 .*%a.* and 64 .*%b"),
        ((0, 5), (3, 5), r"sizes 0 .* and 3 .* do not broadcast"),
        ((4, 5), (5,), r"argument 1 \(%b\): got rank 1, shape \(5,\); expected rank 2"),
        ((4, 5), (1, 4, 5), r"argument 1 \(%b\): got rank 3"),
    ],
)
def test_refused_before_dispatch(a, b, message):
    with pytest.raises(DispatchError, match=message):
        adder(2)(np.zeros(a, np.float32), np.zeros(b, np.float32))


def test_wrong_dtype_and_count_are_refused():
    a = np.zeros((4, 5), np.float32)
    with pytest.raises(DispatchError, match=r"argument 1 \(%b\): got dtype float64, expected f"):
        adder(2)(a, a.astype(np.float64))
    with pytest.raises(DispatchError, match="got 1 argument, expected 2"):
        adder(2)(a)
    with pytest.raises(DispatchError, match="got 3 arguments, expected 2"):
        adder(2)(a, a, a)


def test_a_static_size_that_differs_is_refused_and_the_place_is_named():
    program = hwc.compile(add_program((None, 5), (4, 1), (4, 5)))
    assert program(np.ones((1, 5), np.float32), np.ones((4, 1), np.float32)).outputs[0].sum() == 40
    with pytest.raises(DispatchError, match=r"-:2:\d+: error: 'tosa.add' in dimension 0"):
        program(np.ones((3, 5), np.float32), np.ones((4, 1), np.float32))
    with pytest.raises(DispatchError, match=r"argument 1 \(%b\), dimension 0: got size 5, exp"):
        program(np.ones((1, 5), np.float32), np.ones((5, 1), np.float32))


@pytest.mark.parametrize(("a", "b", "r"), [((0, 5), (1, 5), (0, 5)), ((3, 0), (1, 1), (3, 0))])
def test_zero_sizes(a, b, r):
    (output,) = adder(2)(np.zeros(a, np.float32), np.zeros(b, np.float32)).outputs
    assert output.shape == r
