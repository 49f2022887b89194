"""The machine's table: what it holds after a fill, and what is read of it, on every target."""

import numpy as np
import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree, noise
from lockstep.support import TARGETS, machine
from lockstep.test_coverage_holes import operate

from isa.load import load
from isa.operands import O, S, T, V

ENTRIES = load().limits.table_entries
RESULTS = OUTPUTS + 0x4000
"""Where the second kernel writes; the first, which fills the table, writes its entries again."""

ALL_I8 = np.arange(-128, 128, dtype=np.int8)
SOME_I16 = np.concatenate(
    [np.arange(-32768, 32768, 97), [-32768, -32767, -129, -128, -1, 0, 127, 128, 32640, 32767]]
).astype(np.int16)


def entries(count):
    """Random entries of 16 bits."""
    return noise(2 * count).view(np.int16)


def fill(program, values, at=0):
    """Add a kernel that fills the table with these values."""
    program.put(INPUTS + at, values)
    sizes = values.shape
    streams = [Stream(S(0), "i16", sizes, INPUTS + at), Stream(O(0), "i16", sizes, OUTPUTS + at)]
    program.kernel(streams, [operate("fill", O(0), S(0))], copies=2)


def read(program, values, instruction, type_, result, at=0):
    """Add a kernel that reads the table at these values."""
    place = INPUTS + 0x2000 + at
    program.put(place, values)
    streams = [
        Stream(S(0), type_, values.shape, place),
        Stream(O(0), result, values.shape, RESULTS + at),
    ]
    program.kernel(streams, [operate(instruction, O(0), S(0))], copies=2)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", [1, 5, 256, 512, ENTRIES, 1500])
def test_reads_give_what_was_filled(target, count):
    program = Program()
    fill(program, entries(count))
    read(program, SOME_I16, "interp.i16", "i16", "i32")
    read(program, ALL_I8, "lookup.i8", "i8", "i8", at=0x1000)
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_a_table_is_filled_again_and_a_program_begins_with_an_empty_one(target):
    program = Program()
    fill(program, entries(ENTRIES))
    read(program, SOME_I16, "interp.i16", "i16", "i32")
    fill(program, entries(100), at=0x1000)
    read(program, SOME_I16, "interp.i16", "i16", "i32", at=0x1000)
    assert agree(machine(target), program).fault is None
    empty = Program()
    read(empty, ALL_I8, "lookup.i8", "i8", "i8")
    read(empty, SOME_I16, "interp.i16", "i16", "i32", at=0x1000)
    assert agree(machine(target), empty).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_lanes_that_are_out_of_range_are_read_by_their_low_bits(target):
    program = Program()
    fill(program, entries(ENTRIES))
    read(program, noise(4 * 500).view(np.int32), "interp.i16", "i32", "i32")
    read(program, noise(4 * 500).view(np.int32), "lookup.i8", "i32", "i32", at=0x1000)
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_a_fill_takes_computed_values_and_repeated_ones(target):
    program = Program()
    program.put(INPUTS, entries(300))
    streams = [
        Stream(S(0), "i16", (300, 1), INPUTS),
        Stream(S(1), "i16", (1, 3), INPUTS),
        Stream(O(0), "i32", (300, 3), OUTPUTS),
    ]
    body = [operate("add.i32", V(0), S(0), S(1)), operate("fill", T(0), V(0))]
    program.kernel(streams, [*body, operate("add.i32", O(0), T(0), V(0))], copies=2)
    read(program, SOME_I16, "interp.i16", "i16", "i32")
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "pc"),
    [
        (["fill", "fill"], 1),
        (["lookup.i8", "fill"], 1),
        (["interp.i16", "fill"], 1),
        (["fill", "lookup.i8"], 1),
        (["fill", "interp.i16"], 1),
        (["lookup.i8", "interp.i16"], None),
    ],
)
def test_a_body_that_fills_the_table_does_nothing_else_with_it(target, body, pc):
    program = Program()
    streams = [Stream(S(0), "i16", (70,), INPUTS), Stream(O(0), "i16", (70,), OUTPUTS)]
    first, second = body
    words = [operate(first, T(0), S(0)), operate(second, O(0), S(0))]
    start = len(program.words) + sum(len(s.words()) for s in streams) + 1
    program.kernel(streams, words, copies=2)
    fault = agree(machine(target), program).fault
    assert fault is None if pc is None else (fault.name, fault.pc) == ("bad_structure", start + pc)
