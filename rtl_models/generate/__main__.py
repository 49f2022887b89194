"""Writes every generated file of the checkout, or checks that each is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from isa.errors import IsaError, UserError
from isa.gen.manual import manual
from isa.gen.sv_package import sv_package
from isa.gen.sv_target import sv_target
from isa.load import load
from isa.target import load_target
from rtl_models.generate.descriptor_package import descriptor_package
from rtl_models.generate.special_tables import special_tables
from rtl_models.sources import SOURCES
from rtl_models.stream_descriptor import DESCRIPTOR

COMMAND = "python -m rtl_models.generate"


def outputs() -> dict[str, str]:
    """Return the text of every generated file, by the file's path in the checkout.

    Raises:
        IsaError: a package that the generator of the host's registers needs is not installed.
    """
    try:
        from rtl_models.generate import host_registers  # noqa: PLC0415 -- only this needs PeakRDL
    except ImportError as error:
        raise IsaError(
            f"error: {error.name} is not installed; run `pip install -e '.[test]'`"
        ) from error
    isa = load()
    return {
        "docs/isa.md": manual(isa),
        "docs/host_registers.md": host_registers.manual(),
        "rtl_models/pkg/hwc_isa_pkg.sv": sv_package(isa),
        "rtl_models/pkg/hwc_tables_pkg.sv": special_tables(),
        "rtl_models/pkg/hwc_descriptor_pkg.sv": descriptor_package(DESCRIPTOR),
        **{f"rtl_models/core/{name}.sv": text for name, text in host_registers.modules().items()},
    }


def main(arguments: list[str] | None = None, checkout: Path = SOURCES.parent) -> int:
    """Write, check or print; returns the exit code, 1 for stale files and user errors."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file is stale"
    )
    group.add_argument(
        "--target",
        metavar="TARGET",
        help="print the SystemVerilog package hwc_target_pkg of a target (name or file) instead",
    )
    options = parser.parse_args(arguments)
    try:
        if options.target is not None:
            sys.stdout.write(sv_target(load_target(options.target)))
            return 0
        if not (checkout / "pyproject.toml").is_file():
            raise IsaError(f"{checkout}: is not a checkout of the project; run this from one")
        files = outputs()
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    if options.check:
        return _check(checkout, files)
    for name, text in files.items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(name)
    return 0


def _check(checkout: Path, files: dict[str, str]) -> int:
    stale = [name for name, text in files.items() if not _holds(checkout / name, text)]
    for name in stale:
        print(f"{name}: is not what its sources give; run `{COMMAND}`", file=sys.stderr)
    return 1 if stale else 0


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
