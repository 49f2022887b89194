"""Views show the same elements as NumPy's reshape and broadcasting, for every value of sizes."""

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.shapes import Product, SymbolTable, View
from hwc.shapes.views import dimension_groups

SYMBOLS = ("a", "b", "c")
VALUES = (0, 1, 2, 3)

sizes = st.one_of(st.integers(0, 6), st.sampled_from(SYMBOLS))
shapes = st.lists(sizes, max_size=4).map(tuple)
values = st.fixed_dictionaries({s: st.sampled_from(VALUES) for s in SYMBOLS})


def number(size, given):
    return given[size] if isinstance(size, str) else size


def evaluate(product, given):
    return product.factor * prod(given[s] for s in product.symbols)


def show(view, memory, given):
    """The array that a view shows of a root's elements: one element after another."""
    shape = tuple(number(s, given) for s in view.sizes)
    strides = [evaluate(t, given) for t in view.strides]
    array = np.empty(shape, int)
    for index in itertools.product(*(range(n) for n in shape)):
        array[index] = memory[view.offset + sum(i * t for i, t in zip(index, strides, strict=True))]
    return array


def memory_of(view, given):
    return np.arange(100, 100 + prod(number(s, given) for s in view.sizes) + view.offset)


@given(shapes, shapes, values)
def test_products_are_equal_only_if_the_numbers_are(first, second, given):
    a, b = Product.of(first), Product.of(second)
    assert evaluate(a, given) == prod(number(s, given) for s in first)
    assert evaluate(a * b, given) == evaluate(a, given) * evaluate(b, given)
    if a == b:
        assert evaluate(a, given) == evaluate(b, given)
    if a.divides(b) and evaluate(a, given):
        assert evaluate(b, given) % evaluate(a, given) == 0


@given(shapes, values)
def test_a_dense_view_is_row_major(shape, given):
    view = View.dense("x", shape)
    memory = memory_of(view, given)
    expected = memory.reshape(tuple(number(s, given) for s in shape))
    np.testing.assert_array_equal(show(view, memory, given), expected)


@st.composite
def reshapes(draw):
    """A shape, another with as many elements, and an operand that broadcasts to the first.

    Both shapes are made of the same factors, split into dimensions in different ways.
    """
    factors = draw(
        st.lists(st.one_of(st.sampled_from(SYMBOLS), st.sampled_from((2, 3))), max_size=4)
    )

    def shape():
        found = []
        for factor in factors:
            joins = found and isinstance(factor, int) and isinstance(found[-1], int)
            if joins and draw(st.booleans()):
                found[-1] *= factor
            else:
                found.append(factor)
            if draw(st.integers(0, 3)) == 0:
                found.append(1)
        return tuple(found)

    old, new = shape(), shape()
    operand = tuple(1 if draw(st.integers(0, 3)) == 0 else size for size in old)
    while operand and operand[0] == 1 and draw(st.booleans()):
        operand = operand[1:]
    return old, new, operand


@given(reshapes(), values, st.integers(0, 3))
def test_a_reshape_shows_what_numpy_shows(case, given, offset):
    old, new, operand = case
    dense = View.dense("x", operand)
    view = View("x", operand, dense.strides, offset).reshape(old, new)
    if operand == old:
        assert view is not None
    if view is None:
        return
    memory = memory_of(View("x", operand, dense.strides, offset), given)
    before = memory[offset:].reshape(tuple(number(s, given) for s in operand))
    full = np.broadcast_to(before, tuple(number(s, given) for s in old))
    after = full.reshape(tuple(number(s, given) for s in new))
    np.testing.assert_array_equal(np.broadcast_to(show(view, memory, given), after.shape), after)


@given(st.permutations(range(3)), st.tuples(*[st.integers(1, 3)] * 3))
def test_a_transposed_view_is_split_and_extended_but_not_joined(order, shape):
    """Strides that are not row-major: only neighbours that are evenly spaced can be joined."""
    dense = View.dense("x", shape)
    transposed = View("x", tuple(shape[i] for i in order), tuple(dense.strides[i] for i in order))
    memory = memory_of(dense, {})
    array = show(transposed, memory, {})
    for new in ((prod(shape),), (*transposed.sizes, 1), (transposed.sizes[0], -1), array.shape):
        new_sizes = array.reshape(new).shape
        view = transposed.reshape(transposed.sizes, new_sizes)
        if view is None:
            assert order != list(range(3)), "a row-major view can always be reshaped"
        else:
            np.testing.assert_array_equal(show(view, memory, {}), array.reshape(new))


@pytest.mark.parametrize(
    ("operand", "old", "new", "expected"),
    [
        (("a",), ("a",), ("a", 1), ("a", 1)),
        (("a",), ("d",), ("d", 1), ("a", 1)),
        (("a", 1), ("a", 1), ("a",), ("a",)),
        (("a", 1, "c"), ("a", "b", "c"), ("a", 1, "b", "c", 1), ("a", 1, 1, "c", 1)),
        (("b",), ("a", "b"), ("a", 1, "b"), (1, 1, "b")),
        ((12,), (12,), (3, 4), (3, 4)),
        (("a", 1), ("a", 12), ("a", 3, 4), ("a", 1, 1)),
        (("a", 12), ("d", 12), ("d", 3, 4), ("a", 3, 4)),
        (("a", 3, 4), ("d", 3, 4), ("d", 12), ("a", 12)),
        ((3, 4, "a"), (3, 4, "d"), (12, "d"), (12, "a")),
        (("a", "b"), ("a", "b"), ("r",), ("r",)),
        ((1, 1), ("a", "b"), ("r",), (1,)),
        ((), ("a", "b"), ("r",), (1,)),
        ((6, 4, "a"), (6, 4, "d"), (4, 6, "d"), (4, 6, "a")),
        ((2, "a", "b"), (2, "a", "d"), ("a", 2, "d"), ("a", 2, "b")),
        # Not provable: the operand may be 1 or not where dimensions are joined or split.
        ((3, 1), (3, 4), (12,), None),
        (("a", "b"), ("a", "d"), ("r",), None),
        (("a",), ("d",), ("r", 4), None),
        (("a", 1), ("a", "b"), ("r", 2), None),
        (("a",), (1,), (1, 1), None),
        # 0 times anything is 0: what follows a size of 0 need not hold as many elements.
        ((1, 3), (0, 3), (0, 5), None),
        ((0, 3), (0, 3), (0, 5), (0, 5)),
    ],
)
def test_reshapes_by_name(operand, old, new, expected):
    view = View.dense("x", operand).reshape(old, new)
    assert view == (None if expected is None else View.dense("x", expected))


def test_groups():
    assert dimension_groups(("a", 1, 4), ("a", 2, 2)) == [((0,), (0,)), ((2,), (1, 2))]
    assert dimension_groups(("a", "b"), ("r",)) is None
    assert dimension_groups((1, 1), (1,)) == []


def test_names_that_are_equal_are_resolved_first():
    table = SymbolTable()
    for name in ("a", "r"):
        table.leaf(name)
    table.require_equal("a", "r")
    view = View.dense("x", ("r", "a", 2)).resolve(table)
    assert view == View.dense("x", (table.resolve("a"), table.resolve("a"), 2))
    table.require_equal("a", 1)
    assert view.resolve(table) == View.dense("x", (1, 1, 2))


def test_leading_ones_make_no_other_stream():
    assert View.dense("x", (1, 1, "a")).same_stream(View.dense("x", ("a",)))
    assert not View.dense("x", ("a", 1)).same_stream(View.dense("x", ("a",)))
    assert not View.dense("x", ("a",)).same_stream(View.dense("y", ("a",)))
    assert not View.dense("x", (2,)).same_stream(View("x", (2,), (Product(1),), 2))
