"""Bench of the host port: registers, programs started through them, counters; and the generator."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtl_models.core import host_registers
from rtl_models.tb.bench import build, targets

SEED = 41


def test_generated() -> None:
    """The committed files are what the description gives."""
    assert host_registers.stale() == []


def test_stale(tmp_path: Path) -> None:
    """A file that is missing or was edited is found."""
    first, second = host_registers.FILES
    (tmp_path / first).write_text(host_registers.outputs()[first] + "\n", encoding="utf-8")
    assert host_registers.stale(tmp_path) == [first, second]


@pytest.mark.parametrize("target", targets("tiny"))
def test_host_registers(target: str, tmp_path: Path) -> None:
    """A host with random delays on all channels, on the whole control side."""
    build("control_bench", target).run("host_testbench", SEED, tmp_path)
