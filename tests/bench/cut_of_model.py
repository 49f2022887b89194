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

import hwc
from hwc.models import compile as models
from hwc.package import HostStep
from hwc.runtime.runner import Runner


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
    program = hwc.compile(model)
    graph, parts = cuts[-1]  # earlier ones have regions that do not compile

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
    symbols: dict[str, int] = {}
    around(Runner, "_collect", lambda _, own, held, values: symbols.update(values))

    with np.load(arguments) as given:
        result = program(*(given[name] for name in given.files))
    on_machine = {number for part in parts if part.on_machine for number in part.nodes}
    found = {
        "nodes": [
            [node.outputs[0], node.operator, number in on_machine]
            for number, node in enumerate(graph.nodes)
        ],
        "regions": sum(part.on_machine for part in parts),
        "host_parts": sum(isinstance(step, HostStep) for step in program.package.steps),
        "to_machine": [size for into, size in copies if into],
        "to_host": [size for into, size in copies if not into],
        "cycles": result.cycles,
        "operations": {name: _number(terms, symbols) for name, terms in works.items()},
    }
    out.write_text(json.dumps(found))


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
