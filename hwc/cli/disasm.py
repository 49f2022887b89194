"""`hwc disasm`: the machine code of a package or a program as assembly text."""

from __future__ import annotations

import argparse
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import isa
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, refuse_options
from hwc.cli.texts import read_bytes
from hwc.errors import UserError
from hwc.package import BufferRef, Choice, Dispatch, HostStep, MachineStep, Package, Parameter, Plan
from hwc.package.listing import listed
from hwc.plans.names import plan_name

_COMMENT_COLUMN = 40
_WORD_BYTES = 8


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "disasm",
        help="show the machine code of a package",
        description="Show the machine code of a package, or of what a program is compiled to, as "
        "text that `hwc asm` accepts: a word number, the instruction, and comments that name the "
        "packet's parameters and the kernels. The words of a plan have the numbers that faults of "
        "the machine speak of.",
    )
    add_program(parser)
    add_plan(
        parser,
        "show the programs that run with this plan; without it, a package with choices is shown "
        "kernel by kernel",
    )
    parser.add_argument(
        "--hex", action="store_true", help="show the 64 bits of each word, as a comment"
    )
    parser.add_argument(
        "--words",
        action="store_true",
        help="PROGRAM is a file of plain words, as `hwc asm` writes it without --package",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.words:
        if args.plan is not None:
            raise UserError("--plan: error: plain words have no plans; leave out --words or --plan")
        refuse_options(args, "and --words says that there are plain words")
        lines = _lines(_words(args.package), (), args.hex)
    else:
        package = given_package(args)
        lines = listing(package, given_plan(package, args.plan), args.hex)
    for line in lines:
        print(line)
    return 0


def _words(file: str) -> list[int]:
    content = read_bytes(file)
    if len(content) % _WORD_BYTES:
        raise UserError(
            f"{file}: error: got {len(content)} bytes, expected words of {_WORD_BYTES} bytes"
        )
    return [word for (word,) in struct.iter_unpack("<Q", content)]


def listing(package: Package, plan: Plan | None = None, hexadecimal: bool = False) -> Iterator[str]:
    """Yield the dispatches of a plan: parameters, then one numbered line per word.

    Without a plan, a package with choices is listed as stored: first the alternatives with the
    kernels that they name, then every kernel once, with its own parameters. `hexadecimal` adds the
    bits of each word.
    """
    target = package.target.get("name")
    if plan is None and package.choices:
        for i, step in enumerate(package.steps):
            yield f"; step {i} of {len(package.steps)} for target {target}"
            if isinstance(step, HostStep):
                yield f"; on the host, by {step.engine}: {step.source}"
                continue
            yield from _items(step)
            for number, kernel in enumerate(step.kernels):
                yield f"; kernel {number}: {kernel.source}: {len(kernel.words)} words"
                yield from _parameters(kernel.parameters)
                yield from _lines(kernel.words, kernel.parameters, hexadecimal)
        return
    dispatches = package.link(package.first_plan if plan is None else plan)
    of = f" of plan {plan_name(package, plan)}" if plan else ""
    for i, dispatch in enumerate(dispatches):
        yield (
            f"; dispatch {i} of {len(dispatches)}{of} for target {target}: "
            f"{len(dispatch.words)} words"
        )
        yield from _parameters(dispatch.parameters)
        yield from _dispatch(dispatch, hexadecimal)


def _items(step: MachineStep) -> Iterator[str]:
    """Yield lines that say what the step runs, in order."""
    for item in step.items:
        if not isinstance(item, Choice):
            yield f"; runs kernel {item}"
            continue
        yield "; runs one of"
        for a in item.alternatives:
            count = "kernel" if len(a.kernels) == 1 else "kernels"
            yield f";   {a.name}: {count} {', '.join(map(str, a.kernels))}"


def _parameters(parameters: Sequence[Parameter]) -> Iterator[str]:
    for i, parameter in enumerate(parameters):
        kind = "address of" if isinstance(parameter, BufferRef) else "size"
        yield f"; p{i} = {kind} {parameter.name}"


def _dispatch(dispatch: Dispatch, hexadecimal: bool) -> Iterator[str]:
    kernel = 0
    at_start = True
    lines = _lines(dispatch.words, dispatch.parameters, hexadecimal)
    for word, line in zip(dispatch.words, lines, strict=True):
        name = _name(word)
        if at_start and name != "halt":
            of = f": {dispatch.kernels[kernel]}" if kernel < len(dispatch.kernels) else ""
            yield f"; kernel {kernel}{of}"
        at_start = name == "end"
        kernel += at_start
        yield line


def _lines(
    words: Sequence[int], parameters: Sequence[Parameter], hexadecimal: bool
) -> Iterator[str]:
    """Yield one line for each word: its number, the instruction, and comments.

    The comments are the bits of the word, if requested, and the name of the word's parameter.
    """
    digits = len(str(max(len(words) - 1, 0)))
    for number, (word, (text, remark)) in enumerate(
        zip(words, listed(words, parameters), strict=True)
    ):
        bits = f"{word:0{2 * _WORD_BYTES}x}" if hexadecimal else ""
        comment = "  ".join(filter(None, (bits, remark)))
        line = f"{number:{digits}}: {text}"
        yield f"{line:<{_COMMENT_COLUMN}}; {comment}" if comment else line


def _name(word: int) -> str:
    return isa.decode(word).name
