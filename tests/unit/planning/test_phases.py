"""Registers of a body, kept apart by phase, and its cycles as the simulator counts them."""

import pytest
from bodies import PIPE, bodies, lane, operations, special
from hypothesis import given, settings
from hypothesis import strategies as st

import isa
from hwc.planning.phases import STRIPS, Pipe, allocate, best_copies, cycles, phase_count
from isa.target import load_target
from sim.kernel import Kernel, Stream
from sim.timing import kernel_time


@pytest.mark.parametrize(
    ("code", "phases"),
    [
        ([], 1),
        ([lane()], 1),
        ([special()], 2),  # an empty segment ends the body
        ([special(), lane(0)], 2),
        ([lane(), special(0), special(1), lane(2)], 2),
        ([lane(), special(0), lane(1), special(2)], 3),
    ],
)
def test_phases(code, phases):
    assert phase_count(code) == phases


def test_lanes_and_special_instructions_have_registers_of_their_own():
    code = [lane(), special(0), lane(1), lane(2, stored=True)]
    assert allocate(code, PIPE, 2) == [0, 0, 0, -1]


def test_an_operand_read_for_the_last_time_leaves_its_register_to_the_result():
    code = [lane(), lane(), lane(0), lane(1, 2), lane(3, stored=True)]
    assert allocate(code, PIPE, 1) == [0, 1, 0, 0, -1]


def test_a_result_register_that_lanes_read_is_written_in_a_later_phase_only():
    """The lanes may still read it while the group of their phase writes."""
    code = [special(), lane(0), special(1), lane(2), special(3), lane(4, stored=True)]
    assert allocate(code, PIPE, 4) == [0, 0, 1, 0, 0, -1]


def test_special_instructions_in_a_row_reuse_a_result_register():
    code = [special(), special(0), special(1), lane(2, stored=True)]
    assert allocate(code, PIPE, 2) == [0, 0, 0, -1]


def test_registers_are_shared_by_copies():
    """Values that are alive together: 2, then 3, then 5, then 9, with 8 registers."""

    def alive(count):
        return [*(lane() for _ in range(count)), *(lane(n) for n in range(count))]

    fits = [[n for n in (1, 2, 4) if allocate(alive(k), PIPE, n)] for k in (2, 3, 5, 9)]
    assert fits == [[1, 2, 4], [1, 2], [1], []]
    assert best_copies(alive(9), PIPE) == 0


def test_no_more_copies_than_help():
    """A port runs ahead only in bodies that begin with a special instruction or end with one."""
    assert best_copies([lane(), lane(0, stored=True)], PIPE) == 1
    assert best_copies([lane(), special(0), lane(1, stored=True)], PIPE) == 2
    balanced = [special(), lane(0), lane(1), lane(2), lane(3, stored=True)]
    assert cycles(balanced, PIPE, 4).steady < cycles(balanced, PIPE, 2).steady
    assert best_copies(balanced, PIPE) == 4


def test_a_body_of_more_phases_than_copies_does_not_fit():
    code = [special()]
    for number in range(3):
        code += [lane(2 * number), special(2 * number + 1)]
    assert phase_count(code) == 5
    assert best_copies(code, PIPE) == 0
    assert best_copies(code[:-2], PIPE) == 4


@settings(max_examples=60, deadline=None)
@given(bodies(), st.sampled_from(["tiny", "accel", "wide"]))
def test_cycles_are_those_of_the_simulator(code, name):
    """On strips that wait for nothing but the ports: no inputs, one output of small elements."""
    target = load_target(name)
    pipe = Pipe.of(target)
    copies = best_copies(code, pipe)
    if copies == 0:
        return
    body = operations(code, allocate(code, pipe, copies))
    points = STRIPS * target.vlen
    result = Stream.dense(body[-1].destination, isa.load().types["i8"], 0, (points,))
    kernel = Kernel(0, (), (result,), body, (points,), target.lanes, target.vlen, copies)
    trace = []
    counters = kernel_time(target, kernel, trace=trace)
    assert counters["broadcast_busy"] == 0
    # The body ends in a segment, so the lanes' end is the body's. Without inputs it begins in 1.
    assert cycles(code, pipe, copies).total + 1 == max(r.end for r in trace if r.engine == "lane")
