"""`hwc disasm`: the machine code of a package as assembly text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import isa
from hwc import package as hwx
from hwc.cli.plan_option import add_plan, given_plan
from hwc.package import BufferRef, Choice, Dispatch, MachineStep, Package, Parameter, Plan
from hwc.package.words import parameter_of
from hwc.plans.names import plan_name
from isa.disasm import disassemble

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
    add_plan(
        parser,
        "show the programs that run with this plan; without it, a package with choices is shown "
        "kernel by kernel",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    package = hwx.load(args.package)
    for line in listing(package, given_plan(package, args.plan)):
        print(line)
    return 0


def listing(package: Package, plan: Plan | None = None) -> Iterator[str]:
    """Yield the dispatches of a plan: parameters, then one line per word.

    Without a plan, a package with choices is listed as it is stored: every kernel once, with
    parameters of its own, after the alternatives that name the kernels.
    """
    target = package.target.get("name")
    if plan is None and package.choices:
        for i, step in enumerate(package.steps):
            yield f"; step {i} of {len(package.steps)} for target {target}"
            yield from _items(step)
            for number, kernel in enumerate(step.kernels):
                yield f"; kernel {number}: {kernel.source}: {len(kernel.words)} words"
                yield from _parameters(kernel.parameters)
                yield from _lines(kernel.words, kernel.parameters)
        return
    dispatches = package.link(package.first_plan if plan is None else plan)
    of = f" of plan {plan_name(package, plan)}" if plan else ""
    for i, dispatch in enumerate(dispatches):
        yield (
            f"; dispatch {i} of {len(dispatches)}{of} for target {target}: "
            f"{len(dispatch.words)} words"
        )
        yield from _parameters(dispatch.parameters)
        yield from _dispatch(dispatch)


def _items(step: MachineStep) -> Iterator[str]:
    """Yield what the step runs, in order."""
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


def _dispatch(dispatch: Dispatch) -> Iterator[str]:
    kernel = 0
    at_start = True
    lines = _lines(dispatch.words, dispatch.parameters)
    for word, line in zip(dispatch.words, lines, strict=True):
        name = _name(word)
        if at_start and name != "halt":
            of = f": {dispatch.kernels[kernel]}" if kernel < len(dispatch.kernels) else ""
            yield f"; kernel {kernel}{of}"
        at_start = name == "end"
        kernel += at_start
        yield line


def _lines(words: Sequence[int], parameters: Sequence[Parameter]) -> Iterator[str]:
    """Yield one line for each word; a word with a parameter has its name as a comment."""
    for word, line in zip(words, disassemble(words).splitlines(), strict=True):
        found = parameter_of(word)
        comment = parameters[found.index].name if found else ""
        yield f"{line:<{_COMMENT_COLUMN}}; {comment}" if comment else line


def _name(word: int) -> str:
    return isa.decode(word).name
