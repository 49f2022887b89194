"""`hwc time`: the cycles of a call from the shapes of its arguments alone."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from hwc.cli.counters import add_csv, inputs_json, kernel_lines, kernels_json, summary, write_csv
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, program_files
from hwc.cli.texts import STANDARD, check_files
from hwc.cli.trace_option import add_trace, given_trace, save_trace
from hwc.errors import UserError

SYNTAX = (
    "sizes such as 8x1x64, or scalar, for the next argument; NAME=8x1x64 for the argument NAME; or "
    "NAME=8 for the size that hwc.symbols calls NAME"
)

_SHAPE = re.compile(
    r"(?:(?P<name>[^=]+)=)?(?P<shape>scalar|[0-9]{1,30}(?:x[0-9]{1,30})*)"
)  # Python does not convert thousands of digits.


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "time",
        help="the cycles of a call from shapes alone, without running it",
        description="Report the cycles, the counters and the kernels of a call whose arguments "
        "have the given shapes. They are exactly those of `hwc run`, but no element is computed: "
        "time and memory do not depend on the number of elements. A call that would be refused is "
        "refused here with the same message. Steps on the host have no cycles.",
        epilog=f"Shapes: {SYNTAX}. The exit code is 0, or 1 after an error.",
    )
    add_program(parser)
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="SHAPE",
        help="the shape of the next argument, or of one by its name; given once for each",
    )
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
    shapes: list[tuple[int, ...]] = []
    named: dict[str, Any] = {}
    for text in args.shape:
        name, shape = _read(text)
        if name is None:
            shapes.append(shape)
        elif name in named:
            raise UserError(f"--shape: error: '{name}' has a shape already, got {text!r}")
        else:
            named[name] = shape
    program = Program(given_package(args))
    given_plan(program.package, args.plan)
    arguments = {tensor.name for tensor in program.inputs}
    for name, shape in named.items():
        if name not in arguments and len(shape) == 1:
            named[name] = shape[0]
    timing = program.time(*shapes, plan=args.plan, **named)
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


def _read(text: str) -> tuple[str | None, tuple[int, ...]]:
    """Return the name, if any, and the sizes of a shape.

    Raises:
        UserError: the text has none of the documented forms.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise UserError(f"--shape {shown}: error: not a shape; expected {SYNTAX}")
    shape = match["shape"]
    return match["name"], () if shape == "scalar" else tuple(map(int, shape.split("x")))


def _report(timing: Any) -> Iterator[str]:
    """Yield the lines that describe a timing to people."""
    yield from summary(timing.plan, timing.counters, timing.target)
    if timing.kernels:
        yield ""
        yield from kernel_lines(timing.kernels, timing.counters, timing.target)


def _as_json(program: Any, timing: Any) -> dict[str, Any]:
    return {
        "inputs": inputs_json(program.inputs, timing.shapes),
        "target": timing.target.name,
        "plan": timing.plan or None,
        "cycles": timing.cycles,
        "ideal_cycles": timing.ideal_cycles,
        "roofline": timing.roofline,
        "counters": dict(timing.counters),
        "kernels": kernels_json(timing.kernels),
    }
