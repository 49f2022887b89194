"""The argument PROGRAM: a package, or a program to compile first."""

from __future__ import annotations

import argparse
import logging
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hwc import package as hwx
from hwc.cli.options import add_entry, add_language, add_libraries, add_target, language
from hwc.cli.texts import read, read_bytes
from hwc.errors import UserError
from hwc.files import decode_program, readable_name
from isa.target import load_target

if TYPE_CHECKING:
    from hwc.package import Package

_LOG = logging.getLogger("hwc.cli")
_ZIP = b"PK"
_SUFFIX = ".hwx"


def add_program(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument, which may be `optional`, and the options for compiling a program."""
    parser.add_argument(
        "package",
        metavar="PROGRAM",
        nargs="?" if optional else None,
        help="a package (.hwx), or a program (MLIR or TOSA), which is compiled first; "
        "- for standard input",
    )
    group = parser.add_argument_group("options for compiling, as `hwc compile` has them")
    add_target(group, default=None)
    add_entry(group)
    add_libraries(group)
    add_language(group)


def given_package(args: argparse.Namespace) -> Package:
    """Return the package that the command line names, or compile the program that it names.

    A file is a package if it begins like one or its name ends in `.hwx`. Anything else is a
    program.

    Raises:
        UserError: the file cannot be read, is damaged or cannot be compiled.
    """
    content = read_bytes(args.package)
    name = readable_name(args.package)
    if content.startswith(_ZIP) or name.endswith(_SUFFIX):
        refuse_options(args, f"and {name} is compiled already; give it to `hwc compile`")
        return hwx.from_bytes(content, name)
    from hwc.compiler import compile_package  # noqa: PLC0415 - a package needs no compiler
    from hwc.frontend.source import Source  # noqa: PLC0415 - as above

    target = load_target(args.target or "accel")
    compiled = compile_package(
        Source(name, decode_program(content, name)),
        target,
        entry=args.entry,
        language=language(args),
        libraries=[Source(*read(path)) for path in args.library],
    )
    _LOG.debug("compiled %s for target %s", name, target.name)
    return compiled.package


def _given(args: argparse.Namespace) -> dict[str, list[str]]:
    """Return the values of each option for compiling that the command line gives."""
    values = {
        "--target": [args.target],
        "--entry": [args.entry],
        "--library": args.library,
        "--broadcast": [args.broadcast],
        "--ranks": [args.ranks],
        "--conform": [args.conform],
        "--assume": args.assume,
    }
    kept = {option: [v for v in several if v is not None] for option, several in values.items()}
    return {option: several for option, several in kept.items() if several}


def refuse_options(args: argparse.Namespace, reason: str) -> None:
    """Refuse the options for compiling; `reason` ends the sentence of the message.

    Raises:
        UserError: one of the options is given.
    """
    for option in _given(args):
        raise UserError(f"{option}: error: this option is for compiling, {reason}")


def program_again(args: argparse.Namespace) -> str:
    """Return the program and its options, quoted for a shell."""
    options = (f" {option} {shlex.quote(v)}" for option, vs in _given(args).items() for v in vs)
    return shlex.quote(args.package) + "".join(options)


def program_files(args: argparse.Namespace) -> dict[str, list[str]]:
    """Return the files of the program, the libraries and the target, for `check_files`."""
    targets = [args.target] if args.target and Path(args.target).is_file() else []
    return {"PROGRAM": [args.package], "--library": list(args.library), "--target": targets}
