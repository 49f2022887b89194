"""`hwc disasm`: the machine code of a package as assembly text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import isa
from hwc import package as hwx
from hwc.package import BufferRef, Dispatch, Package
from isa.disasm import disassemble
from isa.errors import DecodeError

_COMMENT_COLUMN = 36


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "disasm",
        help="show the machine code of a package",
        description="Show the machine code of a package as text that the assembler accepts; "
        "comments name the packet's parameters and the kernels.",
    )
    parser.add_argument("package", metavar="PACKAGE", help="a .hwx file")
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    for line in listing(hwx.load(args.package)):
        print(line)
    return 0


def listing(package: Package) -> Iterator[str]:
    """Yield the lines of every dispatch: its parameters, then one line per word."""
    for i, dispatch in enumerate(package.dispatches):
        head = (
            f"; dispatch {i} of {len(package.dispatches)} for target {package.target.get('name')}"
        )
        yield f"{head}: {len(dispatch.words)} words"
        yield from _dispatch(dispatch)


def _dispatch(dispatch: Dispatch) -> Iterator[str]:
    for i, parameter in enumerate(dispatch.parameters):
        kind = "address of" if isinstance(parameter, BufferRef) else "size"
        yield f"; p{i} = {kind} {parameter.name}"
    kernel = 0
    at_start = True
    for word, line in zip(dispatch.words, disassemble(dispatch.words).splitlines(), strict=True):
        name = _name(word)
        if at_start and name != "halt":
            of = f": {dispatch.kernels[kernel]}" if kernel < len(dispatch.kernels) else ""
            yield f"; kernel {kernel}{of}"
        at_start = name == "end"
        kernel += at_start
        comment = _comment(word, dispatch)
        yield f"{line:<{_COMMENT_COLUMN}}; {comment}" if comment else line


def _name(word: int) -> str:
    try:
        return isa.decode(word).name
    except DecodeError:
        return ""


def _comment(word: int, dispatch: Dispatch) -> str:
    try:
        decoded = isa.decode(word)
    except DecodeError:
        return ""
    if decoded.name == "base":
        index = decoded.fields["param"]
    elif decoded.name == "size" and decoded.fields["from_param"]:
        index = decoded.fields["value"]
    else:
        return ""
    return dispatch.parameters[index].name if index < len(dispatch.parameters) else ""
