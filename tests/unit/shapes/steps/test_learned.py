"""`s0 = learned(step 2, output 0, dimension 1)`."""

import pytest
from unit.shapes.steps.strategies import call

from hwc.errors import DispatchError
from hwc.package import ShapeProgram, Tensor
from hwc.shapes.steps import Broadcast, Dim, Learned, SizesRefused

PROGRAM = ShapeProgram(
    (
        Dim("n", 0, 0, named=True),
        Learned("s0", 1, 0, 0),
        Broadcast("d0", ("n", "s0")),
        Learned("n", 3, 1, 0),
        Learned("s1", 3, 1, 1),
    )
)
X = (Tensor("x", "f32", ("n",), "x"),)


def test_the_evaluation_stops_until_the_step_has_run():
    sizes = PROGRAM.begin(X, [(4,)])
    assert sizes.values == {"n": 4}
    PROGRAM.proceed(sizes)
    assert sizes.values == {"n": 4}
    sizes.learned[1, 0] = "y", (1,)
    PROGRAM.proceed(sizes)
    assert sizes.values == {"n": 4, "s0": 1, "d0": 4}
    sizes.learned[3, 1] = "z", (4, 9)
    PROGRAM.proceed(sizes)
    assert sizes.values == {"n": 4, "s0": 1, "d0": 4, "s1": 9}
    assert PROGRAM.told == {"n"}


def test_what_does_not_fit_a_learned_size_is_refused():
    sizes = PROGRAM.begin(X, [(4,)])
    sizes.learned[1, 0] = "y", (5,)
    with pytest.raises(DispatchError, match=r"5 \(dimension 0 of %y, which step 1 computed\)"):
        PROGRAM.proceed(sizes)


def test_a_symbol_that_is_known_is_compared():
    evaluation = call((4,))
    Dim("n", 0, 0, named=True).evaluate(evaluation)
    evaluation.learned[3, 1] = "z", (5, 9)
    with pytest.raises(SizesRefused) as refused:
        Learned("n", 3, 1, 0).evaluate(evaluation)
    assert str(refused.value) == (
        "dimension 0 of %z, which step 3 computed, is 5, expected 4 ('n', dimension 0 of "
        "argument 0 (%a)): both are called 'n'"
    )


def test_symbols_are_renamed():
    names = {"n": "batch", "d0": "r0"}
    renamed = [str(step.renamed(names)) for step in PROGRAM.steps]
    assert renamed == [
        "batch = dim(argument 0, dimension 0, named)",
        "s0 = learned(step 1, output 0, dimension 0)",
        "r0 = broadcast(batch, s0)",
        "batch = learned(step 3, output 1, dimension 0)",
        "s1 = learned(step 3, output 1, dimension 1)",
    ]
