"""Every module of the control side elaborates alone, for every target, without a warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rtl_models.tb import verilator
from rtl_models.tb.core_bench import BUILD, ROOMS, SOURCES, TARGETS, packages

MODULES = sorted(
    path.stem
    for path in (SOURCES / "core").glob("*.sv")
    if not path.stem.endswith("_pkg") and path.stem != "machine"  # the machine has all rooms in it
)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_lint(target: str) -> None:
    """Verilator's lint with all warnings has nothing to say."""
    assert len(MODULES) > 15
    files = packages(target, BUILD / f"lint_{Path(target).stem}")
    verilator.provide()
    for module in MODULES:
        command = ["verilator", "--lint-only", "-Wall", "--assert", "--top-module", module]
        command += [f"-I{SOURCES / room}" for room in ROOMS if room != "tb/sv"]
        command += [*map(str, files), str(SOURCES / "core" / f"{module}.sv")]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{module} for {target}:\n{result.stderr}"
