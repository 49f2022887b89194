"""`e0 = element(argument 0, [2])`: a value that the host reads from an argument."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes.steps import Element, SizesRefused

ROWS = [[3, -4, 5], [6, 7, 8]]


def _elements(number, indices):
    assert number == 1
    return ROWS[indices[0]][indices[1]]


def test_it_reads_the_element():
    evaluation = call((9,), (2, 3), elements=_elements, i=1)
    Element("e", 1, (0, "i")).evaluate(evaluation)
    assert evaluation.values["e"] == -4
    assert evaluation.describe("e") == "-4 (element [0][1] of argument 1 (%b))"


def test_an_argument_of_rank_0_has_one_element():
    evaluation = call((), elements=lambda *_: 7)
    Element("e", 0, ()).evaluate(evaluation)
    assert evaluation.describe("e") == "7 (the element of argument 0 (%a))"


@pytest.mark.parametrize("indices", [(2, 0), (-1, 0)])
def test_an_index_outside_is_refused(indices):
    evaluation = call((9,), (2, 3), elements=_elements)
    with pytest.raises(SizesRefused) as refused:
        Element("e", 1, indices).evaluate(evaluation)
    assert str(refused.value) == (
        f"index {indices[0]} (static) is outside of dimension 0 of argument 1 (%b), "
        "which has size 2"
    )


def test_without_elements_it_is_refused():
    with pytest.raises(SizesRefused, match=r"depend on the elements of argument 0 \(%a\)"):
        Element("e", 0, (0,)).evaluate(call((2,)))


def test_problems():
    assert list(Element("e", 0, (0, "i")).problems({"i"}, [2])) == []
    assert list(Element("e", 1, ()).problems(set(), [2])) == ["there is no argument 1"]
    assert list(Element("e", 0, (0,)).problems({"e"}, [2])) == [
        "symbol 'e' is defined again",
        "argument 0 has rank 2, got 1 indices",
    ]


def test_replay_defines_a_symbol():
    symbols = table()
    Element("e", 0, ()).replay(symbols)
    assert symbols.resolve("e") == "e"
