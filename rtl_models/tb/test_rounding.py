"""Bench of the rounding in `hwc_float_pkg`: every format that the golden rounding knows."""

from __future__ import annotations

from pathlib import Path

from rtl_models.tb.bench import build

SEED = 41


def test_formats(tmp_path: Path) -> None:
    """Numbers at the limits of four formats, ties and carries, rounded like golden."""
    build("rounding_bench").run("rounding_testbench", SEED, tmp_path)
