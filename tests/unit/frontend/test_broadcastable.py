"""Shape inference against the dimension table of the Broadcastable trait, read literally."""

import itertools

import pytest

from hwc.dialects.broadcastable import (
    DYNAMIC,
    BroadcastError,
    expand_rank,
    infer_shape,
    show_shape,
    static_mismatch,
)

SIZES = (DYNAMIC, 0, 1, 2, 3)


def by_the_table(left, right):
    """The inferred size of two, or None where the table says error; 0 counts as more than 1."""
    if left == right:
        return left
    for one, other in ((left, right), (right, left)):
        if one == 1 or (one == DYNAMIC and other != 1):
            return other
    return None


@pytest.mark.parametrize(("left", "right"), list(itertools.product(SIZES, repeat=2)))
def test_two_sizes(left, right):
    expected = by_the_table(left, right)
    if expected is None:
        with pytest.raises(BroadcastError):
            infer_shape([(left,), (right,)])
    else:
        assert infer_shape([(left,), (right,)]) == (expected,)


@pytest.mark.parametrize("sizes", list(itertools.product(SIZES, repeat=3)))
def test_three_sizes_in_any_order(sizes):
    """All orders of the operands give the same, which is the table folded over them."""
    outcomes = set()
    for order in itertools.permutations(sizes):
        try:
            outcomes.add(infer_shape([(size,) for size in order]))
        except BroadcastError:
            outcomes.add(None)
    assert len(outcomes) == 1
    first = by_the_table(sizes[0], sizes[1])
    folded = None if first is None else by_the_table(first, sizes[2])
    assert outcomes == {None if folded is None else (folded,)}


def test_ranks_are_padded_on_the_left():
    assert expand_rank((3, 4), 4) == (1, 1, 3, 4)
    assert infer_shape([(), (2, 3)]) == (2, 3)
    assert infer_shape([(3,), (2, 1), (5, 1, 1)]) == (5, 2, 3)


def test_error_names_the_first_operand_that_decided():
    with pytest.raises(BroadcastError) as caught:
        infer_shape([(1, 1), (DYNAMIC, 4), (7, 2, 5)])
    assert (caught.value.dimension, caught.value.first, caught.value.second) == (2, (1, 4), (2, 5))


def test_declared_result():
    assert static_mismatch((DYNAMIC, 3), (5, DYNAMIC)) is None
    assert static_mismatch((2, 3), (2, 4)) == 1


def test_show():
    assert show_shape((2, DYNAMIC, 0)) == "2x?x0"
    assert show_shape(()) == "scalar"
