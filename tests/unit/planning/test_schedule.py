"""Schedules: valid, within the registers, never slower, and timed as the simulator times them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.planning.schedule import Instruction, cycles, schedule

UNITS = [(3, 32), (5, 32), (6, 32), (40, 128)]


@st.composite
def bodies(draw, most=10):
    code = []
    for i in range(draw(st.integers(1, most))):
        reads = tuple(draw(st.lists(st.integers(0, i - 1), max_size=3))) if i else ()
        latency, beats = draw(st.sampled_from(UNITS))
        code.append(Instruction(reads, beats, latency, draw(st.booleans())))
    read = {p for c in code for p in c.reads}
    # A result that is read is in a register; nobody reads a result that is stored directly.
    return [
        Instruction(c.reads, c.beats, c.latency, c.in_register or i in read)
        for i, c in enumerate(code)
    ]


def registers_of(code, order):
    """Registers in use at most; a result may take an operand's register."""
    alive, most = set(), 0
    for position, number in enumerate(order):
        later = {p for n in order[position + 1 :] for p in code[n].reads}
        alive = {p for p in alive if p in later}
        if code[number].in_register:
            most = max(most, len(alive | {number}))
            if number in later:
                alive.add(number)
        most = max(most, len(alive))
    return most


@given(bodies(), st.integers(0, 3))
def test_schedule_is_valid_and_no_worse(code, spare):
    given_order = list(range(len(code)))
    registers = registers_of(code, given_order) + spare
    order = schedule(code, registers)
    assert sorted(order) == given_order
    position = {n: i for i, n in enumerate(order)}
    assert all(position[p] < position[n] for n in order for p in code[n].reads)
    assert cycles(code, order) <= cycles(code, given_order)
    assert registers_of(code, order) <= registers


def test_short_instructions_come_before_long_ones():
    add, exp = Instruction((), 32, 6, False), Instruction((), 128, 40, False)
    order = schedule([exp, add, exp, add], 4)
    assert [n in (1, 3) for n in order] == [True, True, False, False]


@pytest.mark.parametrize("count", range(1, 6))
def test_near_the_best_order(count):
    """All orders tried on small bodies: the list schedule is within a tenth of the best."""
    code = [Instruction((), *reversed(UNITS[i % 4]), False) for i in range(count)]
    code += [Instruction((i,), 32, 3, False) for i in range(min(2, count))]
    code = [Instruction(c.reads, c.beats, c.latency, i < min(2, count)) for i, c in enumerate(code)]
    best = min(
        cycles(code, order)
        for order in itertools.permutations(range(len(code)))
        if all(order.index(p) < order.index(n) for n in order for p in code[n].reads)
    )
    assert cycles(code, schedule(code, 8)) <= best * 1.1


def test_cycles_of_an_empty_body():
    assert cycles([], []) == 0
