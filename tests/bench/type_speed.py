"""Cycles of every operator of TOSA 1.0 in every type over those in f32, at 1 Mi elements.

    python tests/bench/type_speed.py [--targets accel tiny wide] [--operators add,cast] [--write]

`--write` writes docs/reports/type_speed.md. Exit code 1 if a type is slower per element than it
may be: no slower than f32, except i48.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from programs import of_one_operator

import hwc
from hwc.dialects.tosa_conformance import TYPES
from hwc.dialects.tosa_table import OPERATORS
from hwc.files import write_text

TARGETS = ("accel", "tiny", "wide")
NAMES = tuple(n for n in TYPES if n not in {"const", "reshape", "rescale", "table"})
SIDE = 1024
MOST = 1.001
"""A type may need as much more: the beginning and the end of a kernel differ by a few cycles."""
PARTS = {"i48": 2}
"""Types that are stored as several tensors, and the instructions that pass on one element."""
REPORT = Path(__file__).resolve().parents[2] / "docs" / "reports" / "type_speed.md"
PREFACE = """\
# The speed of each element type

Written by `python tests/bench/type_speed.py --write`: the cycles of each operator of TOSA 1.0 in
each of its types, divided by its cycles in f32, on three targets. The operands are dense,
1024x1024, and all sizes are dynamic. An operator that f32 does not have is compared with i32, one
that only i1 has with its form for bits, and a cast with the one from f32 to i32. `table` and
`rescale` are not here, because they read more than data;
`PYTHONPATH=.:tests python -m bench.roofline_programs` measures them against the roofline.

No type is slower than f32, except i48. Its elements have 6 bytes, so on a bus that f32 keeps busy
they take at least 1.5 times as long. The machine stores them as two tensors, of the low 32 and the
high 16 bits, and passes on each half with an instruction of its own, which takes twice as long as
f32.
"""

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


def run(operator: str, types: Pair, target: str) -> int:
    """Return the cycles of an operator with 1 Mi elements."""
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
    return program.time(*[(SIDE, SIDE) for _ in program.inputs]).cycles


def rows(operators: list[str], targets: list[str]) -> Iterator[tuple[str, Pair, list[float]]]:
    """Measure; give operator, types and the ratios of the targets."""
    for operator in operators:
        base, types_of_base = standard(operator)
        bases = [run(base, types_of_base, target) for target in targets]
        for types in pairs(operator):
            cycles = [run(operator, types, target) for target in targets]
            yield operator, types, [c / b for c, b in zip(cycles, bases, strict=True)]


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--targets", nargs="+", default=list(TARGETS))
    parser.add_argument("--operators", default=",".join(NAMES), help="comma-separated names")
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    arguments = parser.parse_args()
    if arguments.write and (arguments.operators, arguments.targets) != (
        parser.get_default("operators"),
        parser.get_default("targets"),
    ):
        parser.error("--write is for all operators and targets")
    names = arguments.operators.split(",")
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        parser.error(f"unknown operator {unknown[0]!r}; known: {', '.join(NAMES)}")
    slower = 0
    lines = [
        "| operator | type | " + " | ".join(arguments.targets) + " |",
        "|:--|:--|" + "--:|" * len(arguments.targets),
    ]
    print(*lines, sep="\n")
    for operator, types, ratios in rows(names, arguments.targets):
        shown = types[0] if types[0] == types[1] else " → ".join(types)
        lines.append(f"| {operator} | {shown} | " + " | ".join(f"{r:.3f}" for r in ratios) + " |")
        print(lines[-1], flush=True)
        slower += max(ratios) > MOST * PARTS.get(types[0], 1)
    if arguments.write:
        write_text(REPORT, "\n".join((PREFACE, *lines, "")))
    if slower:
        print(f"error: {slower} rows are slower than f32", file=sys.stderr)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
