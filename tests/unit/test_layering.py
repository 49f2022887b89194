"""The rooms' walls: a room that imports what it may not is a lint error, and only that room."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

COMPILER = (
    *("hwc.dialects", "hwc.errors", "hwc.frontend", "hwc.recent", "hwc.shapes", "isa", "xdsl"),
)

MAY_IMPORT = {
    "isa": ("isa",),
    "sim": ("isa", "sim"),
    "rtl_models": ("isa", "rtl_models", "sim"),
    "hwc/shapes": ("hwc.shapes", "isa"),
    "hwc/planning": ("hwc.planning", "hwc.shapes", "isa"),
    "hwc/package": ("hwc.errors", "hwc.files", "hwc.package", "hwc.shapes", "isa"),
    "hwc/plans": ("hwc.errors", "hwc.package", "hwc.plans", "hwc.shapes", "isa", "sim"),
    "hwc/frontend": ("hwc.errors", "hwc.frontend", "hwc.recent", "isa", "xdsl"),
    "hwc/dialects": COMPILER,
    "hwc/backend": (*COMPILER, "hwc.backend", "hwc.files", "hwc.package", "hwc.planning"),
    "hwc/models": (
        *("hwc.errors", "hwc.files", "hwc.frontend", "hwc.models", "hwc.package", "hwc.recent"),
        *("hwc.shapes", "isa"),
    ),
    "hwc/onnx": (
        *("hwc.errors", "hwc.files", "hwc.frontend", "hwc.models", "hwc.onnx", "hwc.package"),
        *("hwc.recent", "hwc.shapes", "isa"),
    ),
    "hwc/tosa": (*COMPILER, "hwc.files", "hwc.models", "hwc.package", "hwc.tosa"),
    "hwc/folding": (*COMPILER, "hwc.backend", "hwc.folding", "sim"),
    "hwc/transforms": (
        *(*COMPILER, "hwc.backend", "hwc.files", "hwc.folding", "hwc.package", "hwc.planning"),
        "hwc.transforms",
    ),
    "hwc": (
        *(*COMPILER, "hwc.backend", "hwc.compiler", "hwc.files", "hwc.package", "hwc.pipeline"),
        *("hwc.models", "hwc.onnx", "hwc.planning", "hwc.plans", "hwc.tosa", "hwc.transforms"),
    ),
    "hwc/runtime": (
        *("hwc.compiler", "hwc.errors", "hwc.files", "hwc.frontend", "hwc.package"),
        *("hwc.plans", "hwc.recent", "hwc.runtime", "hwc.shapes", "isa", "rtl_models", "sim"),
    ),
    "hwc/pages": ("hwc.pages",),
    "hwc/sweeps": (
        *("hwc.compiler", "hwc.errors", "hwc.files", "hwc.frontend", "hwc.package", "hwc.pages"),
        *("hwc.recent", "hwc.runtime", "hwc.shapes", "hwc.sweeps", "isa"),
    ),
    "hwc/reports": (
        *("hwc.errors", "hwc.files", "hwc.frontend", "hwc.package", "hwc.pages", "hwc.reports"),
        *("hwc.recent", "hwc.runtime", "isa"),
    ),
    "hwc/cli": (
        *(*COMPILER, "hwc.backend", "hwc.cli", "hwc.compiler", "hwc.files", "hwc.package"),
        *("hwc.models", "hwc.onnx", "hwc.pages", "hwc.pipeline", "hwc.planning", "hwc.plans"),
        *("hwc.reports", "hwc.runtime", "hwc.sweeps", "hwc.tosa", "hwc.transforms"),
    ),
}
"""What each room may import of the project and of xDSL; everything else is forbidden.

A room within a room may import the same, except that each room of `hwc` has a row.
"""

MODULES = sorted({module for allowed in MAY_IMPORT.values() for module in allowed})
RTL_ROOMS = [f"rtl_models.{name}" for name in ("coverage", "generate", "synthesis", "tb")]
TESTS = ("e2e", "lockstep", "mutation")
"""Rooms of the tests, which are importable only while pytest runs."""


def banned(folder: str, modules: list[str]) -> set[str]:
    """The modules whose import ruff, as configured for a folder, refuses."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--no-cache"]
    command += ["--output-format", "json"]
    command += ["--stdin-filename", str(ROOT / folder / "some_file.py"), "-"]
    text = "".join(f"import {module}\n" for module in modules)
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return {modules[found["location"]["row"] - 1] for found in json.loads(done.stdout)}


def rooms() -> list[str]:
    """The folders of the product that hold Python."""
    found = {
        str(path.parent.relative_to(ROOT))
        for top in ("isa", "sim", "rtl_models", "hwc")
        for path in (ROOT / top).rglob("*.py")
    }
    return sorted(found)


def row(folder: str) -> str:
    """The row of a room, which may be the row of the room that it is in."""
    parts = folder.split("/")
    return "/".join(parts[:2] if parts[0] == "hwc" else parts[:1])


def test_every_row_is_a_room():
    assert {row(folder) for folder in rooms()} == set(MAY_IMPORT)


@pytest.mark.parametrize("folder", rooms())
def test_walls(folder):
    assert banned(folder, MODULES) == set(MODULES) - set(MAY_IMPORT[row(folder)])


def test_a_forbidden_import_within_a_room():
    """Modules of a forbidden room are forbidden as the room is."""
    assert banned("hwc/backend", ["sim.timing.contract", "isa.load"]) == {"sim.timing.contract"}


@pytest.mark.parametrize(
    "folder", [folder for folder in rooms() if folder.startswith("rtl_models")]
)
def test_the_hardware_does_not_use_the_tests(folder):
    assert banned(folder, list(TESTS)) == set(TESTS)


def test_what_runs_the_hardware_needs_no_other_room_of_it():
    assert banned("rtl_models/simulation", RTL_ROOMS) == set(RTL_ROOMS)


def exists(module: str) -> bool:
    """Whether there is such a module; where a parent is missing there is none."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_only_modules_that_exist_are_named():
    named = {*MODULES, *RTL_ROOMS, *TESTS, "sim.timing.contract", "isa.load"}
    for top in ("isa", "sim", "rtl_models", "hwc"):
        for path in (ROOT / top).rglob("ruff.toml"):
            named |= set(re.findall(r'^"([\w.]+)"\.msg', path.read_text(), re.M))
    assert not {module for module in named if not exists(module)}
    assert not exists("sim.no_such_module")
