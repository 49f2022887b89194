"""`hwc info`: the inputs and outputs of a package, and its contents."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import isa
from hwc import package as hwx
from hwc.cli.facts import describe_facts
from hwc.cli.table import aligned
from hwc.package import Alternative, BufferRef, MachineStep, Package, Tensor
from hwc.plans.cases import FREE, cases
from hwc.plans.choose import Planner
from hwc.plans.names import plan_name
from hwc.shapes.steps import Step
from isa.target import Target


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "info",
        help="show the contents of a package",
        description="Show the target, the inputs and outputs, the shape program, the buffers and "
        "the dispatches of a package, and for each choice between plans the shapes for which each "
        "alternative takes the fewest cycles.",
    )
    parser.add_argument("package", metavar="PACKAGE", help="a .hwx file")
    parser.add_argument(
        "--facts",
        action="store_true",
        help="show instead what is proven about every size: limits, sets, multiples, equal sizes",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    package = hwx.load(args.package)
    lines = describe_facts(package) if args.facts else describe(package, args.package)
    for line in lines:
        print(line)
    return 0


def describe(package: Package, path: str) -> Iterator[str]:
    """Yield the lines that describe a package."""
    target = Target.from_dict(package.target, where=path).to_dict()
    words = sum(len(kernel.words) for step in package.steps for kernel in step.kernels)
    versions = f"format {hwx.FORMAT_VERSION}, instruction set {isa.load().version}"
    yield f"{path}: @{package.entry} of {package.source_name}, {versions}"
    yield f"{words} words of machine code, {len(package.constants)} bytes of constants"
    yield f"broadcast {package.broadcast}, ranks {package.ranks}"
    yield ""
    yield f"target {target['name']}"
    yield from aligned([[f"  {key}", str(value)] for key, value in target.items() if key != "name"])
    yield ""
    yield f"inputs: {len(package.inputs)}"
    yield from aligned([_tensor(f"%{t.name}", t) for t in package.inputs])
    yield ""
    yield f"outputs: {len(package.outputs)}"
    yield from aligned([_tensor(str(i), t) for i, t in enumerate(package.outputs)])
    yield ""
    yield f"shape program: {len(package.shape_program.steps)} steps"
    yield from aligned([_step(step) for step in package.shape_program.steps])
    yield ""
    yield f"buffers: {len(package.buffers)}"
    yield from aligned([[f"  {b.name}", b.kind, _shape(b.shape) + b.type] for b in package.buffers])
    yield from _choices(package)
    plan = f" of plan {plan_name(package, package.first_plan)}" if package.choices else ""
    for i, dispatch in enumerate(package.dispatches):
        parameters = [
            f"&{p.name}" if isinstance(p, BufferRef) else p.name for p in dispatch.parameters
        ]
        yield ""
        count = max(1, len(dispatch.kernels))
        kernels = "1 kernel" if count == 1 else f"{count} kernels"
        yield f"dispatch {i}{plan}: {len(dispatch.words)} words, {kernels}"
        yield f"  packet  {' '.join(['version', *parameters])}"
        yield from (f"  kernel {k}  {text}" for k, text in enumerate(dispatch.kernels))


def _choices(package: Package) -> Iterator[str]:
    """Yield the alternatives of each choice, and for which shapes each is taken."""
    if not package.choices:
        return
    target = Target.from_dict(dict(package.target), where=package.source_name)
    planner = Planner(package, target)
    number = 0
    for step in package.steps:
        for choice in step.choices:
            yield ""
            yield f"choice {number}: {len(choice.alternatives)} alternatives"
            yield from aligned([_alternative(step, a) for a in choice.alternatives])
            yield from _cases(package, planner, number)
            number += 1


def _alternative(step: MachineStep, alternative: Alternative) -> list[str]:
    kernels = [step.kernels[number] for number in alternative.kernels]
    count = "1 kernel" if len(kernels) == 1 else f"{len(kernels)} kernels"
    words = f"{sum(len(kernel.words) for kernel in kernels)} words"
    return [f"  {alternative.name}", count, words, " | ".join(kernel.source for kernel in kernels)]


def _cases(package: Package, planner: Planner, number: int) -> Iterator[str]:
    names = [alternative.name for alternative in planner.decisions[number].alternatives]
    found = cases(package, planner, number)
    if not found:
        yield "  no usual shapes fit the program; `hwc run` says which plan ran"
        return
    rows = [["  shapes of", *(f"%{t.name}" for t in package.inputs), "fewest cycles"]]
    for case in found:
        (_, first), *later = case.best
        best = names[first] + "".join(f", from {FREE} = {n} {names[a]}" for n, a in later)
        rows.append(["", *("x".join(map(str, shape)) or "scalar" for shape in case.shapes), best])
    yield from aligned(rows)


def _shape(shape: tuple[int | str, ...]) -> str:
    return "".join(f"{d}x" for d in shape)


def _tensor(name: str, tensor: Tensor) -> list[str]:
    return [f"  {name}", str(tensor), _shape(tensor.shape) + tensor.type, f"buffer {tensor.buffer}"]


def _step(step: Step) -> list[str]:
    origin = step.origin
    return [f"  {step}", f"{origin.operation} at {origin.location}" if origin else ""]
