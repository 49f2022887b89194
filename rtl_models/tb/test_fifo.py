"""Bench of `fifo`, for depths that are and are not powers of two."""

from __future__ import annotations

import pytest

from rtl_models.tb.stream_bench import build, run

SEED = 1


@pytest.mark.parametrize("depth", [1, 2, 5, 17])
def test_random_ends(depth: int) -> None:
    """Random stalls on both ends."""
    bench = build(
        "tiny", "fifo_bench", ("common/fifo", "tb/sv/fifo_bench"), {"Depth": depth}, str(depth)
    )
    run(bench, "fifo_testbench", {"HWC_DEPTH": str(depth)}, (), SEED)
