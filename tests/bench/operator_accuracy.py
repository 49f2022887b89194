"""Measure TOSA's operators on floats in every type, against the bounds of the specification.

    python tests/bench/operator_accuracy.py [--samples-log2 24] [--operators exp,cast] [--write]

Programs of one operator run on the simulator. Inputs: every element of f16, bf16 and fp8 for one
operand; f32 values stratified by exponent; for two operands, as many pairs of elements that are
each drawn so. For pow also a grid of both arguments, which the machine broadcasts.

The reference is float64, whose own error is below 2^-29 ulp of f32. A result is wrong if it is a
number where the reference is none, or the other way round; one that rounds to infinity is
infinite, or NaN in a type without infinities. `--write` puts the table into docs/accuracy.md. The
seed is fixed: two runs give the same figures. Exit code 1 if an error passes a bound, TOSA's or
ours.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from accuracy import fitting_power, power_pairs, progress, replaced, stratified
from numpy.typing import NDArray
from programs import of_one_operator
from special_reference import REFERENCES, F64Array

import hwc
from hwc.files import write_text

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
BEGIN, END = "<!-- operators: begin -->", "<!-- operators: end -->"
SEED = 20261
BLOCK = 1 << 20
GRID = 1 << 11
OURS = 1.0
"""Our bound for transcendental functions in f32, in ulp."""
SLACK = 2.0**-20
"""What pow's logarithm, and the reference, may add to half an ulp."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Format:
    """A floating-point type: NumPy's type, bits of the fraction, exponents of normal numbers."""

    dtype: np.dtype[Any]
    fraction: int
    least: int
    greatest: int
    infinite: bool = True

    @property
    def largest(self) -> float:
        """The largest number."""
        digits = 1 if self.infinite else 2  # of a type without infinities, one pattern is NaN
        return (2 - digits * 2.0**-self.fraction) * 2.0**self.greatest

    def overflows(self, reference: F64Array) -> NDArray[np.bool_]:
        """Whether it is rounded beyond the largest number.

        From the middle on it is, unless the largest number is even, as without infinities.
        """
        middle = self.largest + float(self.ulp(np.array(self.largest))) / 2
        magnitude = np.abs(reference)
        return magnitude >= middle if self.infinite else magnitude > middle

    def ulp(self, reference: F64Array) -> F64Array:
        """The unit of TOSA 1.0, section 1.9: of the reference, or of the least normal number."""
        exponent = np.clip(np.frexp(reference)[1] - 1, self.least, self.greatest)
        return np.ldexp(1.0, exponent - self.fraction)


FORMATS = {
    "f32": Format(np.dtype(np.float32), 23, -126, 127),
    "f16": Format(np.dtype(np.float16), 10, -14, 15),
    "bf16": Format(np.dtype(ml_dtypes.bfloat16), 7, -126, 127),
    "f8E4M3FN": Format(np.dtype(ml_dtypes.float8_e4m3fn), 3, -6, 8, infinite=False),
    "f8E5M2": Format(np.dtype(ml_dtypes.float8_e5m2), 2, -14, 15),
}
INTEGERS = {f"i{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32)}
FULL = ("f32", "f16", "bf16")
"""The types that have arithmetic."""

Bound = Callable[[F64Array, Sequence[F64Array], Format], F64Array]
"""The error that is allowed, from the reference, the operands and the type."""


def ulps(number: float) -> Bound:
    """A bound in units in the last place."""
    return lambda reference, _, form: number * form.ulp(reference)


def absolute(
    magnitude: F64Array, form: Format, scale: F64Array | float, lower: F64Array | float = 0.0
) -> F64Array:
    """An absolute error, as the specification has it for transcendental functions."""
    least = np.maximum(2.0**form.least, lower / np.asarray(scale))
    return 2.0**-form.fraction * np.maximum(np.abs(magnitude), least) * scale


def _base(form: Format) -> float:
    return 3.0 if form is FORMATS["f32"] else 1.0


def _sin(_: F64Array, operands: Sequence[F64Array], form: Format) -> F64Array:
    return np.maximum(
        2 * 2.0 ** (-form.fraction / 2) * np.abs(operands[0]), np.pi * 2.0**form.least
    )


def _pow(reference: F64Array, operands: Sequence[F64Array], form: Format) -> F64Array:
    base, power = operands
    exponent = power * np.log(np.abs(base))
    moved = absolute(exponent, form, 5.5, np.abs(0.55 * power))
    scale = _base(form) + 2 * np.abs(exponent + moved)
    return np.abs(reference) * np.expm1(moved) + absolute(reference, form, scale)


BOUNDS: dict[str, Bound] = {
    **dict.fromkeys(("abs", "negate", "maximum", "minimum"), ulps(0)),
    **dict.fromkeys(("add", "sub", "mul", "ceil", "floor", "cast"), ulps(0.5)),
    **{"reciprocal": ulps(1), "rsqrt": ulps(2), "erf": ulps(5)},
    "exp": lambda ref, x, form: absolute(ref, form, _base(form) + 2 * np.abs(x[0])),
    "sigmoid": lambda ref, x, form: absolute(ref, form, 2 * (1 + np.abs(x[0]))),
    "tanh": lambda ref, x, form: absolute(ref, form, 4 * (_base(form) + 2 * np.abs(x[0])), 0.5),
    "log": lambda ref, x, form: absolute(ref, form, 5.0, 0.5),
    "cos": lambda ref, x, form: 2.0 ** (-form.fraction / 2) * (1 + np.abs(x[0])),
    "sin": _sin,
    "pow": _pow,
}
"""The bounds of TOSA 1.0, section 1.9."""

UNARY: dict[str, Callable[[F64Array], F64Array]] = {
    **{"abs": np.abs, "ceil": np.ceil, "floor": np.floor, "negate": np.negative},
    **{name: REFERENCES[name].double for name in ("cos", "erf", "exp", "log", "rsqrt", "sigmoid")},
    **{name: REFERENCES[name].double for name in ("sin", "tanh")},
    "reciprocal": REFERENCES["recip"].double,
}
BINARY: dict[str, Callable[[F64Array, F64Array], F64Array]] = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "pow": np.power},
    **{"maximum": np.maximum, "minimum": np.minimum},
}
TRANSCENDENTAL = (
    "cos",
    "erf",
    "exp",
    "log",
    "pow",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "tanh",
)


def ours(operator: str, form: Format) -> float:
    """Our own bound, in ulp."""
    if operator in TRANSCENDENTAL and form is FORMATS["f32"]:
        return OURS
    return 0.5 + SLACK


def every(name: str) -> Array:
    """Give every element of a narrow type, infinities and NaN included."""
    dtype = FORMATS[name].dtype if name in FORMATS else INTEGERS[name]
    return np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype)


def drawn(name: str, count: int, rng: np.random.Generator) -> Array:
    """Draw elements, of a float type as many of every exponent."""
    if name == "f32":
        return stratified(count, rng)
    if name == "i32":
        wide = rng.integers(-(1 << 31), 1 << 31, count)
        return (wide >> rng.integers(0, 31, count)).astype(np.int32)
    return rng.choice(every(name), count)


def singles(name: str, count: int, rng: np.random.Generator) -> Iterator[list[Array]]:
    """Give blocks of one operand."""
    if name in {"f32", "i32"}:
        for _ in range(0, count, BLOCK):
            yield [drawn(name, min(BLOCK, count), rng)]
    else:
        yield [every(name)]


def pairs(operator: str, name: str, count: int, rng: np.random.Generator) -> Iterator[list[Array]]:
    """Give blocks of two operands, each a column; for pow a grid at the end."""
    for _ in range(0, count, BLOCK):
        first, second = (drawn(name, min(BLOCK, count), rng) for _ in range(2))
        block = [first, rng.permutation(second)]
        if operator == "pow" and name == "f32":
            block = power_pairs(block[0].size, rng)
        elif operator == "pow":
            with np.errstate(all="ignore"):
                fitting = fitting_power(first.astype(np.float32), rng).astype(first.dtype)
            block[1] = np.where(rng.random(fitting.size) < 0.5, fitting, block[1])
        yield [values[:, np.newaxis] for values in block]
    if operator == "pow":
        axis = (
            np.sort(drawn(name, GRID, rng)) if name == "f32" else every(name)[:: (1 << 16) // GRID]
        )
        for rows in np.array_split(axis, 4):
            yield [rows[:, np.newaxis], axis[np.newaxis]]


@dataclass
class Worst:
    """The largest errors so far: in ulp, and as a share of TOSA's bound."""

    inputs: int = 0
    ulp: float = 0.0
    share: float = 0.0

    def add(self, got: F64Array, reference: F64Array, bound: F64Array, form: Format) -> None:
        """Take in results."""
        infinite = np.copysign(math.inf, reference) if form.infinite else np.nan
        reference = np.where(form.overflows(reference), infinite, reference)
        number = np.isfinite(reference)
        same = (got == reference) | (np.isnan(got) & np.isnan(reference))
        errors = np.where(number & np.isfinite(got), np.abs(got - reference), math.inf)
        errors = np.where(same, 0.0, errors)
        self.inputs += got.size
        self.ulp = max(self.ulp, float(np.max(errors / form.ulp(np.where(number, reference, 0)))))
        share = np.where(same, 0.0, errors / bound)
        self.share = max(self.share, float(np.max(share)))


def rows(operators: Sequence[str], count: int) -> Iterator[tuple[str, str, Worst, float]]:
    """Measure; gives operator, types, the worst, and our bound in ulp."""
    for name in (name for name in operators if name != "cast"):
        for type_ in FULL:
            rng = np.random.default_rng(SEED)
            blocks = singles(type_, count, rng)
            function, operands = UNARY.get(name), [type_]
            if name in BINARY:
                blocks, function, operands = (
                    pairs(name, type_, count, rng),
                    BINARY[name],
                    [type_] * 2,
                )
            assert function is not None
            yield (
                name,
                type_,
                measure(name, operands, type_, function, blocks),
                ours(name, FORMATS[type_]),
            )
    for source, result in casts() if "cast" in operators else ():
        blocks = singles(source, count, np.random.default_rng(SEED))
        worst = measure("cast", [source], result, lambda x: x, blocks)
        yield "cast", f"{source} → {result}", worst, 0.5 + SLACK


def casts() -> Iterator[tuple[str, str]]:
    """Give the casts to floats of TOSA 1.0 that can round."""
    small = [name for name in FORMATS if name not in FULL]
    for result in FULL:
        yield from ((source, result) for source in INTEGERS)
    yield from (("f32", "f16"), ("f32", "bf16"), ("f16", "f32"), ("bf16", "f32"))
    for result in small:
        yield from ((source, result) for source in FULL)
        yield from ((result, other) for other in FULL)


def measure(
    operator: str,
    operands: Sequence[str],
    result: str,
    function: Callable[..., F64Array],
    blocks: Iterator[list[Array]],
) -> Worst:
    """Measure one operator in one type."""
    text = of_one_operator(operator, operands, result, rank=len(operands)).text()
    call, form, worst = hwc.compile(text), FORMATS[result], Worst()
    for block in blocks:
        (output,) = call(*block).outputs
        with np.errstate(all="ignore"):
            got = output.view(form.dtype).astype(np.float64)
            wide = [values.astype(np.float64) for values in block]
            reference = np.broadcast_to(function(*wide), got.shape)
            bound = BOUNDS[operator](reference, wide, form)
            worst.add(got, reference, np.broadcast_to(bound, got.shape), form)
        progress(f"{operator} {result}: {worst.inputs:,} inputs")
    progress("")
    return worst


HEADER = [
    "| operator | type | inputs | largest error, ulp | of TOSA's bound |",
    "|:--|:--|--:|--:|--:|",
]


def main() -> int:
    """Run the measurement; exit code 1 if an error passes a bound."""
    known = [*UNARY, *BINARY, "cast"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples-log2", type=int, default=24, choices=range(12, 33))
    parser.add_argument("--operators", default=",".join(known), help="comma-separated names")
    parser.add_argument("--write", action="store_true", help=f"update {DOCUMENT.name}")
    arguments = parser.parse_args()
    names = sorted(arguments.operators.split(","), key=lambda name: (name == "cast", name))
    unknown = sorted(set(names) - set(known))
    if unknown:
        parser.error(f"unknown operator {unknown[0]!r}; known: {', '.join(known)}")
    if arguments.write and len(names) < len(known):
        parser.error("--write needs all operators")
    lines, wrong = [], 0
    print("\n".join(HEADER))
    for name, types, worst, limit in rows(names, 1 << arguments.samples_log2):
        share = f"{worst.share:.1%}" if worst.ulp else "exact"
        line = f"| {name} | {types} | {worst.inputs:,} | {worst.ulp:.4f} | {share} |"
        print(line, flush=True)
        lines.append(line)
        if worst.ulp > limit or worst.share > 1 + SLACK:
            print(f"error: {name} {types} passes its bound", file=sys.stderr)
            wrong = 1
    if arguments.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        write_text(DOCUMENT, replaced(text, BEGIN, END, [*HEADER, *lines]))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
