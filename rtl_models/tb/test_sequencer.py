"""Bench of `sequencer`, its engines stubbed: words, faults and cycles against the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.core_bench import BENCHES, TARGETS, build

SEED = 21
CASES = 1500


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_sequencer(target: str) -> None:
    """Random programs, images of odd sizes, slow memory, starts and resets, AXI errors."""
    bench = build(target, BENCHES / "sequencer_bench.sv")
    bench.run("sequencer_testbench", SEED, environment={"BENCH_CASES": str(CASES)})
