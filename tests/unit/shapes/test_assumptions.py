"""What is known of sizes if shapes are equal."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from hwc.shapes import SymbolTable
from hwc.shapes.assumptions import assuming_equal
from hwc.shapes.ranges import Range


def table_of(*leaves):
    table = SymbolTable()
    for leaf in leaves:
        table.leaf(leaf)
    return table


def test_equal_shapes_have_one_symbol_each_dimension():
    table = table_of("a", "b", "c", "d")
    new = assuming_equal(table, [("a", "b"), ("c", "d")])
    assert new is not None
    assert new.resolve("a") == new.resolve("c") != new.resolve("b") == new.resolve("d")
    assert table.resolve("a") != table.resolve("c"), "the table itself does not change"


def test_shorter_shapes_are_padded():
    new = assuming_equal(table_of("a", "b"), [("a", "b"), ("b",)])
    assert new is not None
    assert new.resolve("a") == 1


def test_a_broadcast_between_equal_ones_is_equal():
    table = table_of("a", "b", "c", "d")
    first, second = table.broadcast(["a", "b"]), table.broadcast(["a", "c"])
    between, beyond = table.broadcast(["a", "b", "c"]), table.broadcast(["a", "b", "d"])
    new = assuming_equal(table, [(first,), (second,)])
    assert new is not None
    assert new.resolve(first) == new.resolve(second) == new.resolve(between)
    assert new.resolve(beyond) != new.resolve(first)


def test_sizes_that_exclude_each_other():
    table = table_of("a", "b")
    table.assume("a", Range(2, 4))
    table.assume("b", Range(5, 9))
    assert assuming_equal(table, [("a",), ("b",)]) is None
    assert assuming_equal(table, [(3,), (4,)]) is None


@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=2, max_size=4))
def test_what_is_concluded_holds(sets):
    """For all sizes of 1 and 2 at which the first two broadcasts are equal."""
    table = table_of(*"abcd")
    names = [table.broadcast(sorted(one)) for one in sets]
    new = assuming_equal(table, [(names[0],), (names[1],)])
    assert new is not None
    for sizes in itertools.product((1, 2), repeat=4):
        value = dict(zip("abcd", sizes, strict=True))
        values = [max(value[leaf] for leaf in one) for one in sets]
        if values[0] != values[1]:
            continue
        for (one, of_one), (two, of_two) in itertools.combinations(
            zip(names, values, strict=True), 2
        ):
            if new.resolve(one) == new.resolve(two):
                assert of_one == of_two
