"""`hwc time`: the cycles of a call, from only the shapes of its arguments."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from hwc.cli.counters import (
    accounts_json,
    add_csv,
    inputs_json,
    kernel_lines,
    kernels_json,
    roofline_json,
    summary,
    warn_without_machine,
    whole_name,
    write_csv,
)
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, program_files
from hwc.cli.shape_option import SYNTAX, add_shape, check_shapes, given_shapes
from hwc.cli.texts import STANDARD, check_files
from hwc.cli.trace_option import add_trace, given_trace, save_trace


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "time",
        help="the cycles of a call from shapes alone, without running it",
        description="Report the cycles, the counters and the kernels of a call whose arguments "
        "have the given shapes. They are exactly those of `hwc run`, but no element is computed: "
        "time and memory do not depend on the number of elements. A call that would be refused is "
        "refused here with the same message. Steps on the host have no cycles.",
        epilog=f"Shapes: {SYNTAX}. The exit code is 0, 1 after an error, or 2 if the command line "
        "is wrong.",
    )
    add_program(parser)
    add_shape(parser)
    add_plan(parser, "follow this plan instead of the one with the fewest cycles")
    add_trace(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_csv(parser)
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs no simulator

    check_files(program_files(args), {"--trace": args.trace, "--csv": args.csv})
    strips = given_trace(args)
    check_shapes(args)
    program = Program(given_package(args))
    given_plan(program.package, args.plan)
    shapes, named = given_shapes(args, program)
    timing = program.time(*shapes, plan=args.plan, **named)
    warn_without_machine(program.package.source_name, timing.accounts)
    if args.trace is not None:
        save_trace(program.trace(*shapes, plan=args.plan, strips=strips, **named), args.trace)
    if args.csv is not None:
        write_csv(args.csv, timing.kernels)
    out = sys.stderr if args.csv == STANDARD else sys.stdout
    if out is sys.stderr and args.quiet:
        return 0
    if args.json:
        print(json.dumps(_as_json(program, timing), indent=2), file=out)
    else:
        for line in _report(timing):
            print(line, file=out)
    return 0


def _report(timing: Any) -> Iterator[str]:
    """Yield a readable description of a timing, line by line."""
    yield from summary(timing.plan, timing.counters, timing.target, timing.accounts)
    if timing.kernels:
        yield ""
        whole = whole_name(timing.accounts)
        yield from kernel_lines(timing.kernels, timing.counters, timing.target, whole)


def _as_json(program: Any, timing: Any) -> dict[str, Any]:
    return {
        "inputs": inputs_json(program.inputs, timing.shapes),
        "target": timing.target.name,
        "plan": timing.plan or None,
        "cycles": timing.cycles,
        **roofline_json(timing.counters, timing.target),
        "counters": dict(timing.counters),
        "kernels": kernels_json(timing.kernels),
        "accounts": accounts_json(timing.accounts),
    }
