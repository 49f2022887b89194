"""Bench of `shape_unit`: faults, canonical form, steps and tables of random and chosen kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.core_bench import BENCHES, TARGETS, build

SEED = 11
CASES = 3000


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_shape_unit(target: str) -> None:
    """Compares with the table of the Broadcastable trait, with NumPy and with the simulator."""
    bench = build(target, BENCHES / "shape_unit_bench.sv")
    bench.run("shape_unit_testbench", SEED, environment={"BENCH_CASES": str(CASES)})
