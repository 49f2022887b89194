"""The command `hwc`: parses the command line and turns user errors into exit code 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import hwc
from hwc.cli import (
    asm,
    benchmark,
    compile,
    cosim,
    disasm,
    info,
    report,
    run,
    specialize,
    sweep,
    targets,
    time,
)
from hwc.cli.guard import guarded
from hwc.cli.verbosity import add_verbosity, start_log

COMMANDS = (
    *(compile, run, time, sweep, benchmark, cosim, report, info, disasm, asm, targets),
    specialize,
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="hwc",
        description="Compile tensor programs with dynamic shapes once, and run them with any "
        "shapes that fit, on a vector accelerator whose hardware does the broadcasting.",
        epilog="`hwc COMMAND --help` describes a command; `hwc-opt` runs single passes.",
    )
    top.add_argument("--version", action="version", version=f"hwc {hwc.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    for each in commands.choices.values():
        add_verbosity(each)
        each.set_defaults(parser=each)
    return top


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line; for an unknown argument, show the usage of its command.

    argparse alone would show the usage of `hwc`, which does not have the command's options.
    """
    args, unknown = parser().parse_known_args(argv)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 (error or mismatch), 2 (wrong usage)."""
    return guarded("hwc", lambda: _execute(parse(argv)))


def _execute(args: argparse.Namespace) -> int:
    start_log(args)
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
