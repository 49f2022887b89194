"""The command `hwc`: parses the command line and turns user errors into exit code 1."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import hwc
from hwc.cli import compile, cosim, disasm, info, run
from hwc.errors import UserError

COMMANDS = (compile, run, cosim, info, disasm)


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
    top = argparse.ArgumentParser(
        prog="hwc",
        description="Compile tensor programs with dynamic shapes once, and run them with any "
        "shapes that fit, on a vector accelerator whose hardware does the broadcasting.",
        epilog="`hwc COMMAND --help` tells more about a command; `hwc-opt` runs single passes.",
    )
    top.add_argument("--version", action="version", version=f"hwc {hwc.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 (error or mismatch), 2 (wrong usage)."""
    args = parser().parse_args(argv)
    try:
        code = args.function(args)
        sys.stdout.flush()
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        # Files that users name have errors of their own: this is standard output. Python would
        # complain about it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"hwc: error: cannot write to standard output: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
