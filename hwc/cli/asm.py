"""`hwc asm`: assembles text to the machine code of a package, or to plain words."""

from __future__ import annotations

import argparse
import struct
from typing import Any

from hwc import package as hwx
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.texts import check_files, read_package, read_text, write, write_package
from hwc.errors import UserError
from hwc.package.rewrite import WordError, rewritten
from isa.asm import assemble_lines, located


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "asm",
        help="assemble what `hwc disasm` shows",
        description="Assemble text in the form that `hwc disasm` prints. With --package, write a "
        "copy of the package whose machine code is replaced; without, write the words alone, 64 "
        "bits each, little-endian.",
        epilog="docs/isa.md has the instructions. `;` begins a comment; a word number such as `14:`"
        " is for people, the words keep the order of their lines. `.word 0x...` is any word.",
    )
    parser.add_argument("file", metavar="FILE", help="assembly text, or - for standard input")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="file to write, or - for standard output",
    )
    parser.add_argument(
        "--package",
        metavar="PACKAGE",
        help="the package whose machine code to replace, a .hwx file; the text has its kernels, as "
        "`hwc disasm PACKAGE` shows them",
    )
    add_plan(
        parser,
        "with --package: the text has the programs of this plan, as `hwc disasm --plan` shows them",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.plan is not None and args.package is None:
        raise UserError("--plan: error: this option needs --package")
    check_files({"FILE": args.file, "--package": args.package}, {"-o": args.output})
    name, text = read_text(args.file)
    if args.package is None:
        words = [line.word for line in assemble_lines(text, name)]
        write(args.output, struct.pack(f"<{len(words)}Q", *words))
        return 0
    package = read_package(args.package)
    plan = given_plan(package, args.plan)
    if plan is None and not package.choices:
        plan = package.first_plan
    new = _rewritten(package, plan, name, text)
    write_package(args.output, new)
    return 0


def _rewritten(package: hwx.Package, plan: hwx.Plan | None, name: str, text: str) -> hwx.Package:
    """Return the package with the machine code of `text`; an error names the line."""
    lines = assemble_lines(text, name)
    try:
        return rewritten(package, plan, [line.word for line in lines])
    except WordError as error:
        if not lines:
            raise UserError(f"{name}: error: the text has no instructions; {error}") from None
        raise located(name, text, lines[error.at].number, str(error)) from None
