"""Measure the worst error of every transcendental instruction, in ulp of float32.

    python tests/bench/accuracy.py [--samples-log2 24] [--functions exp,pow]
                                   [--exhaustive] [--write]

Inputs: every finite f16 and every finite bf16 value widened to f32, and f32 values stratified by
exponent: every sign and every one of the 255 exponents (subnormals are one) gets the same number of
random significands. `--exhaustive` takes every finite f32 instead, positive ones alone where the
sign only passes through; it takes minutes per function and leaves pow as it is.
pow takes pairs: every f16 and bf16 base with stratified powers and every such power with stratified
bases, and in f32 a mixture given in `power_pairs`. Each function's worst 64 results by the float64
reference are judged again by mpmath; the figure given is mpmath's. `--write` puts the table into
docs/accuracy.md. The seed is fixed: two runs give the same figures.
"""

from __future__ import annotations

import argparse
import heapq
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from special_reference import REFERENCES, F32Array, double_result, exact_error, ulp_errors

from hwc.files import write_text
from sim.semantics import execute

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SEED = 20260
BLOCK = 1 << 19
KEEP = 64
EXPONENTS = 255
SMALL_TYPES = 1 << 16

Operands = list[F32Array]


@dataclass
class Worst:
    """The worst points seen, as (error by float64, operands, result), and how many were seen."""

    points: int = 0
    seconds: float = 0.0
    heap: list[tuple[float, tuple[float, ...], float]] = field(default_factory=list)

    def add(self, errors: np.ndarray, operands: Operands, result: F32Array) -> None:
        """Take in one block."""
        self.points += errors.size
        count = min(KEEP, errors.size)
        for i in np.argpartition(errors, -count)[-count:]:
            entry = (float(errors[i]), tuple(float(x[i]) for x in operands), float(result[i]))
            if len(self.heap) < KEEP:
                heapq.heappush(self.heap, entry)
            elif entry > self.heap[0]:
                heapq.heapreplace(self.heap, entry)

    def judge(self, name: str) -> tuple[float, tuple[float, ...]]:
        """Give the worst error by mpmath, and where it is."""
        return max(
            (exact_error(name, list(operands), result), operands)
            for _, operands, result in self.heap
        )


def lanes(values: np.ndarray) -> F32Array:
    """Read 32-bit patterns as float32."""
    return values.astype(np.uint32).view(np.float32)


def small_values(kind: str) -> F32Array:
    """Give every f16 or bf16 value, widened."""
    patterns = np.arange(SMALL_TYPES, dtype=np.uint32)
    if kind == "f16":
        return patterns.astype(np.uint16).view(np.float16).astype(np.float32)
    return lanes(patterns << 16)


def stratified(count: int, rng: np.random.Generator) -> F32Array:
    """Draw finite values: signs and exponents in turn, significands at random."""
    strata = np.arange(count, dtype=np.uint32) % (2 * EXPONENTS)
    sign, exponent = strata % 2, strata // 2
    return lanes(sign << 31 | exponent << 23 | rng.integers(0, 1 << 23, count, dtype=np.uint32))


def fitting_power(x: F32Array, rng: np.random.Generator) -> F32Array:
    """Draw powers that keep x^y within float32's range or a little beyond, where they can."""
    target = rng.uniform(-155, 155, x.size) * 2.0 ** -(rng.integers(0, 30, x.size) // 3)
    limit = float(np.finfo(np.float32).max)
    with np.errstate(all="ignore"):
        power = target / np.log2(np.abs(x).astype(np.float64))
    return np.clip(np.nan_to_num(power), -limit, limit).astype(np.float32)


def power_pairs(count: int, rng: np.random.Generator) -> Operands:
    """Draw pairs for pow.

    A quarter each: bases of every exponent with fitting powers; bases within 2^-1 to 2^-24 of one
    with fitting powers; both operands stratified by exponent; negative bases with whole powers.
    """
    part = count // 4
    wide = np.abs(stratified(part, rng))
    distance = rng.uniform(-1, 1, part) * 2.0 ** -rng.integers(1, 25, part)
    near = (1 + distance).astype(np.float32)
    first = stratified(part, rng)
    second = rng.permutation(stratified(part, rng))
    negative = -np.abs(rng.permutation(wide)[: count - 3 * part])
    whole = np.rint(fitting_power(negative, rng))
    return [
        np.concatenate([wide, near, first, negative]),
        np.concatenate([fitting_power(wide, rng), fitting_power(near, rng), second, whole]),
    ]


def inputs(name: str, kind: str, samples: int, exhaustive: bool) -> Iterator[Operands]:
    """Give blocks of operands for one column of the table."""
    rng = np.random.default_rng(SEED)
    if name == "pow" and kind != "f32":
        values = small_values(kind)
        for _ in range(samples // SMALL_TYPES // 2):
            yield [values, fitting_power(values, rng)]
            yield [np.abs(rng.permutation(stratified(SMALL_TYPES, rng))), values]
    elif kind != "f32":
        yield [small_values(kind)]
    elif exhaustive and name != "pow":
        for start in range(0, 1 << (31 if REFERENCES[name].symmetric else 32), BLOCK):
            yield [lanes(np.arange(start, start + BLOCK))]
    else:
        while True:
            yield power_pairs(BLOCK, rng) if name == "pow" else [stratified(BLOCK, rng)]


def measure(name: str, kind: str, samples: int, exhaustive: bool) -> Worst:
    """Measure one function over one set of inputs; samples of f32 end once there are enough."""
    reference = REFERENCES[name]
    enough = samples if kind == "f32" and (name == "pow" or not exhaustive) else math.inf
    worst = Worst()
    for block in inputs(name, kind, samples, exhaustive):
        with np.errstate(all="ignore"):
            inside = reference.domain(*block)
        operands = [x[inside] for x in block]
        if not operands[0].size:
            continue
        begin = time.perf_counter()
        result = execute(f"{name}.f32", [x.view(np.int32) for x in operands]).view(np.float32)
        worst.seconds += time.perf_counter() - begin
        worst.add(ulp_errors(result, double_result(name, operands)), operands, result)
        progress(f"{name} {kind}: {worst.points} points")
        if worst.points >= enough:
            break
    progress("")
    return worst


def progress(text: str) -> None:
    """Show the progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def row(name: str, samples: int, exhaustive: bool) -> str:
    """Measure one function on all its inputs and give its row of the table."""
    cells = [name]
    for kind in ("f16", "bf16", "f32"):
        worst = measure(name, kind, samples, exhaustive)
        error, operands = worst.judge(name)
        cells += [f"{worst.points:,}", f"{error:.4f}"]
    where = ", ".join(float(x).hex() for x in operands)
    rate = worst.points / worst.seconds / 1e6
    print(f"{name}: {error:.4f} ulp at {where}; {rate:.1f} million points/s", file=sys.stderr)
    return "| " + " | ".join([*cells, f"`{where}`"]) + " |"


def write(rows: list[str], document: Path) -> None:
    """Replace the rows of the measured functions in the document, keeping the others."""
    text = document.read_text(encoding="utf-8")
    old = text.partition(BEGIN)[2].partition(END)[0]
    table = {line.split("|")[1].strip(): line for line in old.strip().splitlines()[2:]}
    table |= {line.split("|")[1].strip(): line for line in rows}
    lines = [*HEADER, *(table[name] for name in REFERENCES if name in table)]
    write_text(document, replaced(text, BEGIN, END, lines))


def replaced(text: str, begin: str, end: str, lines: Sequence[str]) -> str:
    """Replace what is between two marks in a text."""
    head, tail = text.split(begin, maxsplit=1)[0], text.split(end)[1]
    return "\n".join([head + begin, *lines, end + tail])


HEADER = [
    "| function | f16 points | ulp | bf16 points | ulp | f32 points | ulp | worst f32 point |",
    "|---|--:|--:|--:|--:|--:|--:|---|",
]


def main() -> int:
    """Run the measurement; exit code 1 if an error passes one ulp."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples-log2", type=int, default=24, choices=range(17, 33))
    parser.add_argument("--functions", default=",".join(REFERENCES), help="comma-separated names")
    parser.add_argument("--exhaustive", action="store_true", help="every finite f32 (not pow)")
    parser.add_argument("--write", action="store_true", help=f"update {DOCUMENT.name}")
    arguments = parser.parse_args()
    names = arguments.functions.split(",")
    unknown = sorted(set(names) - set(REFERENCES))
    if unknown:
        parser.error(f"unknown function {unknown[0]!r}; known: {', '.join(REFERENCES)}")
    rows = [row(name, 1 << arguments.samples_log2, arguments.exhaustive) for name in names]
    print("\n".join([*HEADER, *rows]))
    if arguments.write:
        write(rows, DOCUMENT)
    bound = 1.0
    return int(any(float(cell) > bound for line in rows for cell in line.split("|")[3:8:2]))


if __name__ == "__main__":
    sys.exit(main())
