"""`hwc targets`: the machines that hwc compiles for."""

from __future__ import annotations

import argparse
import json
from typing import Any

from hwc.cli.table import aligned
from isa.target import load_target, target_names, target_path

_UNITS = ("MiB", "GiB", "TiB", "PiB", "EiB")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "targets",
        help="list the targets that come with hwc, or check target files",
        description="List targets: lanes, width of the data bus, memory that addresses reach and "
        "its latency, and the file. A target of your own is a copy of such a file with other "
        "values, given as --target FILE.",
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="name of a target or path of a target file (default: every target that has a name)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with all values")
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    paths = {name: target_path(name) for name in args.targets or target_names()}
    targets = {name: load_target(name) for name in paths}
    if args.json:
        listed = [{**target.to_dict(), "path": str(paths[n])} for n, target in targets.items()]
        print(json.dumps({"targets": listed}, indent=2))
        return 0
    rows = [["name", "lanes", "bus", "memory", "latency", "file"]]
    for name, target in targets.items():
        bus, latency = f"{target.axi_bits} bits", f"{target.memory_latency} cycles"
        reach = _bytes(target.address_bits)
        rows.append([target.name, str(target.lanes), bus, reach, latency, str(paths[name])])
    for line in aligned(rows, right=(1, 2, 3, 4)):
        print(line)
    return 0


def _bytes(address_bits: int) -> str:
    """Return how many bytes addresses of 20 to 64 bits can reach, for people."""
    unit, bits = divmod(address_bits - 20, 10)
    return f"{1 << bits} {_UNITS[unit]}"
