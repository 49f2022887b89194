"""`among(s1, [1, s0])`."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes import SizeConflict
from hwc.shapes.steps import Among, SizesRefused, StepSyntaxError, parse_step


@pytest.mark.parametrize("size", range(7))
def test_it_accepts_the_choices_only(size):
    step, evaluation = Among("a", (1, "b", 4)), call(a=size, b=5)
    if size in {1, 4, 5}:
        step.evaluate(evaluation)
    else:
        with pytest.raises(SizesRefused, match=rf"size {size} has to be one of {{1, 5, 4}}"):
            step.evaluate(evaluation)


def test_replay_of_numbers_is_a_set():
    symbols = table("a")
    Among("a", (1, 5, 7)).replay(symbols)
    assert symbols.range_of("a").values == {1, 5, 7}
    Among("a", (5,)).replay(symbols)
    assert symbols.resolve("a") == 5
    with pytest.raises(SizeConflict, match=r"5 and \{1, 7, 9\}"):
        Among("a", (1, 7, 9)).replay(symbols)


def test_replay_of_1_and_another_size_says_that_it_fits():
    symbols = table("a", "b")
    Among("a", (1, "b")).replay(symbols)
    assert symbols.fits("a", "b")


def test_replay_of_symbols_has_the_sizes_of_all():
    symbols = table("a", "b", "c")
    Among("b", (2, 3)).replay(symbols)
    Among("c", (3, 4)).replay(symbols)
    Among("a", ("b", "c")).replay(symbols)
    assert symbols.range_of("a").values == {2, 3, 4}


def test_there_is_a_choice():
    with pytest.raises(StepSyntaxError, match="'among' needs a size to choose"):
        parse_step("among(s0, [])")
