"""The step `at_most`."""

import pytest
from unit.shapes.steps.strategies import call

from hwc.shapes.steps import AtMost, SizesRefused, StepSyntaxError, parse_step


def test_a_value_below_or_at_the_limit():
    AtMost("n", "s").evaluate(call(n=-1, s=4))
    AtMost("n", 4).evaluate(call(n=4))


def test_a_value_above_the_limit():
    with pytest.raises(SizesRefused, match="got 5, expected at most 4"):
        AtMost("n", "s").evaluate(call(n=5, s=4))
    with pytest.raises(SizesRefused, match=r"got 0, expected at least 1"):
        AtMost(1, "s").evaluate(call(s=0))


def test_the_number_of_words():
    with pytest.raises(StepSyntaxError, match="a value and a limit"):
        parse_step("at_most(n)")
