"""The command `hwc`: parses the command line and turns user errors into exit code 1."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

import hwc
from hwc.cli import asm, benchmark, compile, cosim, disasm, info, run, specialize, targets
from hwc.cli.guard import guarded

COMMANDS = (compile, run, benchmark, cosim, info, disasm, asm, targets, specialize)


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
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
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 (error or mismatch), 2 (wrong usage)."""
    return guarded("hwc", lambda: _execute(parser().parse_args(argv)))


def _execute(args: argparse.Namespace) -> int:
    # A build of the hardware takes minutes and reports that in a line of its own.
    if sys.stderr is not None and sys.stderr.isatty():
        logging.basicConfig(level=logging.INFO, format="\r\033[K%(message)s")
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
