"""`hwc info`: the inputs, outputs and contents of a package or a program."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hwc.cli.contents import Json, contents, contents_with_facts
from hwc.cli.facts import describe_facts
from hwc.cli.program_option import add_program, given_package
from hwc.cli.table import aligned
from hwc.package.host_types import spelling


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "info",
        help="show the contents of a package",
        description="Show the target, the inputs and outputs, the shape program, the buffers and "
        "the dispatches of a package, or of what a program is compiled to, and for each choice "
        "between plans the shapes for which each alternative takes the fewest cycles.",
    )
    add_program(parser)
    parser.add_argument(
        "--facts",
        action="store_true",
        help="show instead what is proven about every size: limits, sets, multiples, equal sizes",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object with all of it, facts as well"
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    package = given_package(args)
    if args.json:
        print(json.dumps(contents_with_facts(package, args.package), indent=2))
        return 0
    lines = describe_facts(package) if args.facts else describe(contents(package, args.package))
    for line in lines:
        print(line)
    return 0


def describe(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that describe the contents of a package."""
    target = found["target"]
    versions = f"format {found['format']}, instruction set {found['instruction_set']}"
    yield f"{found['package']}: @{found['entry']} of {found['source']}, {versions}"
    yield f"{found['words']} words of machine code, {found['constant_bytes']} bytes of constants"
    yield f"broadcast {found['broadcast']}, ranks {found['ranks']}"
    yield ""
    yield f"target {target['name']}"
    yield from aligned([[f"  {key}", str(value)] for key, value in target.items() if key != "name"])
    yield ""
    yield f"inputs: {len(found['inputs'])}"
    yield from aligned([_tensor(f"%{t['name']}", t) for t in found["inputs"]])
    yield ""
    yield f"outputs: {len(found['outputs'])}"
    yield from aligned([_tensor(str(i), t) for i, t in enumerate(found["outputs"])])
    yield ""
    yield f"shape program: {len(found['shape_program'])} steps"
    yield from aligned([_step(step) for step in found["shape_program"]])
    yield ""
    yield f"buffers: {len(found['buffers'])}"
    yield from aligned([_buffer(buffer) for buffer in found["buffers"]])
    for step in found["host_steps"]:
        yield ""
        sizes = f"{step['bytes']} bytes and {step['weight_bytes']} of weights"
        if step["function"]:
            sizes = f"{step['function']} of a module of {sizes}"
        yield f"step {step['step']} on the host, by {step['engine']}, {sizes}"
        yield f"  {step['operators']}"
        yield from aligned(
            [
                [f"  {role}", *(cell.strip() for cell in _tensor(f"%{t['name']}", t))]
                for role, tensors in (("reads", step["inputs"]), ("gives", step["outputs"]))
                for t in tensors
            ]
        )
    for number, choice in enumerate(found["choices"]):
        yield ""
        yield f"choice {number}: {len(choice['alternatives'])} alternatives"
        yield from aligned([_alternative(a) for a in choice["alternatives"]])
        yield from _cases(found["inputs"], choice["cases"])
    plan = f" of plan {found['plan']}" if found["plan"] else ""
    for i, dispatch in enumerate(found["dispatches"]):
        parameters = [
            f"&{p['buffer']}" if "buffer" in p else p["symbol"] for p in dispatch["parameters"]
        ]
        yield ""
        kernels = _kernels(max(1, len(dispatch["kernels"])))
        yield f"dispatch {i}{plan}: {dispatch['words']} words, {kernels}"
        yield f"  packet  {' '.join(['version', *parameters])}"
        yield from (f"  kernel {k}  {text}" for k, text in enumerate(dispatch["kernels"]))


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count} kernels"


def _alternative(alternative: Json) -> list[str]:
    kernels = alternative["kernels"]
    words = f"{sum(kernel['words'] for kernel in kernels)} words"
    operations = " | ".join(kernel["operations"] for kernel in kernels)
    return [f"  {alternative['name']}", _kernels(len(kernels)), words, operations]


def _cases(inputs: Sequence[Json], cases: Sequence[Json]) -> Iterator[str]:
    if not cases:
        yield "  no usual shapes fit the program; `hwc run` says which plan ran"
        return
    rows = [["  shapes of", *(f"%{t['name']}" for t in inputs), "fewest cycles"]]
    for case in cases:
        first, *later = case["best"]
        best = first["alternative"]
        best += "".join(f", from {case['free']} = {b['from']} {b['alternative']}" for b in later)
        rows.append(
            ["", *("x".join(map(str, shape)) or "scalar" for shape in case["shapes"]), best]
        )
    yield from aligned(rows)


def _sized(tensor: Json) -> str:
    return "".join(f"{d}x" for d in tensor["shape"]) + spelling(tensor["type"])


def _tensor(name: str, tensor: Json) -> list[str]:
    sizes = "".join("?x" if isinstance(d, str) else f"{d}x" for d in tensor["shape"])
    declared = f"tensor<{sizes}{spelling(tensor['type'])}>"
    return [f"  {name}", declared, _sized(tensor), f"buffer {tensor['buffer']}"]


def _buffer(buffer: Json) -> list[str]:
    elements = ", ".join(map(str, buffer["values"]))
    if buffer["kind"] == "positions":
        elements = "0, 1, 2, ..."
    return [f"  {buffer['name']}", buffer["kind"], _sized(buffer), elements]


def _step(step: Json) -> list[str]:
    origin = f"{step['operation']} at {step['location']}" if step["operation"] else ""
    return [f"  {step['step']}", origin]
