"""`hwc info`: the inputs and outputs of a package, and its contents."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import isa
from hwc import package as hwx
from hwc.cli.table import aligned
from hwc.package import BufferRef, Package, Tensor
from hwc.shapes.steps import Step
from isa.target import Target


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "info",
        help="show the contents of a package",
        description="Show the target, the inputs and outputs, the shape program, the buffers and "
        "the dispatches of a package.",
    )
    parser.add_argument("package", metavar="PACKAGE", help="a .hwx file")
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    package = hwx.load(args.package)
    for line in describe(package, args.package):
        print(line)
    return 0


def describe(package: Package, path: str) -> Iterator[str]:
    """Yield the lines that describe a package."""
    target = Target.from_dict(package.target, where=path).to_dict()
    words = sum(len(kernel.words) for step in package.steps for kernel in step.kernels)
    versions = f"format {hwx.FORMAT_VERSION}, instruction set {isa.load().version}"
    yield f"{path}: @{package.entry} of {package.source_name}, {versions}"
    yield f"{words} words of machine code, {len(package.constants)} bytes of constants"
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
    for i, dispatch in enumerate(package.dispatches):
        parameters = [
            f"&{p.name}" if isinstance(p, BufferRef) else p.name for p in dispatch.parameters
        ]
        yield ""
        count = max(1, len(dispatch.kernels))
        kernels = "1 kernel" if count == 1 else f"{count} kernels"
        yield f"dispatch {i}: {len(dispatch.words)} words, {kernels}"
        yield f"  packet  {' '.join(['version', *parameters])}"
        yield from (f"  kernel {k}  {text}" for k, text in enumerate(dispatch.kernels))


def _shape(shape: tuple[int | str, ...]) -> str:
    return "".join(f"{d}x" for d in shape)


def _tensor(name: str, tensor: Tensor) -> list[str]:
    return [f"  {name}", str(tensor), _shape(tensor.shape) + tensor.type, f"buffer {tensor.buffer}"]


def _step(step: Step) -> list[str]:
    origin = step.origin
    return [f"  {step}", f"{origin.operation} at {origin.location}" if origin else ""]
