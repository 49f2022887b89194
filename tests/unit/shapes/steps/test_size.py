"""`size(n0)`: values that have to be sizes."""

import pytest
from unit.shapes.steps.strategies import call, table

import isa
from hwc.shapes.steps import IsSize, SizesRefused

LARGEST = isa.load().limits.size_limit - 1


@pytest.mark.parametrize("value", [0, 1, LARGEST])
def test_a_size_is_accepted(value):
    IsSize(("n", 4)).evaluate(call(n=value))


@pytest.mark.parametrize("value", [-1, LARGEST + 1])
def test_any_other_value_is_refused(value):
    with pytest.raises(SizesRefused) as refused:
        IsSize((4, "n")).evaluate(call(n=value))
    assert str(refused.value) == f"got the computed size {value}, expected 0 to {LARGEST}"


def test_problems():
    assert list(IsSize(("n",)).problems({"n"}, [])) == []
    assert list(IsSize(("n",)).problems(set(), [])) == ["symbol 'n' is used before it is defined"]


def test_replay_adds_nothing():
    symbols = table("n")
    IsSize(("n",)).replay(symbols)
    assert symbols.resolve("n") == "n"
