"""Examples of the operators of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from e2e.support import reference
from operator_rules.table import Array, Example, Misfit, Tensor, constant, given, shape

SIZES = (2, 3)


def examples() -> Iterator[Example]:
    """Yield an example of each operator."""
    found: dict[str, reference.Case] = {}
    for case in reference.cases():
        preferred = "i8" in case.types and case.operator in {"rescale", "negate", "clamp"}
        if case.operator not in found or (preferred and "i8" not in found[case.operator].types):
            found[case.operator] = case
    for case in found.values():
        yield _example(case)
    yield _table()
    yield _reshape()


def _example(case: reference.Case) -> Example:
    operands = [Tensor(kind, SIZES) for kind in case.types]
    if case.shift_operand:
        operands[1] = replace(operands[1], values=np.ones(SIZES, np.int8))
    parameters = [
        constant(f"1x{kind}", [float(v) if "f" in kind else int(v)]) for v, kind in case.constants
    ]
    attributes = dict(part.split(" = ", 1) for part in case.attributes.split(", ") if part)
    misfits = [m for m in _broadcasts(operands)]
    misfits += PARAMETERS.get(case.operator, ())

    def meaning(*arrays: Array) -> Array:
        return case.meaning(*arrays[: len(operands)])

    return Example(
        case.operator,
        (*operands, *parameters),
        (Tensor(case.result, SIZES),),
        meaning,
        attributes,
        tuple(misfits),
        machine=True,
        ulp=case.ulp,
    )


def _broadcasts(operands: list[Tensor]) -> Iterator[Misfit]:
    """Operands of which two do not broadcast, in each dimension, or differ in rank."""
    for number in range(1, len(operands)):
        for d, size in enumerate(SIZES):
            sizes = (*SIZES[:d], size + 4, *SIZES[d + 1 :])
            yield Misfit(
                "ERROR_IF: the shapes of the operands broadcast",
                (f"0.{d}", f"{number}.{d}"),
                {
                    number: replace(
                        operands[number], shape=sizes, values=_same(operands[number], sizes)
                    )
                },
            )


def _same(operand: Tensor, sizes: tuple[int, ...]) -> Array | None:
    return None if operand.values is None else np.full(sizes, operand.values.flat[0])


_ZERO = "ERROR_IF: only i8 has zero points other than 0"
PARAMETERS = {
    "negate": (
        Misfit(
            "the zero points have one element", ("tensor<2xi8>",), {1: constant("2xi8", [0, 0])}
        ),
        Misfit(
            "the zero points have one element", ("tensor<2xi8>",), {2: constant("2xi8", [0, 0])}
        ),
    ),
    "clamp": (
        Misfit(
            "ERROR_IF: min_val is at most max_val",
            ("min_val|lower bound", "9", "4"),
            attributes={"min_val": "9 : i8", "max_val": "4 : i8"},
        ),
    ),
    "mul": (Misfit("the shift has one element", ("tensor<2xi8>",), {2: constant("2xi8", [0, 0])}),),
    "rescale": (
        Misfit(
            "one multiplier unless per_channel",
            ("2xi32",),
            {1: constant("2xi32", [1 << 30, 1 << 30])},
        ),
        Misfit("one shift unless per_channel", ("2xi8",), {2: constant("2xi8", [33, 33])}),
        Misfit(
            "ERROR_IF: per_channel needs one multiplier for each channel",
            ("1", "3"),
            attributes={"per_channel": "true"},
        ),
    ),
}
"""Misfits of operands that are parameters."""


def _table() -> Example:
    entries = np.arange(-128, 128).astype(np.int8)[::-1]
    wrong = Misfit(
        "the table of i8 has 256 elements", ("255xi8", "256"), {1: constant("255xi8", entries[1:])}
    )
    of_rank_2 = Misfit(
        "the table has rank 1", ("2x128|rank",), {1: constant("2x128xi8", entries.reshape(2, 128))}
    )
    return Example(
        "table",
        (given("2x3xi8"), constant("256xi8", entries)),
        (given("2x3xi8"),),
        lambda x, table: table[x.astype(int) + 128],
        misfits=(wrong, of_rank_2),
        machine=True,
    )


def _reshape() -> Example:
    rule = "ERROR_IF: the result has as many elements as the operand"
    return Example(
        "reshape",
        (given("2x6xf32"), shape(3, 4)),
        (given("3x4xf32"),),
        lambda x, sizes: x.reshape(sizes),
        misfits=(
            Misfit(
                rule,
                ("10 elements|0 .dimension 0", "2x5|5 .dimension 1", "3"),
                {0: given("2x5xf32")},
            ),
            Misfit(rule, ("12", "3x5|15"), {1: shape(3, 5)}, results={0: given("3x5xf32")}),
            Misfit("sizes are at least 1", ("-4",), {1: shape(3, -4)}),
        ),
        machine=True,
    )
