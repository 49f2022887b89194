"""`hwc specialize`: a program with given sizes, as MLIR text that other TOSA tools can read."""

from __future__ import annotations

import argparse
from typing import Any

from hwc.cli.options import add_entry, add_language, add_libraries, language
from hwc.cli.texts import STANDARD, check_files, read, write


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "specialize",
        help="write a program with given sizes, in the form of TOSA 1.0",
        description="Replace dynamic sizes of a program's arguments by given ones, and write the "
        "program in the form of TOSA 1.0: static where all sizes are given, else partly static.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="MLIR text or bytecode, or a TOSA flatbuffer; - for standard input",
    )
    parser.add_argument(
        "--dims",
        required=True,
        metavar="DIMS",
        help="sizes of arguments, as in a=4x?,b=1x8; a ? leaves a size as it is",
    )
    parser.add_argument(
        "-o",
        "--output",
        default=STANDARD,
        metavar="OUT",
        help="file to write, or - for standard output (default)",
    )
    add_entry(parser)
    add_libraries(parser)
    add_language(parser)
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    check_files({"FILE": args.file, "--library": args.library}, {"-o": args.output})
    name, content = read(args.file)
    from hwc.compiler import specialize  # noqa: PLC0415 - xDSL is slow to import
    from hwc.frontend.source import Source  # noqa: PLC0415 - as above

    source = Source(name, content)
    text = specialize(
        source,
        args.dims,
        entry=args.entry,
        language=language(args),
        libraries=[Source(*read(path)) for path in args.library],
    )
    write(args.output, text)
    return 0
