"""`equal(s0, 7)`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.shapes.steps.strategies import call, table

from hwc.shapes import SizeConflict
from hwc.shapes.steps import Equal, Origin, SizesRefused


@given(st.lists(st.integers(0, 2), max_size=4))
def test_it_accepts_equal_sizes_only(values):
    names = [f"s{i}" for i in range(len(values))]
    evaluation = call(**dict(zip(names, values, strict=True)))
    before = dict(evaluation.values)
    if len(set(values)) < 2:
        Equal(tuple(names)).evaluate(evaluation)
    else:
        with pytest.raises(SizesRefused, match="have to be equal"):
            Equal(tuple(names)).evaluate(evaluation)
    assert evaluation.values == before


def test_the_message_names_both_sizes():
    evaluation = call((3,))
    evaluation.read("a", 0, 0)
    with pytest.raises(SizesRefused) as refused:
        Equal(("a", 4)).evaluate(evaluation)
    assert str(refused.value) == (
        "sizes 3 (dimension 0 of argument 0 (%a)) and 4 (static) have to be equal"
    )


A = "3 (dimension 0 of argument 0 (%a))"


@pytest.mark.parametrize(
    ("operands", "dimension", "expected"),
    [
        (("a", 4), 1, f"{A} and 4 (which the type of the result says)"),
        (("a", 4), None, f"{A} and 4 (static)"),
        ((4, "a"), 1, f"4 (static) and {A}"),
    ],
)
def test_the_message_says_when_a_size_is_the_one_of_the_result(operands, dimension, expected):
    evaluation = call((3,))
    evaluation.read("a", 0, 0)
    with pytest.raises(SizesRefused) as refused:
        Equal(operands, origin=Origin("tosa.abs", "m:1:1", dimension)).evaluate(evaluation)
    assert str(refused.value) == f"sizes {expected} have to be equal"


def test_problems():
    assert list(Equal(("a", 4)).problems({"a"}, [])) == []
    assert list(Equal(("a", "b")).problems({"a"}, [])) == [
        "symbol 'b' is used before it is defined"
    ]


def test_replay_makes_one_symbol_of_all():
    symbols = table("a", "b", "c")
    Equal(("a", "b")).replay(symbols)
    assert symbols.resolve("a") == symbols.resolve("b") != symbols.resolve("c")
    Equal(("b", 7)).replay(symbols)
    assert symbols.resolve("a") == 7
    with pytest.raises(SizeConflict):
        Equal(("a", 8)).replay(symbols)
