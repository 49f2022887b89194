"""Floats narrower than a lane: numbers of every exponent, widened, narrowed and rounded."""

import numpy as np
import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree
from lockstep.support import TARGETS, machine
from lockstep.test_coverage_holes import operate

from isa.load import load
from isa.operands import O, S
from sim.semantics.elements import load as lanes_of
from sim.semantics.formats import floats

NARROW = [t for t in load().types.values() if t.kind == "float" and t.bits < 32]


def numbers(type_):
    """Elements with both signs, every exponent, and the ends and the middle of the fraction."""
    exponents = np.arange(1 << type_.exponent_bits) << type_.fraction_bits
    last = (1 << type_.fraction_bits) - 1
    fractions = np.array([0, 1, last // 2 + 1, last])
    magnitudes = (exponents[:, None] | fractions).reshape(-1)
    signs = np.array([0, 1 << type_.bits - 1])
    return (signs[:, None] | magnitudes).reshape(-1).astype(f"<u{type_.bytes}")


def agree_on(target, source, given, results):
    """Play one kernel for each result, a type and an instruction; tiny has one output."""
    program = Program()
    program.put(INPUTS, given)
    for number, (result, instruction) in enumerate(results):
        output = Stream(O(0), result, given.shape, OUTPUTS + number * 0xC000)
        streams = [Stream(S(0), source, given.shape, INPUTS), output]
        program.kernel(streams, [operate(instruction, O(0), S(0))])
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", NARROW, ids=lambda t: t.name)
def test_elements_move_and_are_read_as_f32(target, type_):
    agree_on(target, type_.name, numbers(type_), [(type_.name, "mov"), ("f32", "mov")])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", NARROW, ids=lambda t: t.name)
def test_f32_is_cut_off_or_rounded(target, type_):
    """Near each number, and half way to the next: a store cuts off, an instruction rounds."""
    elements = numbers(type_)
    lanes, following = (lanes_of(elements + step, type_) for step in (0, 1))
    with np.errstate(all="ignore"):
        middle = (floats(lanes) + floats(following)) / 2
    near = np.concatenate([lanes, middle.view(np.int32)])
    given = np.concatenate([near + step for step in (-1, 0, 1)])
    results = [(type_.name, "mov"), (type_.name, f"f32_to_{type_.name}")]
    agree_on(target, "f32", given.astype("<i4"), results)
