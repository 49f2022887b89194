"""`hwc compile`: compiles a program to a package, or to any stage on the way."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hwc import package as hwx
from hwc.cli.options import (
    add_cut,
    add_entry,
    add_language,
    add_libraries,
    add_target,
    cut_options,
    language,
)
from hwc.cli.print_ir import PrintIr, add_print_ir, text_of
from hwc.cli.table import aligned
from hwc.cli.texts import STANDARD, check_files, read, write, write_package
from hwc.errors import UserError
from isa.target import load_target

if TYPE_CHECKING:
    from hwc.models.report import Report

_LOG = logging.getLogger("hwc.cli")

IR_STAGES = ("tosa", "linalg", "kernel", "vector")
STAGES = (*IR_STAGES, "asm", "package")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compile",
        help="compile a program to a package, or show a stage of the compilation",
        description="Compile a TOSA program (MLIR or flatbuffer), an ONNX or a TFLite model to a "
        "package for a target. "
        "Text of stage linalg, kernel or vector, as --emit prints it, is taken as well.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="MLIR text or bytecode, a TOSA flatbuffer, an ONNX or a TFLite model; - for standard "
        "input",
    )
    add_target(parser, default="accel")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="file to write, or - for standard output (default for a package: FILE with the suffix "
        ".hwx; for a stage: standard output)",
    )
    parser.add_argument(
        "--emit",
        choices=STAGES,
        default="package",
        help="the stage to stop at and write (default: package)",
    )
    parser.add_argument(
        "--portable",
        action="store_true",
        help="with --emit linalg: use upstream dialects only; broadcasts become scf.if and copies",
    )
    parser.add_argument(
        "--checks",
        action="store_true",
        help="with --portable: add a cf.assert for each rule about sizes",
    )
    add_entry(parser)
    add_libraries(parser)
    add_language(parser)
    add_cut(parser)
    add_print_ir(parser)
    parser.add_argument(
        "--timing",
        action="store_true",
        help="print the time of each step to standard error, with the processes that it waits for",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.portable and args.emit != "linalg":
        raise UserError("--portable: error: this option needs --emit linalg")
    if args.checks and not args.portable:
        raise UserError("--checks: error: this option needs --portable")
    output = _output(args)
    target_file = args.target if Path(args.target).is_file() else None
    inputs = {"FILE": args.file, "--library": args.library, "--target": target_file}
    check_files(inputs, {"-o": output})
    target = load_target(args.target)
    name, content = read(args.file)
    given = cut_options(args)
    if args.emit not in ("asm", "package"):
        for option in given:
            raise UserError(f"{option}: error: this option is for whole programs, not for stages")
    from hwc import pipeline  # noqa: PLC0415 - xDSL is slow to import; `--help` does not need it
    from hwc.compiler import compile_package  # noqa: PLC0415 - as above
    from hwc.frontend.source import Source  # noqa: PLC0415 - as above
    from hwc.models.compile import Cut  # noqa: PLC0415 - as above

    source = Source(name, content)
    libraries = [Source(*read(path)) for path in args.library]
    show = PrintIr(args)
    if args.emit in IR_STAGES:
        portable = pipeline.CHECKED_PORTABLE if args.checks else pipeline.PORTABLE
        then = {"tosa": (pipeline.TOSA_1_0,), "linalg": (portable,) * args.portable}
        result = pipeline.run(
            source,
            target=target,
            entry=args.entry,
            until=args.emit,
            then=then.get(args.emit, ()),
            language=language(args),
            libraries=libraries,
            after_pass=show,
        )
        write(output, text_of(result.module))
    else:
        result = compile_package(
            source,
            target,
            entry=args.entry,
            language=language(args),
            libraries=libraries,
            after_pass=show,
            cut=Cut(tuple(args.keep_on_host), args.min_ops) if given else None,
        )
        if result.report is not None and (args.report or result.package.host_steps):
            _say_where(result.report, name, args)
        if args.emit == "asm":
            write(output, _assembly(result.package))
        else:
            write_package(output, result.package)
    show.finish()
    if args.timing:
        result.timing.add_rest("imports-and-files", args.began)
        print(result.timing, file=sys.stderr)
    return 0


def _output(args: argparse.Namespace) -> str:
    if args.output is not None:
        return args.output
    if args.emit != "package":
        return STANDARD
    if args.file == STANDARD:
        raise UserError("-: error: name the package to write with -o (- is standard output)")
    if Path(args.file).is_dir():
        raise UserError(f"{args.file}: error: this is a folder; expected a program (MLIR or TOSA)")
    output = Path(args.file).with_suffix(".hwx")
    if output == Path(args.file):
        read(args.file)  # for a package, this raises its own error
        raise UserError(f"{args.file}: error: name the package to write with -o")
    return str(output)


def _say_where(report: Report, name: str, args: argparse.Namespace) -> None:
    """Print to standard error what runs where in the model of the file `name`."""
    if not args.quiet:
        print(*report.lines(), sep="\n", file=sys.stderr)
        if args.report:
            print("", *aligned(report.table(), (0,)), sep="\n", file=sys.stderr)
    if not report.regions:
        _LOG.warning("%s: warning: no part of the model runs on the machine", name)


def _assembly(package: hwx.Package) -> str:
    from hwc.cli.disasm import listing  # noqa: PLC0415 - only this stage needs it

    return "".join(f"{line}\n" for line in listing(package))
