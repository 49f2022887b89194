"""`s0 = dim(argument 0, dimension 1)`."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes.ranges import ANY
from hwc.shapes.steps import Dim, SizesRefused


def test_it_reads_the_size():
    evaluation = call((4, 5), (6,))
    Dim("n", 0, 1).evaluate(evaluation)
    Dim("m", 1, 0).evaluate(evaluation)
    assert evaluation.values == {"n": 5, "m": 6}
    assert evaluation.describe("m") == "6 (dimension 0 of argument 1 (%b))"


def test_a_symbol_read_twice_is_an_equality():
    evaluation = call((4,), (4,), (1,))
    Dim("n", 0, 0).evaluate(evaluation)
    Dim("n", 1, 0).evaluate(evaluation)
    with pytest.raises(SizesRefused) as refused:
        Dim("n", 2, 0).evaluate(evaluation)
    assert str(refused.value) == (
        "dimension 0 of argument 2 (%c) is 1, expected 4 (dimension 0 of argument 0 (%a)): "
        "the program requires these sizes to be equal"
    )


def test_messages_show_a_name_that_a_person_has_given():
    evaluation = call((4,), (5,))
    Dim("n", 0, 0, named=True).evaluate(evaluation)
    with pytest.raises(SizesRefused) as refused:
        Dim("n", 1, 0, named=True).evaluate(evaluation)
    assert str(refused.value) == (
        "dimension 0 of argument 1 (%b) is 5, expected 4 ('n', dimension 0 of argument 0 (%a)): "
        "both are called 'n'"
    )


def test_a_name_stands_for_equal_symbols():
    symbols = table("s0")
    Dim("n", 0, 0, named=True).replay(symbols)
    symbols.require_equal("s0", "n")
    assert symbols.resolve("s0") == "n"


@pytest.mark.parametrize(
    ("step", "problems"),
    [
        (Dim("n", 1, 0), []),
        (Dim("n", 2, 0), ["there is no argument 2"]),
        (Dim("n", -1, 0), ["there is no argument -1"]),
        (Dim("n", 1, 1), ["argument 1 has no dimension 1"]),
        (Dim("n", 0, -1), ["argument 0 has no dimension -1"]),
        (
            Dim("n!", 0, 0),
            ["'n!' is not a name for a symbol: letters, digits, '_', '$', '.', no digit first"],
        ),
        (
            Dim("", 0, 0),
            ["'' is not a name for a symbol: letters, digits, '_', '$', '.', no digit first"],
        ),
    ],
)
def test_problems(step, problems):
    assert list(step.problems({"n"}, [2, 1])) == problems


def test_replay_knows_nothing_about_the_size():
    symbols = table()
    Dim("n", 0, 0).replay(symbols)
    Dim("n", 1, 0).replay(symbols)
    assert symbols.resolve("n") == "n"
    assert symbols.range_of("n") == ANY
