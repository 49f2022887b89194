"""`[4, r0] = reshape(s0, 5)`."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.shapes.steps.strategies import call, table

from hwc.shapes import SizeConflict
from hwc.shapes.steps import Reshape, SizesRefused

shapes = st.lists(st.integers(0, 6), max_size=4).map(tuple)


@given(shapes, shapes)
def test_it_accepts_equal_numbers_of_elements_only(source, result):
    step = Reshape(source, result)
    if prod(source) == prod(result):
        step.evaluate(call())
    else:
        with pytest.raises(SizesRefused, match=f"cannot reshape {prod(source)} elements"):
            step.evaluate(call())


@given(shapes, shapes, st.data())
def test_it_works_out_one_size(source, rest, data):
    at = data.draw(st.integers(0, len(rest)))
    step = Reshape(source, (*rest[:at], "r", *rest[at:]))
    evaluation = call()
    if prod(rest) and prod(source) % prod(rest) == 0:
        step.evaluate(evaluation)
        assert evaluation.values["r"] * prod(rest) == prod(source)
    else:
        with pytest.raises(SizesRefused, match=f"do not divide into rows of {prod(rest)}"):
            step.evaluate(evaluation)


def test_a_symbol_of_a_step_before_is_checked():
    Reshape((2, 6), ("n", 4)).evaluate(call(n=3))
    with pytest.raises(SizesRefused, match=r"into 8 elements, shape \(2, 4\)"):
        Reshape((2, 6), ("n", 4)).evaluate(call(n=2))


@pytest.mark.parametrize(
    ("step", "problems"),
    [
        (Reshape(("a",), ("a", 1)), []),
        (Reshape(("a",), ("r", "a")), []),
        (Reshape(("a",), ("r", "q")), ["there is more than one size to work out"]),
        (Reshape(("x",), (1,)), ["symbol 'x' is used before it is defined"]),
    ],
)
def test_problems(step, problems):
    assert list(step.problems({"a"}, [])) == problems


class TestReplay:
    def test_a_size_that_follows(self):
        symbols = table("a")
        Reshape(("a", 4), (5, 4)).replay(symbols)
        assert symbols.resolve("a") == 5

    def test_a_new_symbol_cancels(self):
        symbols = table("a", "b")
        Reshape(("a", "b"), ("a", "r")).replay(symbols)
        assert symbols.resolve("r") == symbols.resolve("b")

    def test_a_static_size_that_does_not_divide(self):
        with pytest.raises(SizeConflict):
            Reshape((7,), ("r", 2)).replay(table())
