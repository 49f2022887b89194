"""Schedules: valid, within registers and phases, never slower than the given order."""

import itertools

from bodies import PIPE, bodies, lane, special
from hypothesis import given, settings

from hwc.planning.phases import Pipe, best_copies, cycles, phase_count
from hwc.planning.schedule import least_phases, reordered, schedule
from isa.target import load_target

ACCEL = Pipe.of(load_target("accel"))


def strip_cycles(code, order, pipe):
    """The cycles of a body in an order; None if it does not fit."""
    ordered = reordered(code, order)
    copies = best_copies(ordered, pipe)
    return cycles(ordered, pipe, copies).steady if copies else None


@settings(deadline=None)
@given(bodies(16))
def test_schedule_is_valid_and_no_worse(code):
    given_order = list(range(len(code)))
    order = schedule(code, ACCEL)
    as_given = strip_cycles(code, given_order, ACCEL)
    if order is None:
        assert as_given is None
        return
    assert sorted(order) == given_order
    position = {n: i for i, n in enumerate(order)}
    assert all(position[p] < position[n] for n in order for p in code[n].reads)
    found = strip_cycles(code, order, ACCEL)
    assert found is not None
    assert as_given is None or found <= as_given


def test_reads_are_renumbered():
    code = [lane(), special(0), lane(0, 1, stored=True)]
    assert reordered(code, [0, 1, 2]) == code
    swapped = [lane(), lane(), special(0), lane(1, 2, stored=True)]
    assert reordered([lane(), special(0), lane(), lane(2, 1, stored=True)], [0, 2, 1, 3]) == swapped


def test_special_instructions_that_can_share_a_group_do():
    """tanh(a) + exp(b) + erf(c), written one after another: one group, then the sums."""
    code = [special(), special(), lane(0, 1), special(), lane(2, 3, stored=True)]
    assert phase_count(code) == 3
    order = schedule(code, ACCEL)
    assert phase_count(reordered(code, order)) == 2


def test_lanes_that_special_instructions_need_come_first():
    code = [lane(), lane(0), lane(1), lane(), special(3), lane(2, 4, stored=True)]
    order = schedule(code, ACCEL)
    assert order.index(3) < order.index(4)
    assert strip_cycles(code, order, ACCEL) <= strip_cycles(code, range(6), ACCEL)


def test_near_the_best_order():
    """All orders of a chain with a long side: the schedule is within a tenth of the best."""
    side = [lane(), lane(0), lane(1)]
    code = [*side, lane(), special(3), lane(4), special(5), lane(2, 6, stored=True)]
    found = [
        strip_cycles(code, order, ACCEL)
        for order in itertools.permutations(range(len(code)))
        if all(order.index(p) < order.index(n) for n in order for p in code[n].reads)
    ]
    best = min(time for time in found if time is not None)
    assert strip_cycles(code, schedule(code, ACCEL), ACCEL) <= best * 1.1


def test_a_body_that_has_no_order():
    chain = [lane()]
    for number in range(0, 10, 2):
        chain += [special(number), lane(number + 1)]
    assert schedule(chain, PIPE) is None


@settings(deadline=None)
@given(bodies(16))
def test_no_order_has_fewer_phases(code):
    least = least_phases(code)
    assert least <= phase_count(code)
    order = schedule(code, PIPE)
    assert order is None or least <= phase_count(reordered(code, order)) <= 4


def test_phases_of_a_chain():
    chain = [special(), special(0), lane(1), special(2), lane(3, stored=True)]
    assert least_phases(chain) == phase_count(chain) == 3
    assert least_phases(chain[:-1]) == 3  # an empty segment ends the body


def test_an_empty_body():
    assert schedule([], PIPE) == []
    assert least_phases([]) == 1
