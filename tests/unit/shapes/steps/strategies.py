"""Random steps, and what the tests of all kinds need."""

from hypothesis import strategies as st

from hwc.shapes import SymbolTable
from hwc.shapes.steps import Broadcast, Dim, Equal, Evaluation, Origin, Reshape

SYMBOLS = ("s0", "s1", "n", "Batch_2", "d$x.1")

origins = st.one_of(
    st.none(),
    st.builds(Origin, st.sampled_from(["tosa.add", "x"]), st.text(), st.none() | st.integers(0, 5)),
)
symbols = st.sampled_from(SYMBOLS)
sizes = st.one_of(symbols, st.integers(0, 1 << 40))
shapes = st.lists(sizes, max_size=7).map(tuple)

STEPS = {
    "dim": st.builds(Dim, symbols, st.integers(0, 99), st.integers(0, 9), origin=origins),
    "broadcast": st.builds(Broadcast, sizes, shapes, origin=origins),
    "equal": st.builds(Equal, shapes, origin=origins),
    "reshape": st.builds(Reshape, shapes, shapes, origin=origins),
}
"""A strategy for each kind of step."""

steps = st.one_of(*STEPS.values())


def call(*shapes_, **values):
    """An evaluation with arguments %a, %b, ... of these shapes, and symbols defined before."""
    evaluation = Evaluation("abcdefg"[: len(shapes_)], shapes_)
    for name, value in values.items():
        evaluation.define(name, value)
    return evaluation


def table(*names):
    """A table with these symbols."""
    result = SymbolTable()
    for name in names:
        result.leaf(name)
    return result
