"""The command `hwc`: parses the command line and turns user errors into exit code 1."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

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
    """Run the command line and return its exit code: 0, 1 (error or mismatch), 2 (wrong usage).

    Commands find the time at which the user began to wait in `began`, of `time.perf_counter`.
    """
    began = perf_counter()
    if argv is None:
        began -= _age()
    return guarded("hwc", lambda: _execute(parse(argv), began))


def _execute(args: argparse.Namespace, began: float) -> int:
    start_log(args)
    args.began = began
    return args.function(args)


def _age() -> float:
    """Return the seconds since this process began; 0 where the system is not Linux."""
    try:
        stat, uptime = (Path(f"/proc/{name}").read_text() for name in ("self/stat", "uptime"))
    except OSError:
        return 0.0
    began = int(stat.rpartition(")")[2].split()[19])  # in clock ticks: field 22 of proc_pid_stat(5)
    return float(uptime.split()[0]) - began / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
