"""Cycles of every operator of TOSA 1.0 in every type over those in f32, at 1 Mi elements.

    python tests/bench/type_speed.py [--targets accel tiny wide] [--operators add,cast]

Operands are dense, 1024x1024, and all sizes are dynamic. An operator that f32 does not have is
measured against i32, one of i1 alone against its form for bits, and a cast against the one from
f32 to i32. Exit code 1 if a type is slower per element, or, where its elements are wider than those
of f32, per byte. `table` and `rescale` have more operands than data: bench.roofline_programs has
programs with them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
from programs import of_one_operator

import hwc
from hwc.cli.values import random_array
from hwc.dialects.tosa_conformance import TYPES
from hwc.dialects.tosa_table import OPERATORS

TARGETS = ("accel", "tiny", "wide")
NAMES = tuple(n for n in TYPES if n not in {"const", "reshape", "rescale", "table"})
SIDE = 1024
MOST = 1.001
"""A type may need as much more: the beginning and the end of a kernel differ by a few cycles."""

Pair = tuple[str, str]
"""The element types of an operator's data and result."""


def pairs(operator: str) -> list[Pair]:
    """Return the types of an operator."""
    words = dict.fromkeys(" ".join(TYPES[operator].values()).split())
    return [(word.partition(">")[0], word.rpartition(">")[2]) for word in words]


def standard(operator: str) -> tuple[str, Pair]:
    """Return what an operator is compared with."""
    if operator == "cast":
        return operator, ("f32", "i32")
    known = dict(pairs(operator))
    if "f32" in known or "i32" in known:
        type_ = "f32" if "f32" in known else "i32"
        return operator, (type_, known[type_])
    return operator.replace("logical", "bitwise"), ("i32", "i32")


def run(operator: str, types: Pair, target: str) -> tuple[int, int]:
    """Run an operator with 1 Mi elements; return the cycles and the bytes of the widest element."""
    source, result = types
    operands = [source] * OPERATORS[operator].arity
    if OPERATORS[operator].condition:
        operands[0] = "i1"
    attributes = {"arithmetic_right_shift": "round = false"}.get(operator, "")
    if operator == "clamp":
        one = "1" if source.startswith("i") else "1.0"
        attributes = f"min_val = {one} : {source}, max_val = {one} : {source}"
    text = of_one_operator(operator, operands, result, attributes=attributes).text()
    program = hwc.compile(text, target)
    rng = np.random.default_rng(0)
    arrays = [random_array((SIDE, SIDE), tensor.type, rng) for tensor in program.inputs]
    done = program(*arrays)
    return done.cycles, max(array.itemsize for array in (*arrays, *done.outputs))


def rows(operators: list[str], targets: list[str]) -> Iterator[tuple[str, Pair, list[float], int]]:
    """Measure; give operator, types, the ratios of the targets, the bytes of the widest element."""
    for operator in operators:
        base, types_of_base = standard(operator)
        bases = [run(base, types_of_base, target)[0] for target in targets]
        for types in pairs(operator):
            measured = [run(operator, types, target) for target in targets]
            ratios = [
                cycles / of_base for (cycles, _), of_base in zip(measured, bases, strict=True)
            ]
            yield operator, types, ratios, measured[0][1]


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--targets", nargs="+", default=list(TARGETS))
    parser.add_argument("--operators", default=",".join(NAMES), help="comma-separated names")
    arguments = parser.parse_args()
    names = arguments.operators.split(",")
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        parser.error(f"unknown operator {unknown[0]!r}; known: {', '.join(NAMES)}")
    slower = 0
    print("| operator | type | " + " | ".join(arguments.targets) + " |")
    print("|:--|:--|" + "--:|" * len(arguments.targets))
    for operator, types, ratios, nbytes in rows(names, arguments.targets):
        shown = types[0] if types[0] == types[1] else " → ".join(types)
        print(
            f"| {operator} | {shown} | " + " | ".join(f"{r:.3f}" for r in ratios) + " |", flush=True
        )
        slower += max(ratios) > MOST * max(1, nbytes / 4)
    if slower:
        print(f"error: {slower} rows are slower than f32", file=sys.stderr)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
