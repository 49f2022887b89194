"""Bench of `shape_unit`: faults, canonical form, steps and tables of random and chosen kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.bench import build, targets

SEED = 11
CASES = 3000


@pytest.mark.parametrize("target", targets("tiny"))
def test_shape_unit(target: str, tmp_path: Path) -> None:
    """Compares with the table of the Broadcastable trait, with NumPy and with the simulator."""
    bench = build("shape_unit_bench", target)
    bench.run("shape_unit_testbench", SEED, tmp_path, environment={"BENCH_CASES": str(CASES)})
