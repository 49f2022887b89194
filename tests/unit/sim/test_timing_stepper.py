"""The recurrence against the machine stepped cycle by cycle: every counter, every cycle."""

import pytest
from hypothesis import HealthCheck, given, settings
from kernels import TARGETS, kernels, simple
from stepper import Stepper

from sim.timing import kernel_time


def agree(target, kernel):
    """Compare all counters of both models."""
    expected = {name: value for name, value in Stepper(target, kernel).run().items() if value}
    got = {name: value for name, value in kernel_time(target, kernel).items() if value}
    assert got == expected


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(kernels())
def test_random_kernels(case):
    agree(*case)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("sizes", [(64, 100), (1, 100), (64, 1), (1, 1)])
def test_two_dimensional_patterns(target, sizes):
    agree(target, simple(target, (64, 100), ("f32", 0x8000, (64, 100)), ("f32", 0x10004, sizes)))
