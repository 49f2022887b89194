"""Bench of `sequencer`, its engines stubbed: words, faults and cycles against the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.bench import build, targets

SEED = 21
CASES = 1500


@pytest.mark.parametrize("target", targets("tiny"))
def test_sequencer(target: str, tmp_path: Path) -> None:
    """Random programs, images of odd sizes, slow memory, starts and resets, AXI errors."""
    bench = build("sequencer_bench", target)
    bench.run("sequencer_testbench", SEED, tmp_path, environment={"BENCH_CASES": str(CASES)})
