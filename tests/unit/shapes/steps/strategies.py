"""Random steps, and what the tests of all kinds need."""

from hypothesis import strategies as st

from hwc.shapes import SymbolTable
from hwc.shapes.steps import (
    ARITHMETIC,
    Among,
    AtMost,
    Broadcast,
    Congruent,
    Differs,
    Dim,
    Element,
    Equal,
    Evaluation,
    IsSize,
    Learned,
    Origin,
    Reshape,
    Strict,
    Within,
)

SYMBOLS = ("s0", "s1", "n", "Batch_2", "d$x.1")

origins = st.one_of(
    st.none(),
    st.builds(
        Origin,
        st.sampled_from(["tosa.add", "x"]),
        st.text(),
        st.none() | st.integers(0, 5),
        st.text(),
    ),
)
symbols = st.sampled_from(SYMBOLS)
sizes = st.one_of(symbols, st.integers(0, 1 << 40))
values = st.one_of(symbols, st.integers(-(1 << 63), (1 << 63) - 1))
shapes = st.lists(sizes, max_size=7).map(tuple)
some = st.lists(sizes, min_size=1, max_size=7).map(tuple)

STEPS = {
    "dim": st.builds(
        Dim, symbols, st.integers(0, 99), st.integers(0, 9), st.booleans(), origin=origins
    ),
    "learned": st.builds(
        Learned,
        symbols,
        st.integers(0, 99),
        st.integers(0, 9),
        st.integers(0, 9),
        origin=origins,
    ),
    "broadcast": st.builds(Broadcast, sizes, shapes, origin=origins),
    "equal": st.builds(Equal, shapes, origin=origins),
    "strict": st.builds(Strict, some, shapes, origin=origins),
    "among": st.builds(Among, sizes, some, origin=origins),
    "within": st.builds(Within, sizes, st.integers(0, 9), st.integers(9, 1 << 30), origin=origins),
    "congruent": st.builds(
        Congruent, sizes, st.integers(9, 1 << 30), st.integers(0, 8), origin=origins
    ),
    "differs": st.builds(Differs, sizes, st.integers(0, 1 << 30), origin=origins),
    "reshape": st.builds(Reshape, shapes, shapes, origin=origins),
    "size": st.builds(IsSize, shapes, origin=origins),
    "at_most": st.builds(AtMost, values, values, origin=origins),
    "element": st.builds(
        Element,
        symbols,
        st.integers(0, 99),
        st.lists(values, max_size=3).map(tuple),
        origin=origins,
    ),
} | {
    kind: st.builds(step, symbols, st.tuples(*[values] * step.arity), origin=origins)
    for kind, step in ARITHMETIC.items()
}
"""A strategy for each kind of step."""

steps = st.one_of(*STEPS.values())


def call(*shapes_, elements=None, **values):
    """An evaluation with arguments %a, %b, ... of these shapes, and symbols defined before."""
    evaluation = Evaluation("abcdefg"[: len(shapes_)], shapes_, elements)
    for name, value in values.items():
        evaluation.define(name, value)
    return evaluation


def table(*names):
    """A table with these symbols."""
    result = SymbolTable()
    for name in names:
        result.leaf(name)
    return result
