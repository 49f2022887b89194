"""`hwc run`: runs a package with arrays from files, from the command line, or random arrays."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.cli import values
from hwc.cli.compare import Difference, Tolerance, Unlike, difference, json_number
from hwc.cli.counters import (
    accounts_json,
    add_csv,
    by_x,
    inputs_json,
    kernel_lines,
    kernels_json,
    percent,
    roofline_json,
    short,
    summary,
    warn_without_machine,
    whole_name,
    write_csv,
)
from hwc.cli.device_option import add_device, given_device
from hwc.cli.options import add_input, add_seed, count, fraction
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, program_files
from hwc.cli.table import aligned
from hwc.cli.texts import STANDARD, check_files
from hwc.cli.trace_option import add_trace, given_trace, save_trace
from hwc.errors import UserError, counted
from hwc.package import Tensor
from hwc.package.host_types import spelling, tensor_type
from isa.target import Target

FULL_OUTPUT = 64
"""The maximum number of elements of an output that is printed in full."""

JSON_DATA = 1024
"""The maximum number of elements of an output that is part of the JSON."""

_LOG = logging.getLogger("hwc.cli")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a package, or a program, on the simulator or on the hardware",
        description="Run a package, or compile a program and run it. Give --input once for each "
        "argument, in order, and --output or --expected-output once for each result, in order. One "
        "of them may be @-, an array in the form of .npy on standard input or output; the report "
        "is then on standard error.",
        epilog=f"Values: {values.SYNTAX}. Hexadecimal integers are the element's bits; floats may "
        "be decimal, hexadecimal (0x1.8p3), inf or nan. The exit code is 0, 1 after an error or a "
        "mismatch, or 2 if the command line is wrong.",
    )
    add_program(parser)
    add_input(parser)
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="@FILE",
        help="a .npy file for the next result; @- is standard output",
    )
    parser.add_argument(
        "--expected-output",
        action="append",
        default=[],
        metavar="VALUE",
        help="the value that the next result must have. Exit code 1 unless all bits are the same "
        "(any NaN equals any NaN; -0 and 0 differ); then the number of elements that differ, the "
        "first of them and the largest difference are reported",
    )
    parser.add_argument(
        "--tolerance-ulp", type=count, default=0, metavar="N", help="accept floats within N ulp"
    )
    parser.add_argument(
        "--rtol",
        type=fraction,
        default=0.0,
        help="accept floats within ATOL + RTOL * |expected|",
    )
    parser.add_argument("--atol", type=fraction, default=0.0, help="see --rtol")
    add_seed(parser)
    add_device(parser)
    add_plan(parser, "follow this plan instead of the one with the fewest cycles")
    add_trace(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_csv(parser)
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.runtime.host_floats import numbers_of  # noqa: PLC0415 - `hwc --help` needs no simulator
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs no simulator

    paths = [_path(text) for text in args.output]
    inputs_from = {"--input": values.files(args.input)}
    expected_from = {"--expected-output": values.files(args.expected_output)}
    written = {"--output": paths, "--trace": args.trace, "--csv": args.csv}
    check_files(program_files(args) | inputs_from | expected_from, written)
    strips = given_trace(args)
    device = given_device(args.device)
    program = Program(given_package(args), device)
    given_plan(program.package, args.plan)
    for option, given in (("--output", args.output), ("--expected-output", args.expected_output)):
        if len(given) > len(program.outputs):
            raise UserError(
                f"{option}: error: got {counted(len(given), 'value')}, but the program has "
                f"{counted(len(program.outputs), 'result')}"
            )
    inputs = values.arguments(args.input, program, args.seed, args.plan)
    expected = [
        values.read(text, _type(program.outputs, i)).array(np.random.default_rng([args.seed, i]))
        for i, text in enumerate(args.expected_output)
    ]
    if args.trace is None:
        result = program(*inputs, plan=args.plan)
    else:
        result, trace = program.traced(*inputs, plan=args.plan, strips=strips)
        save_trace(trace, args.trace)
    warn_without_machine(program.package.source_name, result.accounts)
    plan = f", plan {result.plan}" if result.plan else ""
    _LOG.debug("ran on device %s, target %s%s", device, program.target.name, plan)
    kernels = () if args.csv is None else _known(result.kernels, device)
    for path, array in zip(paths, result.outputs, strict=False):
        values.write_npy(path, array)
    if args.csv is not None:
        write_csv(args.csv, kernels)
    tolerance = Tolerance(args.tolerance_ulp, args.rtol, args.atol)
    types = [tensor_type(tensor.type) for tensor in program.outputs]
    differences = {
        i: found
        for i, (type_, array, wanted) in enumerate(
            zip(types, result.outputs, expected, strict=False)
        )
        if (found := difference(array, wanted, tolerance, partial(numbers_of, type_=type_)))
        is not None
    }
    out = sys.stderr if STANDARD in (*paths, args.csv) else sys.stdout
    if out is sys.stderr and args.quiet:
        pass
    elif args.json:
        print(json.dumps(_as_json(program, result, differences), indent=2), file=out)
    else:
        for line in report(program.outputs, result, program.target):
            print(line, file=out)
    sys.stdout.flush()
    for i, found in differences.items():
        print(f"error: result {i}: {found}", file=sys.stderr)
    return 1 if differences else 0


def _known(kernels: Sequence[Any] | None, device: str) -> Sequence[Any]:
    """Return the kernels of a result.

    Raises:
        UserError: the device does not tell kernels apart.
    """
    if kernels is None:
        raise UserError(
            f"--csv: error: the device {device!r} does not tell kernels apart; the device "
            "'simulator' does, with the same counters"
        )
    return kernels


def _type(tensors: tuple[Tensor, ...], index: int) -> str | None:
    return tensors[index].type if index < len(tensors) else None


def _path(text: str) -> str:
    if not text.startswith("@") or text == "@":
        raise UserError(f"--output {text}: error: expected @FILE, such as @y.npy")
    return text[1:]


def report(
    tensors: tuple[Tensor, ...],
    result: Any,
    target: Target,
) -> Iterator[str]:
    """Yield a readable description of a run, line by line."""
    counters = result.counters
    from hwc.runtime.host_floats import numbers_of  # noqa: PLC0415 - `hwc --help` needs none of it

    for i, (tensor, array) in enumerate(zip(tensors, result.outputs, strict=True)):
        shape = "x".join(map(str, array.shape))
        yield f"result {i}: {shape}{'x' if shape else ''}{spelling(tensor.type)}"
        yield _text(numbers_of(array, tensor_type(tensor.type)))
    yield ""
    yield from summary(result.plan, counters, target, result.accounts)
    if result.kernels:
        yield ""
        yield from kernel_lines(result.kernels, counters, target, whole_name(result.accounts))
    if any(step.counters is None for step in result.steps):
        yield ""
        yield from aligned(_step_rows(result, target), right=(2, 3, 4, 5))


def _step_rows(result: Any, target: Target) -> list[list[str]]:
    """Return a row for each step of a model, with its place and cost, and a row for the total."""
    from hwc.runtime.roofline import (  # noqa: PLC0415 - `hwc --help` needs none of it
        bytes_moved,
        roofline_share,
    )

    rows = [["step", "on", "cycles", "bytes", "roofline", "ms", "sizes", "operators"]]
    spent = {"host": 0.0, "machine": 0.0}
    for row in result.table():
        spent[row["on"]] += row["seconds"]
        counts = ["", "", ""]
        if row["cycles"] is not None:
            counts = [str(row["cycles"]), str(row["bytes"]), percent(row["roofline"])]
        sizes = ", ".join(map(by_x, row["sizes"]))
        took = f"{1000 * row['seconds']:.2f}"
        words = [short(sizes), short(row["operators"])]
        rows.append([str(row["step"]), row["on"], *counts, took, *words])
    counts = [str(result.counters["cycles"]), str(bytes_moved(result.counters))]
    share = percent(roofline_share(result.counters, target))
    rows.append(["all", "machine", *counts, share, f"{1000 * spent['machine']:.2f}", "", ""])
    rows.append(["all", "host", "", "", "", f"{1000 * spent['host']:.2f}", "", ""])
    return rows


def _text(array: NDArray[Any]) -> str:
    return np.array2string(array, threshold=FULL_OUTPUT, edgeitems=3, max_line_width=100)


def _as_json(
    program: Any, result: Any, differences: Mapping[int, Unlike | Difference]
) -> dict[str, Any]:
    return {
        "outputs": [
            {
                "type": tensor.type,
                "shape": list(array.shape),
                "data": _json_data(tensor, array) if array.size <= JSON_DATA else None,
            }
            for tensor, array in zip(program.outputs, result.outputs, strict=True)
        ],
        "inputs": inputs_json(program.inputs, result.shapes),
        "target": program.target.name,
        "plan": result.plan or None,
        "cycles": result.cycles,
        **roofline_json(result.counters, program.target),
        "counters": dict(result.counters),
        "steps": [
            {
                "on": "host" if step.counters is None else "machine",
                "operators": step.operators,
                "sizes": [list(shape) for shape in step.sizes],
                "counters": None if step.counters is None else dict(step.counters),
                "roofline": step.roofline,
                "seconds": step.seconds,
            }
            for step in result.steps
        ],
        "kernels": kernels_json(result.kernels),
        "accounts": accounts_json(result.accounts),
        "differences": [{"result": i, **found.to_json()} for i, found in differences.items()],
    }


def _json_data(tensor: Tensor, elements: NDArray[Any]) -> Any:
    """Return a result as nested lists of JSON numbers (see `json_number`)."""
    from hwc.runtime.host_floats import numbers_of  # noqa: PLC0415 - `hwc --help` needs none of it

    array = numbers_of(elements, tensor_type(tensor.type))
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return _named(array.tolist())
    return array.tolist()


def _named(value: Any) -> Any:
    if isinstance(value, list):
        return [_named(v) for v in value]
    return json_number(value)
