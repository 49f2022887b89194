"""How the hwc on `PYTHONPATH` cuts a model, and what a call copies; run by `model_accounts.py`.

    python cut_of_model.py MODEL ARGUMENTS.npz OUT.json

This file uses nothing but hwc, so that it runs with revisions that know no accounts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import hwc.compiler
from hwc.frontend.source import Source
from hwc.models import compile as models
from hwc.package import HostStep, Package
from hwc.runtime.program import Program
from hwc.runtime.runner import Runner
from hwc.tosa import compile as tosa
from isa.target import load_target


def around(owner: Any, name: str, see: Callable[..., None]) -> None:
    """Call `see` with the result and the arguments of each call of a function."""
    function = getattr(owner, name)

    def call(*args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        see(result, *args)
        return result

    setattr(owner, name, call)


def main() -> None:
    """Measure, and write what was found."""
    model, arguments, out = map(Path, sys.argv[1:])
    cuts: list[tuple[Any, Any]] = []
    around(models, "cut_graph", lambda parts, graph, *_: cuts.append((graph, parts)))
    works: dict[str, Any] = {}
    if (writer := getattr(models, "WorkWriter", None)) is not None:

        def keep(work: Any, own: Any, number: int) -> None:
            works[own._graph.nodes[number].outputs[0]] = work.operations  # noqa: SLF001

        around(writer, "_node", keep)
    package = compiled(model)
    graph, parts = cuts[-1]  # earlier ones have regions that do not compile
    symbols: dict[str, int] = {}
    is_static = not package.symbols
    copies = static_copies(package) if is_static else called(package, arguments, symbols)
    on_machine = {number for part in parts if part.on_machine for number in part.nodes}
    found = {
        "nodes": [
            [node.outputs[0], node.operator, number in on_machine]
            for number, node in enumerate(graph.nodes)
        ],
        "regions": sum(part.on_machine for part in parts),
        "to_machine": [size for into, size in copies if into],
        "to_host": [size for into, size in copies if not into],
        "operations": {name: _number(terms, symbols) for name, terms in works.items()},
    }
    out.write_text(json.dumps(found))


def compiled(model: Path) -> Package:
    """Compile a model without IREE: nothing runs if all sizes are known."""
    for name in ("part_module", "parts_module"):  # before and now
        if hasattr(tosa, name):
            setattr(tosa, name, lambda *_: b"")
    return hwc.compiler.compile_package(
        Source(model.name, model.read_bytes()), load_target("accel")
    ).package


def static_copies(package: Package) -> list[tuple[bool, int]]:
    """Return what each call copies: whether to the machine, and the bytes of the value."""
    needed = {name for tensor in package.outputs for name, _ in tensor.parts}
    later: list[set[str]] = []
    for step in reversed(package.steps):
        later.insert(0, set(needed))
        if isinstance(step, HostStep):
            needed.update(tensor.buffer for tensor in step.inputs)
        needed = needed.union(*(kernel.buffers for kernel in step.kernels))
    held = {name for tensor in package.inputs for name, _ in tensor.parts}
    copies: list[tuple[bool, int]] = []
    for step, after in zip(package.steps, later, strict=True):
        if isinstance(step, HostStep):
            held.update(tensor.buffer for tensor in step.outputs)
            continue
        used = set[str]().union(*(kernel.buffers for kernel in step.kernels))
        copies += [(True, package.buffer(name).nbytes({})) for name in used & held]
        copies += [(False, package.buffer(name).nbytes({})) for name in (used & after) - held]
        held |= used & after
    return copies


def called(package: Package, arguments: Path, symbols: dict[str, int]) -> list[tuple[bool, int]]:
    """Run a call; return what it copies, and add its sizes to `symbols`."""
    copies: list[tuple[bool, int]] = []

    def seen(_: Any, own: Any, stretch: Any, plan: Any, held: Any, later: Any, symbols: Any, *__: Any) -> None:  # fmt: skip  # noqa: E501
        made = {n for n in later if n not in before}
        used = {n for s in own.prepared.linked(plan, stretch) for names in s.uses for n in names}
        sizes = {n: own.package.buffer(n).nbytes(symbols) for n in used}
        copies.extend((True, sizes[n]) for n in used & before)
        copies.extend((False, sizes[n]) for n in used & made)

    before: set[str] = set()
    run_stretch = Runner._run_stretch  # noqa: SLF001

    def stretch_run(own: Any, stretch: Any, plan: Any, held: Any, *rest: Any) -> Any:
        before.clear()
        before.update(held)
        return run_stretch(own, stretch, plan, held, *rest)

    Runner._run_stretch = stretch_run  # noqa: SLF001
    around(Runner, "_run_stretch", seen)
    around(Runner, "_collect", lambda _, own, held, values: symbols.update(values))

    with np.load(arguments) as given:
        Program(package)(*(given[name] for name in given.files))
    return copies


def _number(terms: Any, symbols: Mapping[str, int]) -> int | None:
    if terms is None:
        return None
    total = 0
    for term in terms:
        factors = [symbols.get(name) for name in term.symbols]
        if None in factors:
            return None
        total += int(np.prod([term.factor, *factors], dtype=object))
    return total


if __name__ == "__main__":
    main()
