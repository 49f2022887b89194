"""Random bodies for the tests of planning, and the operations that they stand for."""

from hypothesis import strategies as st

import isa
from hwc.planning.phases import Instruction, Pipe
from isa.operands import O, T, V
from sim.kernel import Body, Operation

PIPE = Pipe(32, 128, 10, 40, {1: 8, 2: 4, 4: 2}, {1: 8, 2: 8, 4: 4})
"""The ports of a target with 8 vector registers."""


def lane(*reads, stored=False):
    """An instruction of the lanes."""
    return Instruction(reads, False, not stored)


def special(*reads, stored=False):
    """A special instruction."""
    return Instruction(reads, True, not stored)


@st.composite
def bodies(draw, most=10):
    """A body whose last instruction, one of the lanes, writes an output."""
    code = []
    for i in range(draw(st.integers(0, most - 1))):
        reads = tuple(draw(st.lists(st.integers(0, i - 1), max_size=2))) if i else ()
        code.append(Instruction(reads, draw(st.integers(0, 2)) == 0, True))
    reads = tuple(draw(st.lists(st.integers(0, len(code) - 1), max_size=2))) if code else ()
    return [*code, Instruction(reads, False, False)]


def operations(code, registers):
    """The same body as operations of a kernel with one output."""
    places = [
        O(0) if not c.in_register else (T if c.special else V)(n)
        for c, n in zip(code, registers, strict=True)
    ]
    table, zero = isa.load().instructions, isa.IMM
    found = []
    for instruction, place in zip(code, places, strict=True):
        name = ("pow.f32", "add.f32")[not instruction.special]
        sources = [*(places[p] for p in instruction.reads), zero, zero][:2]
        found.append(Operation(table[name], place, tuple(sources), 0))
    return Body(found)
