"""Bench of the host port: registers, programs started through them, counters."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.tb.bench import build, targets

SEED = 41


@pytest.mark.parametrize("target", targets("tiny"))
def test_host_registers(target: str, tmp_path: Path) -> None:
    """A host with random delays on all channels, on the whole control side."""
    build("control_bench", target).run("host_testbench", SEED, tmp_path)


@pytest.mark.parametrize("target", targets("tiny"))
def test_host_launches(target: str, tmp_path: Path) -> None:
    """The same host on the launch queue: launches in a row, aborts, interrupts."""
    build("control_bench", target).run("host_launches_testbench", SEED, tmp_path)
