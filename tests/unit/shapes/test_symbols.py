"""Symbols: what the table claims holds for every assignment of sizes that passes the checks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.shapes import SizeConflict, SymbolTable, strip_ones
from hwc.shapes.ranges import Range

SIZES = (0, 1, 2, 3)
LEAVES = ("s0", "s1", "s2", "s3")


def table_with(*leaves):
    table = SymbolTable()
    for leaf in leaves:
        table.leaf(leaf)
    return table


def broadcast(values):
    """The rule itself: 1 yields, equal stays, anything else is None."""
    result = 1
    for value in values:
        if result == 1:
            result = value
        elif value not in (1, result):
            return None
    return result


def test_broadcast_is_a_set():
    table = table_with("a", "b", "c")
    ab = table.broadcast(["a", "b"])
    assert table.broadcast(["b", "a", "b", 1]) == ab
    assert table.broadcast([ab, "c"]) == table.broadcast(["a", table.broadcast(["c", "b"])])
    assert ab != table.broadcast(["a", "c"])


def test_one_is_neutral_and_a_static_size_wins():
    table = table_with("a")
    assert table.broadcast(["a", 1]) == "a"
    assert table.broadcast([1, 1]) == 1
    assert table.broadcast(["a", 5]) == 5
    assert table.broadcast(["a", 0]) == 0
    with pytest.raises(SizeConflict, match="4 and 5"):
        table.broadcast([4, "a", 5])


def test_broadcasting_proves_no_equality():
    table = table_with("a", "b")
    table.broadcast(["a", "b"])
    assert table.resolve("a") != table.resolve("b")


def test_equality_reaches_earlier_broadcasts():
    table = table_with("a", "b", "c")
    ab, cb = table.broadcast(["a", "b"]), table.broadcast(["c", "b"])
    table.require_equal("a", "c")
    table.canonicalize()
    assert table.resolve(ab) == table.resolve(cb)
    table.require_equal("b", 4)
    table.canonicalize()
    assert table.resolve(ab) == 4


def test_a_broadcast_that_is_one_makes_its_operands_one():
    table = table_with("a", "b")
    table.require_equal(table.broadcast(["a", "b"]), 1)
    assert table.resolve("a") == table.resolve("b") == 1


def test_a_broadcast_equal_to_its_own_leaf_ends():
    table = table_with("a", "b")
    ab = table.broadcast(["a", "b"])
    table.require_equal(ab, "a")
    table.canonicalize()
    assert table.resolve(ab) == table.resolve("a")
    assert table.find_broadcast([ab, "b"]) is not None


def test_ranges():
    table = table_with("a", "b")
    table.assume("a", Range(2, 9))
    assert table.broadcast(["a", "b"]) == "a"
    with pytest.raises(SizeConflict, match="2 to 9 and 1"):
        table.require_equal("a", 1)
    for size in (0, 7):
        table.checked(["b", size], table.broadcast(["b", size]))
    assert table.resolve("b") == 1


@pytest.mark.parametrize(
    ("source", "result", "divided", "symbol", "size"),
    [
        (("a", 5), (4, 5), None, "a", 4),
        ((20,), ("a", 5), "a", "a", 4),
        (("a", 2), ("b", 2), "b", "b", "a"),
        (("a", "b"), ("b", "c"), "c", "c", "a"),
        (("a", "b"), ("b", "c"), None, "c", "c"),
        (("a", "b"), ("c",), None, "c", "c"),
    ],
)
def test_reshape_works_out_what_the_count_determines(source, result, divided, symbol, size):
    table = table_with("a", "b", "c")
    table.require_same_count(source, result, divided)
    assert table.resolve(symbol) == table.resolve(size)


def test_a_reshape_carries_ranges():
    table = table_with("d", "h", "n", "m")
    table.assume("d", Range(64, 4096))
    table.assume("d", Range.multiple(128))
    table.require_same_count(("n", "d"), ("n", "h", 64), "h")
    assert table.range_of("h") == Range(2, 64, 2)
    table.assume("m", Range.of({3, 5}))
    table.require_same_count(("n",), ("m", 4), None)
    assert table.range_of("n").values == {12, 20}
    with pytest.raises(SizeConflict):
        table.require_equal("n", 16)


def test_limits_that_approach_each_other_slowly_end():
    table = table_with("x", "y")
    table.require_same_count(("x", 1000001), ("y", 1000000))
    table.fit("y", "x")
    table.canonicalize()
    assert table.range_of("x").contains(0)


def test_reshape_that_never_fits():
    table = table_with("a")
    with pytest.raises(SizeConflict, match="7 and a multiple of 2"):
        table.require_same_count(("a", 2), (7,))


def test_broadcasts_to():
    table = table_with("a", "b")
    ab = table.broadcast(["a", "b"])
    assert table.broadcasts_to([("a",), ("b",)], (ab,))
    assert table.broadcasts_to([("a",), (1, "b")], (1, ab))
    assert table.broadcasts_to([("a",), (3, "b")], (3, ab))
    assert not table.broadcasts_to([("a",)], (ab,))
    assert not table.broadcasts_to([("a",)], (3, "a"))
    assert table.broadcasts_to([(1, 1, "a")], ("a",))


def test_strip_ones():
    assert strip_ones((1, 1, 4, 1)) == (4, 1)
    assert strip_ones((1, 1)) == ()
    assert strip_ones(("s0", 1)) == ("s0", 1)


RANGES = (
    *(Range(1, 2), Range(2, 3), Range.of({0, 2}), Range.of({1, 3}), Range.without(1)),
    *(Range.multiple(2), Range.multiple(2, 1)),
)


KINDS = ("broadcast", "broadcast", "broadcast", "equal", "fit", "range", "double")


@st.composite
def programs(draw):
    """Steps over values numbered from 0, and 0 to 3 static.

    A step broadcasts a pair, requires it to be equal, requires the first to be 1 or the second,
    requires the first to be within a range, or to be half of the second.
    """
    steps = []
    count = len(LEAVES)
    for _ in range(draw(st.integers(1, 6))):
        operand = st.one_of(st.integers(0, count - 1), st.sampled_from(["=0", "=1", "=2", "=3"]))
        first, second = draw(operand), draw(operand)
        kind = draw(
            st.sampled_from(["broadcast", "broadcast", "broadcast", "equal", "fit", "range"])
        )
        if kind == "range":
            second = draw(st.sampled_from(RANGES))
        steps.append((kind, first, second))
        count += kind == "broadcast"
    return steps


def operand_of(values, operand):
    if isinstance(operand, Range):
        return operand
    return int(operand[1:]) if isinstance(operand, str) else values[operand]


def run_symbolic(steps):
    """The table after the steps, the size of each value, and which steps are implied."""
    table = table_with(*LEAVES)
    values = list(LEAVES)
    implied = []
    for kind, *written in steps:
        first, second = (operand_of(values, operand) for operand in written)
        implied.append(False)
        if kind == "equal":
            table.require_equal(first, second)
        elif kind == "fit":
            implied[-1] = table.fits(first, second)
            table.fit(first, second)
        elif kind == "range":
            table.assume(first, second)
        elif kind == "double":
            table.require_same_count((first, 2), (second,))
        else:
            size = table.broadcast([first, second])
            implied[-1] = table.implied([first, second], size)
            table.checked([first, second], size)
            values.append(size)
    table.canonicalize()
    return table, values, implied


def run_concrete(steps, implied, sizes):
    """The value of each number for a call, None if a check refuses it; implied ones must hold."""
    values = list(sizes)
    for (kind, *written), trusted in zip(steps, implied, strict=True):
        first, second = (operand_of(values, operand) for operand in written)
        if kind == "broadcast":
            result = broadcast([first, second])
            values.append(result)
            fits = result is not None
        elif kind == "equal":
            fits = first == second
        elif kind == "fit":
            fits = first in (1, second)
        elif kind == "double":
            fits = 2 * first == second
        else:
            fits = second.contains(first)
        assert fits or not trusted, "an implied check fails"
        if not fits:
            return None
    return values


@given(programs())
def test_what_the_table_says_holds_in_every_valid_call(steps):
    try:
        table, symbols, implied = run_symbolic(steps)
    except SizeConflict:
        implied = [False] * len(steps)
        for sizes in itertools.product(SIZES, repeat=len(LEAVES)):
            assert run_concrete(steps, implied, sizes) is None, "refused, but a call fits"
        return
    for sizes in itertools.product(SIZES, repeat=len(LEAVES)):
        values = run_concrete(steps, implied, sizes)
        if values is None:
            continue
        known = {}
        for symbol, value in zip(symbols, values, strict=True):
            root = table.resolve(symbol)
            assert known.setdefault(root, value) == value
            assert not isinstance(root, int) or root == value
            assert table.range_of(symbol).contains(value)
        for a, b in itertools.permutations(range(len(values)), 2):
            assert not table.fits(symbols[a], symbols[b]) or values[a] in {1, values[b]}
        for a, b in itertools.combinations(range(len(values)), 2):
            found = table.find_broadcast([symbols[a], symbols[b]]) if _safe(values, a, b) else None
            if found is not None:
                root = table.resolve(found)
                expected = broadcast([values[a], values[b]])
                assert root == expected if isinstance(root, int) else known.get(root) == expected


def _safe(values, a, b):
    return broadcast([values[a], values[b]]) is not None
