"""`python -m isa.gen`: write what follows from the instruction set, or check that it is current."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from isa.errors import IsaError, UserError
from isa.gen.manual import manual
from isa.gen.sv_package import sv_package
from isa.gen.sv_target import sv_target
from isa.load import ROOT, load
from isa.target import load_target


def outputs() -> dict[str, str]:
    """Committed files, relative to the checkout, and what they must hold."""
    isa = load()
    return {
        "docs/isa.md": manual(isa),
        "rtl_models/pkg/hwc_isa_pkg.sv": sv_package(isa),
    }


def main(arguments: list[str] | None = None, checkout: Path = ROOT.parent) -> int:
    """Write, check or print; returns the exit code, 1 for stale files and user errors."""
    parser = argparse.ArgumentParser(
        prog="python -m isa.gen",
        description="Write docs/isa.md and rtl_models/pkg/hwc_isa_pkg.sv of the checkout.",
    )
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
    except UserError as e:
        print(e, file=sys.stderr)
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
        print(f"{name}: is not what isa/ gives; run `python -m isa.gen`", file=sys.stderr)
    return 1 if stale else 0


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
