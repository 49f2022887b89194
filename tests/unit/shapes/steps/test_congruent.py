"""`congruent(s0, 8, 3)`."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes.ranges import Range
from hwc.shapes.steps import Congruent, SizesRefused, StepSyntaxError, parse_step


@pytest.mark.parametrize("size", range(8))
def test_it_accepts_sizes_with_the_remainder(size):
    step, evaluation = Congruent("a", 3, 2), call(a=size)
    if size % 3 == 2:
        step.evaluate(evaluation)
    else:
        message = rf"^size {size} divided by 3 leaves {size % 3}, and has to leave 2$"
        with pytest.raises(SizesRefused, match=message):
            step.evaluate(evaluation)


def test_replay_is_a_range():
    symbols = table("a")
    Congruent("a", 8, 0).replay(symbols)
    assert symbols.range_of("a") == Range.multiple(8)
    assert symbols.range_of("a").excludes_one


@pytest.mark.parametrize("text", ["congruent(s0, 8, 8)", "congruent(s0, 0, 0)"])
def test_there_is_such_a_remainder(text):
    with pytest.raises(StepSyntaxError, match="no division by"):
        parse_step(text)
