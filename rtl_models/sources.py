"""The SystemVerilog sources of the machine, in the order that tools need."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
ROOMS = ("common", "stream", "axi", "vector", "core")
"""Folders of the machine's modules, below `SOURCES`."""
SYSTEM = "simulation/sv"
"""Folder of the modules around the machine, below `SOURCES`."""
TARGET_PACKAGE = "hwc_target_pkg.sv"
"""File of the package that `isa.gen.sv_target` makes for a target."""

_USES_PACKAGE = re.compile(r"\b(\w+_pkg)::")


def packages(target_package: Path) -> list[Path]:
    """Return the packages, each after the packages it uses.

    Args:
        target_package: file of the target's package, which need not exist; this package uses no
        other package.
    """
    files = [*(SOURCES / "pkg").glob("*.sv"), *(SOURCES / "core").glob("*_pkg.sv")]
    found = {path.stem: path for path in sorted(files)}
    found[Path(TARGET_PACKAGE).stem] = target_package
    order: TopologicalSorter[str] = TopologicalSorter()
    for name, path in found.items():
        text = "" if path is target_package else path.read_text(encoding="utf-8")
        order.add(name, *sorted(found.keys() & set(_USES_PACKAGE.findall(text)) - {name}))
    return [found[name] for name in order.static_order()]


def modules() -> dict[str, Path]:
    """Return the file of every module of the machine, by its name, without the benches."""
    files = (path for room in ROOMS for path in sorted((SOURCES / room).glob("*.sv")))
    return {path.stem: path for path in files if not path.stem.endswith("_pkg")}


def system() -> list[Path]:
    """Return the files of the system around the machine: memory, host and checkers."""
    return sorted((SOURCES / SYSTEM).glob("*.sv"))
