"""`hwc report`: a page about one call, or about the differences between two calls."""

from __future__ import annotations

import argparse
from typing import Any

from hwc.cli import values
from hwc.cli.options import add_input, add_seed
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, program_files, refuse_options
from hwc.cli.shape_option import SYNTAX, add_shape, check_shapes, given_shapes
from hwc.cli.texts import check_files, read_text, write
from hwc.errors import UserError


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="write a page that shows where the cycles of a call go",
        description="Run a program on the simulator, or time it with --shape, and write a page "
        "about the call, one HTML file that needs no network: the graph of kernels, their "
        "roofline, the cycles by cause, the timeline of the engines, and for each kernel its "
        "source beside its instructions. With --compare, the page shows what differs between two "
        "calls of a program with the same shapes: on two targets, or before and after a change.",
        epilog=f"Values: {values.SYNTAX}. Shapes: {SYNTAX}. The exit code is 0, 1 after an "
        "error, or 2 if the command line is wrong.",
    )
    add_program(parser, optional=True)
    add_input(parser)
    add_seed(parser)
    add_shape(parser)
    add_plan(parser, "follow this plan instead of the one with the fewest cycles")
    parser.add_argument(
        "--source",
        metavar="FILE",
        help="the text that PROGRAM was compiled from; without it, the file that a package names "
        "is used if it has not changed",
    )
    parser.add_argument(
        "--no-timeline",
        action="store_true",
        help="leave out the timeline of the engines, for which every strip is evaluated: a call of "
        "millions of strips takes minutes, and everything else on the page a moment",
    )
    parser.add_argument(
        "--compare",
        nargs=2,
        metavar=("A.json", "B.json"),
        help="compare two calls; the files hold what `hwc run --json` or `hwc time --json` printed",
    )
    parser.add_argument(
        "-o", "--output", metavar="PAGE", required=True, help="the HTML file to write; - for "
        "standard output",
    )  # fmt: skip
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.reports.extra import need_extra  # noqa: PLC0415 - `hwc --help` needs no simulator

    if args.compare is not None:
        return _compare(args)
    if args.package is None:
        raise UserError("expected PROGRAM, or --compare A.json B.json")
    from hwc.reports.api import report  # noqa: PLC0415 - as above
    from hwc.runtime.program import Program  # noqa: PLC0415 - as above

    given = {"--input": values.files(args.input), "--source": args.source}
    check_files(program_files(args) | given, {"--output": args.output})
    if args.input and args.shape:
        raise UserError("--shape: error: give values with --input, or shapes with --shape")
    check_shapes(args)
    need_extra()
    package = given_package(args)
    given_plan(package, args.plan)
    program = Program(package)
    trace = None
    if args.shape:
        shapes, named = given_shapes(args, program)
        result = program.time(*shapes, plan=args.plan, **named)
        if not args.no_timeline:
            trace = program.trace(*shapes, plan=args.plan, **named)
    else:
        inputs = values.arguments(args.input, program, args.seed, args.plan)
        if args.no_timeline:
            result = program(*inputs, plan=args.plan)
        else:
            result, trace = program.traced(*inputs, plan=args.plan)
    write(args.output, report(program, result, trace, source=args.source).html())
    return 0


def _compare(args: argparse.Namespace) -> int:
    """Write the page that compares two files."""
    from hwc.reports.compare import read_call  # noqa: PLC0415 - `hwc --help` needs none of it
    from hwc.reports.compare_page import Comparison  # noqa: PLC0415 - as above
    from hwc.reports.extra import need_extra  # noqa: PLC0415 - as above

    if args.package is not None:
        raise UserError(
            f"--compare: error: got a program, {args.package}, too; a comparison is of two files "
            "of JSON"
        )
    for option, value in (
        ("--input", args.input),
        ("--shape", args.shape),
        ("--plan", args.plan),
        ("--source", args.source),
        ("--no-timeline", args.no_timeline),
    ):
        if value:
            raise UserError(f"{option}: error: this option is for a call, and --compare makes none")
    refuse_options(args, "and --compare compiles nothing")
    check_files({"--compare": args.compare}, {"--output": args.output})
    need_extra()
    texts = [read_text(file) for file in args.compare]
    a, b = (read_call(text, name) for name, text in texts)
    write(args.output, Comparison.of(a, b).html())
    return 0
