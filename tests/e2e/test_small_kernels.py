"""Cycles of small programs on the target `accel`: set-up, memory, kernels side by side."""

import pytest
from bench.small_kernels import measure


@pytest.mark.parametrize(
    ("name", "most"),
    [("add", 450), ("add, tanh, sub", 750), ("demo", 750), ("four kernels", 950)],
)
def test_small_kernels(name, most):
    assert measure(name, "accel", (16, 16)) <= most
