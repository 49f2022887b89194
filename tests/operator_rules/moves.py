"""Examples of operators that move, choose or reduce elements."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from operator_rules.table import Array, Example, Misfit, constant, given, shape

LOW, HIGH = "ERROR_IF: axis >= 0", "ERROR_IF: axis < rank"


def axis_misfits(rank: int = 2) -> tuple[Misfit, ...]:
    """An axis that is not a dimension."""
    return tuple(
        Misfit(rule, (f"axis = {axis}", f"rank {rank}"), attributes={"axis": f"{axis} : i32"})
        for rule, axis in ((LOW, -1), (HIGH, rank), (HIGH, 99))
    )


def examples() -> Iterator[Example]:
    """Yield the examples."""
    yield from _reductions()
    yield _argmax()
    yield _concat()
    yield _pad()
    yield _reverse()
    yield _slice()
    yield _tile()
    yield _transpose()
    yield _gather()
    yield _scatter()


def _reductions() -> Iterator[Example]:
    kinds = {"all": "i1", "any": "i1", "max": "i32", "min": "f32", "product": "f32", "sum": "i32"}
    for name, kind in kinds.items():
        run = getattr(np, {"product": "prod"}.get(name, name))
        yield Example(
            f"reduce_{name}",
            (given(f"2x3x{kind}"),),
            (given(f"2x1x{kind}"),),
            lambda x, run=run: run(x, axis=1, keepdims=True).astype(x.dtype),
            {"axis": "1 : i32"},
            axis_misfits(),
        )


def _argmax() -> Example:
    return Example(
        "argmax",
        (given("2x3xf32"),),
        (given("2xi32"),),
        lambda x: x.argmax(axis=1),
        {"axis": "1 : i32"},
        (
            *axis_misfits(),
            Misfit("ERROR_IF: sizes are at least 1", ("0.1", "at least 1"), {0: given("2x0xf32")}),
        ),
    )


def _concat() -> Example:
    other = "ERROR_IF: the sizes beside the axis are equal"
    return Example(
        "concat",
        (given("2x3xf32"), given("1x3xf32"), given("4x3xf32")),
        (given("7x3xf32"),),
        lambda *arrays: np.concatenate(arrays),
        {"axis": "0 : i32"},
        (
            *axis_misfits(),
            Misfit(other, ("0.1", "1.1"), {1: given("1x4xf32")}),
            Misfit(other, ("0.1", "2.1"), {2: given("4x5xf32")}),
            Misfit(
                "ERROR_IF: all operands have one rank", ("rank 1", "rank 2"), {1: given("3xf32")}
            ),
        ),
    )


def _pad() -> Example:
    negative = "ERROR_IF: padding >= 0"
    return Example(
        "pad",
        (given("2x3xf32"), shape(1, 0, 2, 1), constant("1xf32", [7.0])),
        (given("3x6xf32"),),
        lambda x, amounts, value: np.pad(x, amounts.reshape(-1, 2), constant_values=value[0]),
        misfits=(
            Misfit(negative, ("-1", "padding"), {1: shape(-1, 0, 2, 1)}),
            Misfit(negative, ("-2", "padding"), {1: shape(1, 0, 2, -2)}),
            Misfit("ERROR_IF: padding has 2 * rank values", ("3 values", "4"), {1: shape(1, 0, 2)}),
            Misfit(
                "pad_const has one element", ("tensor<2xf32>",), {2: constant("2xf32", [1.0, 2.0])}
            ),
        ),
    )


def _reverse() -> Example:
    return Example(
        "reverse",
        (given("2x3xf32"),),
        (given("2x3xf32"),),
        lambda x: x[:, ::-1],
        {"axis": "1 : i32"},
        axis_misfits(),
    )


def _slice() -> Example:
    outside = "ERROR_IF: start + size is at most the size of the operand"
    negative = "ERROR_IF: start >= 0"
    return Example(
        "slice",
        (given("4x5xf32"), shape(1, 2), shape(3, 2)),
        (given("3x2xf32"),),
        lambda x, start, size: x[start[0] :, start[1] :][: size[0], : size[1]],
        misfits=(
            Misfit(outside, ("4", "0.0"), {0: given("3x5xf32")}),
            Misfit(outside, ("4", "0.1"), {0: given("4x3xf32")}),
            Misfit(outside, ("5", "0.0"), {1: shape(2, 2)}),
            Misfit(outside, ("6", "0.1"), {2: shape(3, 4)}, results={0: given("3x4xf32")}),
            Misfit(negative, ("-1", "start"), {1: shape(-1, 2)}),
            Misfit("ERROR_IF: size >= 0", ("-2", "size"), {2: shape(3, -2)}),
            Misfit("ERROR_IF: start has rank values", ("1 values", "2"), {1: shape(1)}),
            Misfit("ERROR_IF: size has rank values", ("3 values", "2"), {2: shape(3, 2, 1)}),
        ),
    )


def _tile() -> Example:
    return Example(
        "tile",
        (given("2x3xf32"), shape(3, 2)),
        (given("6x6xf32"),),
        np.tile,
        misfits=(
            Misfit("ERROR_IF: multiples >= 0", ("-1", "multiple"), {1: shape(3, -1)}),
            Misfit("ERROR_IF: multiples has rank values", ("3 values", "2"), {1: shape(3, 2, 1)}),
        ),
    )


def _transpose() -> Example:
    def perms(rule: str, *values: int) -> Misfit:
        text = ", ".join(map(str, values))
        return Misfit(
            rule, (rf"perms.*{text}", "rank 3"), attributes={"perms": f"array<i32: {text}>"}
        )

    return Example(
        "transpose",
        (given("2x3x4xf32"),),
        (given("4x2x3xf32"),),
        lambda x: x.transpose(2, 0, 1),
        {"perms": "array<i32: 2, 0, 1>"},
        (
            perms("ERROR_IF: perms < rank", 3, 0, 1),
            perms("ERROR_IF: perms >= 0", -1, 0, 1),
            perms("ERROR_IF: perms has no value twice", 0, 0, 1),
            Misfit(
                "ERROR_IF: perms has rank values",
                ("perms", "3"),
                attributes={"perms": "array<i32: 1, 0>"},
            ),
        ),
    )


INDEX = "REQUIRE: 0 <= index < K"


def _gather() -> Example:
    def index(value: int) -> Misfit:
        return Misfit(
            INDEX, (f"index {value} at .0, 1.",), {1: given("2x3xi32", [[0, value, 1], [2, 3, 0]])}
        )

    return Example(
        "gather",
        (given("2x4x3xf32"), given("2x3xi32", [[0, 3, 1], [2, 3, 0]])),
        (given("2x3x3xf32"),),
        lambda x, at: np.take_along_axis(x, at[:, :, None].astype(int), 1),
        misfits=(
            index(4),
            index(99_999_999),
            index(-1),
            Misfit(
                "ERROR_IF: N of values and indices",
                ("0.0", "1.0"),
                {1: given("1x3xi32", [[0, 3, 1]])},
            ),
            Misfit(
                f"{INDEX} of constants",
                ("4", "5"),
                {1: constant("2x3xi32", [[0, 4, 1], [2, 3, 0]])},
            ),
            Misfit(
                f"{INDEX} of constants",
                ("-1",),
                {1: constant("2x3xi32", [[0, -1, 1], [2, 3, 0]])},
            ),
        ),
        ranks=(0,),
    )


def _scatter() -> Example:
    def index(rule: str, text: str, *row: int) -> Misfit:
        return Misfit(rule, (text,), {1: given("2x2xi32", [[0, 3], row])})

    def meaning(x: Array, at: Array, new: Array) -> Array:
        result = x.copy()
        for n, row in enumerate(at):
            result[n, row] = new[n]
        return result

    batch = "ERROR_IF: N of values, indices and input"
    return Example(
        "scatter",
        (given("2x4x3xf32"), given("2x2xi32", [[0, 3], [2, 1]]), given("2x2x3xf32")),
        (given("2x4x3xf32"),),
        meaning,
        misfits=(
            index(INDEX, r"index 4 at .1, 0.", 4, 1),
            index(INDEX, r"index -1 at .1, 1.", 1, -1),
            index("REQUIRE: each index is used once", r"index 2 is twice in row .1.", 2, 2),
            Misfit(batch, ("0.0", "1.0"), {1: given("1x2xi32", [[0, 3]])}),
            Misfit(batch, ("0.0", "2.0"), {2: given("3x2x3xf32")}),
            Misfit("ERROR_IF: W of indices and input", ("1.1", "2.1"), {2: given("2x3x3xf32")}),
            Misfit("ERROR_IF: C of values and input", ("0.2", "2.2"), {2: given("2x2x4xf32")}),
            Misfit(
                "ERROR_IF: W <= K",
                ("1.1", "0.1"),
                {0: given("2x1x3xf32")},
                results={0: given("2x1x3xf32")},
            ),
        ),
        ranks=(0, 2),
    )
