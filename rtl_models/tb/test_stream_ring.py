"""Bench of `stream_ring`: words at every byte phase in, windows at every element phase out."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.bench import LEAST, build, targets

SEED = 1


@pytest.mark.parametrize("target", targets("tiny", others=["accel", "wide", LEAST]))
def test_every_phase(target: str, tmp_path: Path) -> None:
    """Random words and windows against a queue of bytes."""
    build("ring_bench", target).run("ring_testbench", SEED, tmp_path)
