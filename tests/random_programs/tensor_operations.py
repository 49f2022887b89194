"""Operations of `tensor` in random programs: casts of types, collapsed and expanded shapes."""

from __future__ import annotations

import re

import numpy as np
from element_types import DTYPES
from random_programs.generator import Generator, operation
from random_programs.graph import Array, Node, RefusedError, Types, Value


@operation(1)
def cast(g: Generator) -> None:
    """A type that says more or less about the same sizes."""
    a = g.pick(*DTYPES)
    if a is None:
        return
    declared = tuple(
        g.rng.choice((None, None, n)) if d is None else g.rng.choice((None, d))
        for d, n in zip(a.declared, g.array(a).shape, strict=True)
    )
    value = Value(g.name(), a.kind, declared, held=a.held)
    g.add(
        Node(
            value,
            (a,),
            lambda t: f"{value.name} = tensor.cast {a.name} : {t(a)} to {t(value)}",
            lambda x: x,
        )
    )


@operation(1)
def collapse(g: Generator) -> None:
    """Two neighbouring dimensions become one."""
    a = g.pick(*DTYPES)
    if a is None or len(a.declared) < 2 or any(a.held):
        return
    rank = len(a.declared)
    at = g.rng.randrange(rank - 1)
    groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d] for d in range(at + 2, rank)]
    first, second = a.declared[at : at + 2]
    joined = None if first is None or second is None else first * second
    value = Value(g.name(), a.kind, (*a.declared[:at], joined, *a.declared[at + 2 :]))

    def run(x: Array) -> Array:
        return x.reshape([int(np.prod([x.shape[d] for d in group])) for group in groups])

    g.add(
        Node(
            value,
            (a,),
            lambda t: (
                f"{value.name} = tensor.collapse_shape {a.name} {groups} : {t(a)} into {t(value)}"
            ),
            run,
        )
    )


@operation(1)
def expand(g: Generator) -> None:
    """A dimension is split into one that a division gives and a static one."""
    a = g.pick(*DTYPES)
    if a is None or not a.declared or len(a.declared) > 4 or any(a.held):
        return
    rank = len(a.declared)
    at = g.rng.randrange(rank)
    size = g.array(a).shape[at]
    by = g.rng.choice([n for n in (1, 2, 3, 4) if size % n == 0])
    groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d + 1] for d in range(at + 1, rank)]
    first = None if a.declared[at] is None else a.declared[at] // by
    value = Value(g.name(), a.kind, (*a.declared[:at], first, by, *a.declared[at + 1 :]))
    names = [f"{value.name}_{d}" for d in range(rank)]

    def run(x: Array) -> Array:
        if x.shape[at] % by:
            raise RefusedError(f"{x.shape[at]} is not a multiple of {by}")
        return x.reshape(*x.shape[:at], x.shape[at] // by, by, *x.shape[at + 1 :])

    def write(type_of: Types) -> str:
        result = type_of(value)
        sizes = re.findall(r"(\?|\d+)x", result)
        lines: list[str] = []
        given: list[str] = []
        for d, n in enumerate(sizes):
            source = d if d <= at else d - 1
            if n != "?":
                given.append(n)
                continue
            index = f"{names[source]}_i"
            lines.append(f"{index} = arith.constant {source} : index")
            lines.append(f"{names[source]} = tensor.dim {a.name}, {index} : {type_of(a)}")
            given.append(names[source])
            if d == at:
                lines.append(f"{index}_by = arith.constant {by} : index")
                given[-1] = f"{names[source]}_q"
                lines.append(f"{given[-1]} = arith.divui {names[source]}, {index}_by : index")
        lines.append(
            f"{value.name} = tensor.expand_shape {a.name} {groups} output_shape "
            f"[{', '.join(given)}] : {type_of(a)} into {result}"
        )
        return "\n  ".join(lines)

    g.add(Node(value, (a,), write, run))
