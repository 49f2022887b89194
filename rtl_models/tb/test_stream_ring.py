"""Bench of `stream_ring`: words at every byte phase in, windows at every element phase out."""

from __future__ import annotations

import pytest

from rtl_models.tb.stream_bench import build, run

SEED = 1


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_every_phase(target: str) -> None:
    """Random words and windows against a queue of bytes."""
    sources = ("common/ram_1w1r", "stream/stream_ring", "tb/sv/ring_bench")
    run(build(target, "ring_bench", sources), "ring_testbench", {}, (), SEED)
