"""Which values of a kernel may go through memory, and in which sets."""

import pytest

from hwc.planning.alternatives import MOST_ALONE, MOST_DECISIONS, Decision, decisions, subsets
from hwc.planning.fusion_plan import Node
from hwc.shapes.products import Product


def found(nodes, shape, pays=lambda beats, wide, narrow: True):
    return decisions(nodes, shape, {nodes[-1].value}, pays)


def test_a_kernel_of_one_size_has_none():
    nodes = [Node("v", ("a",), ("n", 4), 1), Node("w", ("v",), ("n", 4), 1)]
    assert found(nodes, ("n", 4)) == []


def test_equal_products_are_one_number_of_points():
    """Rows times 1 and 1 times rows have the points of rows, whatever the value of rows."""
    nodes = [
        Node("v", ("a",), ("rows", 1), 1, beats=3),
        Node("w", ("b",), ("rows",), 1, beats=2),
        Node("r", ("v", "w"), ("rows", "rows"), 1),
    ]
    assert found(nodes, ("rows", "rows")) == [Decision(("v", "w"), 5, 5)]
    assert found(nodes[:2], ("rows", 1, 1)) == []


def test_values_within_the_narrow_part_are_not_kept():
    nodes = [
        Node("v", ("a",), ("n", 1), 1, beats=4),
        Node("w", ("v",), ("n", 1), 1, beats=2),
        Node("r", ("w", "b"), ("n", 768), 1),
    ]
    assert found(nodes, ("n", 768)) == [Decision(("w",), 6, 6)]


def test_those_with_most_work_come_first_and_there_is_a_limit():
    nodes = [Node(f"v{i}", (f"a{i}",), (f"n{i}",), 1, beats=i) for i in range(1, 6)]
    nodes.append(Node("r", tuple(n.value for n in nodes), ("n",), 1))
    kept = [decision.kept for decision in found(nodes, ("n",))]
    assert kept == [(f"v{i}",) for i in (5, 4, 3)]
    assert len(kept) == MOST_DECISIONS


@pytest.mark.parametrize("pays", [False, True])
def test_what_cannot_pay_is_left_out(pays):
    """A value of 64 points, two beats each, computed for eight times 64 points."""
    nodes = [Node("s", ("a",), (64,), 1, beats=2), Node("r", ("s", "x"), (8, 64), 1)]
    asked = []

    def answer(*about):
        asked.append(about)
        return pays

    assert len(found(nodes, (8, 64), answer)) == pays
    assert asked == [(2, Product(8 * 64), Product(64))]


def test_static_values_differ_by_the_arguments_they_depend_on():
    """As in a dynamic program, where the sum of two arguments has a symbol of its own."""
    sizes = (64, 1024)
    nodes = [
        Node("v", ("a", "b"), sizes, 1, beats=3, origins=0b011),
        Node("w", ("v", "c"), sizes, 1, beats=1, origins=0b111),
        Node("r", ("w",), sizes, 1, beats=1, origins=0b111),
    ]
    assert found(nodes, sizes) == [Decision(("v",), 3, 3)]


def test_an_output_is_in_memory_already():
    nodes = [Node("v", ("a",), ("n",), 1), Node("r", ("v", "b"), ("m",), 1)]
    assert decisions(nodes, ("m",), {"v", "r"}, lambda *about: True) == []


def test_subsets():
    a, b = Decision(("a",), 2, 2), Decision(("b",), 1, 1)
    assert list(subsets([a, b])) == [(a,), (b,), (a, b)]


def test_what_is_not_combined_is_kept_alone():
    found = [Decision((f"v{i}",), 9 - i, 9 - i) for i in range(MOST_DECISIONS + MOST_ALONE + 1)]
    sets = list(subsets(found))
    combined = 2**MOST_DECISIONS - 1
    assert all(set(one) <= set(found[:MOST_DECISIONS]) for one in sets[:combined])
    assert sets[combined:] == [(one,) for one in found[MOST_DECISIONS:-1]]
