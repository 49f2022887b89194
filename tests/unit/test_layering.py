"""The rooms' walls: a forbidden import is a lint error, an allowed one is none."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def banned(folder, module):
    """Whether ruff, as configured for a folder, refuses the import of a module."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--no-cache"]
    command += ["--stdin-filename", str(ROOT / folder / "some_file.py"), "-"]
    done = subprocess.run(
        command, input=f"import {module}\n", capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 1


@pytest.mark.parametrize(
    ("folder", "module"),
    [
        ("isa", "sim.machine"),
        ("isa/gen", "hwc.errors"),
        ("isa", "rtl_models.sources"),
        ("sim", "hwc.errors"),
        ("sim/semantics", "hwc.package"),
        ("sim", "rtl_models.simulation.session"),
        ("hwc", "sim.machine"),
        ("hwc/backend", "sim.timing"),
        ("hwc/backend", "rtl_models.simulation.build"),
        ("hwc/backend", "hwc.runtime.program"),
        ("hwc/backend", "hwc.transforms.fuse_kernels"),
        ("hwc/dialects", "hwc.transforms.fuse_kernels"),
        ("hwc/dialects", "hwc.backend.select"),
        ("hwc/planning", "hwc.dialects.kernel"),
        ("hwc/planning", "hwc.backend.select"),
        ("hwc/planning", "xdsl.ir"),
        ("hwc/planning", "sim.timing"),
        ("hwc/shapes", "hwc.planning.schedule"),
        ("hwc/shapes", "xdsl.ir"),
        ("hwc/transforms", "hwc.cli.main"),
        ("hwc/cli", "sim.machine"),
        ("hwc/cli", "rtl_models.simulation.session"),
        ("hwc/runtime", "hwc.backend.emit"),
        ("hwc/package", "hwc.runtime"),
        ("hwc/package", "hwc.backend"),
        ("hwc/package", "xdsl.ir"),
        ("hwc/package", "rtl_models.simulation.session"),
        ("rtl_models", "hwc.runtime.devices"),
        ("rtl_models/tb", "hwc.backend.emit"),
    ],
)
def test_forbidden(folder, module):
    assert banned(folder, module)


@pytest.mark.parametrize(
    ("folder", "module"),
    [
        ("isa/gen", "isa.load"),
        ("sim", "isa.load"),
        ("hwc/backend", "hwc.package"),
        ("hwc/shapes", "isa.load"),
        ("hwc/planning", "hwc.shapes"),
        ("hwc/planning", "isa.load"),
        ("hwc/transforms", "hwc.backend.select"),
        ("hwc/runtime", "sim.machine"),
        ("hwc/runtime", "rtl_models.simulation.session"),
        ("hwc/cli", "hwc.runtime"),
        ("hwc/package", "hwc.errors"),
        ("rtl_models", "isa.target"),
        ("rtl_models/tb", "sim.timing"),
        ("tests/unit", "sim.machine"),
    ],
)
def test_allowed(folder, module):
    assert not banned(folder, module)
