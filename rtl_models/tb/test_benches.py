"""Every bench, like every module, has nothing that Verilator's lint warns of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isa.gen.sv_target import sv_target
from isa.target import load_target
from rtl_models.tb.bench import BENCHES, TARGET_PACKAGE, sources_of
from rtl_models.tb.tools import need_tools
from rtl_models.tb.unit_bench import MODULES, depth

UNIT_BENCH = "unit_bench"
TOPS = sorted(path.stem for path in BENCHES.glob("*_bench.sv"))


def lint(top: str, folder: Path, parts: list[str], options: list[str]) -> None:
    """Lint a bench with all that it is made of, for the tiny target."""
    need_tools("verilator", "perl")
    package = folder / TARGET_PACKAGE
    package.write_text(sv_target(load_target("tiny")), encoding="utf-8")
    files = [package if f.name == TARGET_PACKAGE else f for f in sources_of([top, *parts])]
    control = BENCHES / f"{top}.vlt"
    command = ["verilator", "--lint-only", "-Wall", "--assert", "--timing", *options]
    command += ["--timescale", "1ns/1ps", "--top-module", top]
    command += [str(control)] if control.is_file() else []
    result = subprocess.run(
        [*command, *map(str, files)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("top", [top for top in TOPS if top != UNIT_BENCH])
def test_bench(top: str, tmp_path: Path) -> None:
    """A bench with what it is made of."""
    lint(top, tmp_path, [], [])


@pytest.mark.parametrize("module", MODULES)
def test_unit_bench(module: str, tmp_path: Path) -> None:
    """The units' bench with each unit."""
    options = [f"-DUNIT={module}", f"-GDepth={depth(module)}"]
    lint(UNIT_BENCH, tmp_path, [module], options)
