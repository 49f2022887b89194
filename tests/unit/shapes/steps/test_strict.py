"""`strict([s0, s1], [s2])`."""

import itertools

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes import SizeConflict
from hwc.shapes.steps import SizesRefused, StepSyntaxError, Strict, parse_step


@pytest.mark.parametrize("sizes", list(itertools.product((0, 1, 2), repeat=3)))
def test_held_sizes_are_equal_and_free_ones_fit(sizes):
    a, b, c = sizes
    step, evaluation = Strict(("a", "b"), ("c",)), call(a=a, b=b, c=c)
    if a == b and c in {1, a}:
        step.evaluate(evaluation)
    else:
        with pytest.raises(SizesRefused, match="does not broadcast: strict"):
            step.evaluate(evaluation)


def test_the_messages_name_both_sizes_and_say_what_fits():
    evaluation = call((1,), (5,))
    evaluation.read("a", 0, 0)
    evaluation.read("b", 1, 0)
    with pytest.raises(SizesRefused) as refused:
        Strict(("a", "b")).evaluate(evaluation)
    assert str(refused.value) == (
        "size 1 (dimension 0 of argument 0 (%a)) does not broadcast: strict: it never expands, "
        "and meets size 5 (dimension 0 of argument 1 (%b)), which has to be equal"
    )
    with pytest.raises(SizesRefused, match=r"which has to be equal or 1$"):
        Strict(("a",), ("b",)).evaluate(evaluation)


def test_replay_makes_one_symbol_of_held_sizes_and_free_ones_fit():
    symbols = table("a", "b", "c")
    Strict(("a", "b"), ("c",)).replay(symbols)
    assert symbols.resolve("a") == symbols.resolve("b")
    assert symbols.fits("c", "b")
    assert not symbols.fits("b", "c")
    assert symbols.broadcast(["c", "b"]) == symbols.resolve("a")
    with pytest.raises(SizeConflict):
        Strict((4, 5)).replay(symbols)


def test_something_is_held():
    with pytest.raises(StepSyntaxError, match="'strict' needs a size that never expands"):
        parse_step("strict([], [s0])")
