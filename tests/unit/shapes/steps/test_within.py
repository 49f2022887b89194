"""`within(s0, 2, 4096)`."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps import SizesRefused, StepSyntaxError, Within, parse_step


@pytest.mark.parametrize("size", range(6))
def test_it_accepts_sizes_between_the_limits(size):
    step, evaluation = Within("a", 2, 4), call(a=size)
    if 2 <= size <= 4:
        step.evaluate(evaluation)
    else:
        with pytest.raises(SizesRefused, match=rf"^size {size} has to be 2 to 4$"):
            step.evaluate(evaluation)


def test_one_limit_alone_is_shown_alone():
    with pytest.raises(SizesRefused, match=r"^size 1 has to be 2 or more$"):
        Within("a", 2, ANY.high).evaluate(call(a=1))


def test_replay_is_a_range():
    symbols = table("a")
    Within("a", 2, 4).replay(symbols)
    assert symbols.range_of("a") == Range(2, 4)


def test_there_is_a_size():
    with pytest.raises(StepSyntaxError, match="there is no size from 3 to 2"):
        parse_step("within(s0, 3, 2)")
