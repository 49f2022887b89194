"""Bench of the cells between stages: queues, delay lines, counters, slices, landing buffers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.bench import build, targets

SEED = 1


def test_random_ends(tmp_path: Path) -> None:
    """Random stalls on all ends of queues, delay lines, counters and a slice, of several sizes."""
    build("cells_bench").run("cells_testbench", SEED, tmp_path)


@pytest.mark.parametrize("target", targets("tiny", others=["accel", "wide"]))
def test_landing_buffer(target: str, tmp_path: Path) -> None:
    """Strips land, begin and end at random; both ports read their rows in any order."""
    build("landing_buffer", target).run("buffer_testbench", SEED, tmp_path)
