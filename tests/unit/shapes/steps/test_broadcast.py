"""`d0 = broadcast(s0, s1)`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.shapes.steps.strategies import call, table

from hwc.shapes import SizeConflict
from hwc.shapes.steps import Broadcast, SizesRefused


@given(st.lists(st.sampled_from((0, 1, 2, 3)), max_size=4))
def test_it_follows_numpy(values):
    names = [f"s{i}" for i in range(len(values))]
    evaluation = call(**dict(zip(names, values, strict=True)))
    step = Broadcast("d", tuple(names))
    try:
        expected = np.broadcast_shapes(*((value,) for value in values), (1,))[0]
    except ValueError:
        with pytest.raises(SizesRefused, match="do not broadcast: they have to be equal, or one"):
            step.evaluate(evaluation)
    else:
        step.evaluate(evaluation)
        assert evaluation.values["d"] == expected


def test_a_static_result_is_checked():
    Broadcast(4, ("a", 4)).evaluate(call(a=1))
    Broadcast(4, ("a", 1)).evaluate(call(a=4))
    with pytest.raises(SizesRefused, match=r"sizes 3 and 4 \(static\) do not broadcast"):
        Broadcast(4, ("a", 4)).evaluate(call(a=3))
    with pytest.raises(SizesRefused, match="broadcast to size 5, but the result's type says 4"):
        Broadcast(4, ("a", 1)).evaluate(call(a=5))


def test_the_argument_that_decided_is_remembered():
    evaluation = call((1,), (6,))
    evaluation.read("a", 0, 0)
    evaluation.read("b", 1, 0)
    Broadcast("d", ("a", "b")).evaluate(evaluation)
    assert evaluation.describe("d") == "6 (dimension 0 of argument 1 (%b))"


@pytest.mark.parametrize(
    ("step", "problems"),
    [
        (Broadcast("d", ("a", 1)), []),
        (Broadcast(4, ("a", 1)), []),
        (Broadcast("d", ("x", "y", "x")), ["x", "y"]),
        (Broadcast("a", (1,)), ["again"]),
    ],
)
def test_problems(step, problems):
    texts = {"again": "symbol 'a' is defined again"}
    expected = [texts.get(p, f"symbol '{p}' is used before it is defined") for p in problems]
    assert list(step.problems({"a", "b"}, [])) == expected


class TestReplay:
    def test_the_result_is_the_broadcast(self):
        symbols = table("a", "b")
        Broadcast("d", ("a", "b")).replay(symbols)
        assert symbols.find_broadcast(("b", "a")) == "d"

    def test_a_second_name_is_the_same_symbol(self):
        symbols = table("a", "b")
        Broadcast("d", ("a", "b")).replay(symbols)
        Broadcast("e", ("a", "b", "d")).replay(symbols)
        assert symbols.resolve("e") == symbols.resolve("d")

    def test_what_broadcasts_to_a_static_size_is_that_size_or_one(self):
        symbols = table("a", "b")
        Broadcast(4, ("a", 4)).replay(symbols)
        assert (symbols.range_of("a").low, symbols.range_of("a").high) == (1, 4)
        Broadcast(7, ("a", "b")).replay(symbols)
        symbols.canonicalize()
        assert symbols.find_broadcast(("a", "b")) == 7

    def test_static_sizes_that_do_not_broadcast(self):
        with pytest.raises(SizeConflict):
            Broadcast(4, (5, "a")).replay(table("a"))
