"""The phases of a call: time spent somewhere is counted for the phase that it is spent in."""

import time

import numpy as np
import pytest

from hwc.errors import DispatchError
from hwc.runtime import Program, runner, steps
from hwc.runtime.phases import PHASES
from hwc.runtime.preparation import Preparation
from hwc.runtime.runner import Runner
from hwc.runtime.simulator import Simulator

PAUSE = 0.05
X = np.ones((2, 3), np.float32)

WHERE = {
    "arguments": (runner, "to_arrays"),
    "sizes": (Runner, "_sizes_of"),
    "plan": (Preparation, "plan"),
    "link": (Preparation, "linked"),
    "place": (Preparation, "placed"),
    "copy_in": (runner, "fill"),
    "packet": (steps, "packet"),
    "device": (Simulator, "run"),
    "copy_out": (Runner, "_collect"),
}


def test_every_phase_is_slowed_down_below():
    assert list(WHERE) == list(PHASES)


@pytest.mark.parametrize("phase", PHASES)
def test_time_is_counted_where_it_is_spent(binary_package, monkeypatch, phase):
    called = Program(binary_package())
    called(X, X)
    place, name = WHERE[phase]
    original = getattr(place, name)

    def slow(*args, **options):
        time.sleep(PAUSE)
        return original(*args, **options)

    monkeypatch.setattr(place, name, slow)
    _, seconds = called.timed(X, X)
    assert list(seconds) == list(PHASES)
    assert max(seconds, key=seconds.__getitem__) == phase
    assert seconds[phase] >= PAUSE


def test_the_phases_are_the_whole_call(binary_package):
    called = Program(binary_package())
    begin = time.perf_counter()
    result, seconds = called.timed(X, X)
    whole = time.perf_counter() - begin
    assert all(spent > 0 for spent in seconds.values())
    assert sum(seconds.values()) <= whole
    plain = called(X, X)
    np.testing.assert_array_equal(result.outputs[0], plain.outputs[0])
    assert (result.cycles, result.plan) == (plain.cycles, plain.plan)


def test_a_call_that_does_not_fit(binary_package):
    with pytest.raises(DispatchError, match="do not broadcast"):
        Program(binary_package()).timed(X, np.ones((4, 3), np.float32))
