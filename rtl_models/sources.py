"""The SystemVerilog sources of the machine, in the order in which tools want them."""

from __future__ import annotations

from pathlib import Path

SOURCES = Path(__file__).resolve().parent
ROOMS = ("common", "stream", "axi", "vector", "core")
"""Folders of the machine's modules, below `SOURCES`."""
TARGET_PACKAGE = "hwc_target_pkg.sv"
"""File of the package that `isa.gen.sv_target` makes for a target."""


def packages(target_package: Path) -> list[Path]:
    """Return the packages, each behind those that it uses; one is the target's, in a file given."""
    room = SOURCES / "pkg"
    names = ("vector", "stream", "core", "pipe", "tables", "special")
    return [
        room / "hwc_isa_pkg.sv",
        target_package,
        *(room / f"hwc_{name}_pkg.sv" for name in names),
        SOURCES / "core" / "host_registers_pkg.sv",
    ]


def modules() -> dict[str, Path]:
    """Return the file of every module of the machine, by its name; benches are none."""
    files = (path for room in ROOMS for path in sorted((SOURCES / room).glob("*.sv")))
    return {path.stem: path for path in files if not path.stem.endswith("_pkg")}
