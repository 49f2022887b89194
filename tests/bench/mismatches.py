"""Sizes that do not fit: refused by hwc, computed silently by others.

    PYTHONPATH=.:tests python -m bench.mismatches [--write docs/reports/mismatches.md]

Each case is a dynamic program and the shapes of a call that does not fit it. hwc must refuse the
call. IREE compiles the same text and runs the call, and so does IREE with what upstream's mlir-opt
22 makes of the text. Exit code 1 if hwc takes a call, or if fewer than 50 cases are computed
silently.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeAlias

import numpy as np
from e2e.support.mlir_tools import MLIR_OPT, run_tool
from e2e.support.tosa_text import dynamic, one_operator, tensor

import hwc
from hwc.files import write_text

Shape: TypeAlias = tuple[int, ...]

WANTED = 50
UPSTREAM = (
    "builtin.module(func.func(tosa-make-broadcastable,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),"
    "canonicalize)"
)
PAGE = """# Sizes that do not fit

`PYTHONPATH=.:tests python -m bench.mismatches --write docs/reports/mismatches.md` writes this page.

Each line is a program whose sizes are dynamic, and the shapes of a call that does not fit it. hwc
refuses every one of them before anything runs, with the place in the program. IREE 3.13 compiles
the same text; the last column is IREE with the linalg that upstream's mlir-opt 22 makes of the
text. Where they do not refuse a call, the result has the size of one of the operands; elements of
the others are dropped, or what lies in memory after them is read.

{silent} of {total} calls are computed without an error by at least one of the two.

| # | program | shapes | IREE | mlir-opt 22, run by IREE |
|---|---|---|---|---|
{rows}
"""

DTYPES = {"f32": np.float32, "i32": np.int32, "i1": np.bool_}


@dataclass(frozen=True)
class Program:
    """A dynamic program, the element types of its arguments, and calls that do not fit it.

    `rule` is what the one result's shape follows from: the arguments broadcast, or are equal, or
    are reshaped.
    """

    name: str
    text: str
    types: tuple[str, ...]
    calls: tuple[tuple[Shape, ...], ...]
    rule: str = "broadcast"


def _operator(
    name: str,
    types: Sequence[str],
    result: str,
    rank: int,
    calls: Sequence[tuple[Shape, ...]],
    constants: Sequence[tuple[str, str]] = (),
    suffix: str = "",
) -> Program:
    operands = [(dynamic(rank), kind) for kind in types]
    text = one_operator(name, operands, (dynamic(rank), result), "", constants)
    title = f"tosa.{name}, {result}, rank {rank}{suffix}"
    return Program(title, text, tuple(types), tuple(calls))


def _chain() -> str:
    of = tensor((None, None), "f32")
    return (
        f"func.func @main(%a: {of}, %b: {of}, %c: {of}) -> {of} {{\n"
        f"  %0 = tosa.add %a, %b : ({of}, {of}) -> {of}\n"
        f"  %1 = tosa.sub %0, %c : ({of}, {of}) -> {of}\n"
        f"  return %1 : {of}\n}}\n"
    )


def _static_operand() -> str:
    return (
        "func.func @main(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n"
    )


def _elementwise(operation: str, kind: str, rank: int) -> str:
    of = tensor(dynamic(rank), kind)
    return (
        f"func.func @main(%a: {of}, %b: {of}) -> {of} {{\n"
        f"  %0 = arith.{operation} %a, %b : {of}\n  return %0 : {of}\n}}\n"
    )


def _reshape(source: int, sizes: Sequence[int]) -> str:
    of = tensor(dynamic(source), "f32")
    result = tensor([None if n == -1 else n for n in sizes], "f32")
    shape = f"!tosa.shape<{len(sizes)}>"
    values = f"dense<[{', '.join(map(str, sizes))}]> : tensor<{len(sizes)}xindex>"
    return (
        f"func.func @main(%a: {of}) -> {result} {{\n"
        f'  %s = "tosa.const_shape"() <{{values = {values}}}> : () -> {shape}\n'
        f"  %0 = tosa.reshape %a, %s : ({of}, {shape}) -> {result}\n  return %0 : {result}\n}}\n"
    )


def programs() -> Iterator[Program]:
    """Yield every program with its calls."""
    vectors = [(3, 4), (4, 3), (0, 4), (4, 0), (2, 6), (6, 2), (5, 7), (64, 63)]
    pairs = [((n,), (m,)) for n, m in vectors]
    yield _operator("add", ("f32", "f32"), "f32", 1, pairs)
    matrices: list[tuple[Shape, ...]] = [
        ((4, 5), (3, 5)),
        ((4, 5), (4, 3)),
        ((4, 1), (3, 5)),
        ((1, 5), (4, 3)),
        ((2, 5), (4, 5)),
        ((0, 5), (3, 5)),
        ((4, 5), (5, 4)),
    ]
    yield _operator("mul", ("f32", "f32"), "f32", 2, matrices, (("0", "i8"),))
    yield _operator("maximum", ("i32", "i32"), "i32", 2, matrices)
    yield _operator("greater", ("f32", "f32"), "i1", 2, matrices)
    cubes: list[tuple[Shape, ...]] = [
        ((2, 3, 4), (2, 3, 5)),
        ((2, 3, 4), (2, 2, 4)),
        ((2, 3, 4), (3, 3, 4)),
        ((2, 1, 4), (3, 5, 1)),
        ((1, 3, 1), (2, 4, 4)),
    ]
    yield _operator("sub", ("f32", "f32"), "f32", 3, cubes)
    yield _operator("bitwise_xor", ("i32", "i32"), "i32", 3, cubes)
    threes: list[tuple[Shape, ...]] = [
        ((4, 5), (4, 5), (3, 5)),
        ((3, 5), (4, 5), (4, 5)),
        ((1, 5), (4, 1), (4, 3)),
        ((4, 1), (1, 5), (3, 1)),
    ]
    yield _operator("select", ("i1", "f32", "f32"), "f32", 2, threes)
    calls = (((4, 5), (1, 5), (3, 5)), ((4, 1), (1, 5), (4, 6)), ((4, 5), (3, 1), (1, 1)))
    yield Program("tosa.sub of tosa.add, f32, rank 2", _chain(), ("f32",) * 3, calls)
    static = tuple(((n,), (4,)) for n in (0, 2, 3, 5, 8))
    yield Program("tosa.add with tensor<4xf32>", _static_operand(), ("f32",) * 2, static)
    for operation, kind in (("addf", "f32"), ("muli", "i32")):
        equal: list[tuple[Shape, ...]] = [*matrices[:5], ((1, 5), (4, 5)), ((4, 5), (4, 1))]
        text = _elementwise(operation, kind, 2)
        yield Program(f"arith.{operation}, rank 2", text, (kind,) * 2, tuple(equal), "equal")
    for source, sizes, shapes in (
        (1, (2, -1), [(7,), (5,), (1,)]),
        (2, (3, -1), [(2, 2), (5, 1)]),
        (1, (2, 3), [(7,), (5,)]),
    ):
        title = f"tosa.reshape of rank {source} to {list(sizes)}"
        every = tuple((shape,) for shape in shapes)
        yield Program(title, _reshape(source, sizes), ("f32",), every, "reshape")


def arrays(program: Program, shapes: Sequence[Shape]) -> list[np.ndarray]:
    """Return arguments whose elements are 1, 2, 3, ..."""
    return [
        (np.arange(int(np.prod(shape))) + 1).reshape(shape).astype(DTYPES[kind])
        for shape, kind in zip(shapes, program.types, strict=True)
    ]


def refusals(program: Program) -> list[str | None]:
    """Return hwc's error message for every call, None where it takes the call."""
    compiled = hwc.compile(program.text)
    messages: list[str | None] = []
    for shapes in program.calls:
        try:
            compiled(*arrays(program, shapes))
            messages.append(None)
        except hwc.DispatchError as error:
            messages.append(str(error))
    return messages


def through_iree(text: str, calls: Sequence[Sequence[np.ndarray]]) -> list[Shape | None]:
    """Return the shapes of IREE's results for calls, None where it refuses one."""
    return _run(text, "tosa", calls)


def through_upstream(text: str, calls: Sequence[Sequence[np.ndarray]]) -> list[Shape | None]:
    """Return the same for what mlir-opt's lowering makes of the text."""
    lowered = run_tool(MLIR_OPT, text, f"-pass-pipeline={UPSTREAM}")
    return _run(lowered, "auto", calls)


def _run(text: str, input_type: str, calls: Sequence[Sequence[np.ndarray]]) -> list[Shape | None]:
    from e2e.support.iree import Judge  # noqa: PLC0415 - slow to import, and not always installed

    judge = Judge(text, input_type)
    found: list[Shape | None] = []
    for call in calls:
        try:
            found.append(judge(*call)[0].shape)
        except (IndexError, RuntimeError, ValueError):
            found.append(None)
    return found


Judged: TypeAlias = Callable[[str, Sequence[Sequence[np.ndarray]]], "list[Shape | None]"]


def judged(judge: Judged, program: Program) -> list[Shape | str | None]:
    """Return what a judge says of every call; it runs in a process of its own, which may crash."""
    every = [arrays(program, shapes) for shapes in program.calls]
    outcomes: list[Shape | str | None] = []
    try:
        outcomes += _in_a_process(judge, program.text, every)
    except BrokenProcessPool:
        for call in every:
            try:
                outcomes += _in_a_process(judge, program.text, [call])
            except BrokenProcessPool:
                outcomes.append("crashes")
    return outcomes


def _in_a_process(
    judge: Judged, text: str, calls: Sequence[Sequence[np.ndarray]]
) -> list[Shape | None]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(judge, text, calls).result()


def wrong(program: Program, shapes: Sequence[Shape], result: Shape | str | None) -> str:
    """Say what is wrong with a result of this shape."""
    if result is None:
        return "refused"
    if isinstance(result, str):
        return result
    shown = f"gives {show(result)}"
    if program.rule == "reshape":
        points = int(np.prod(result)) - int(np.prod(shapes[0]))
        return f"{shown}, {'elements that %a does not have' if points > 0 else 'elements lost'}"
    repeated = 1 if program.rule == "broadcast" else None
    outside: list[str] = []
    lost: list[str] = []
    for name, shape in zip("abc", shapes, strict=False):
        if any(n != repeated and n < m for n, m in zip(shape, result, strict=True)):
            outside.append(f"%{name}")
        if any(n > m for n, m in zip(shape, result, strict=True)):
            lost.append(f"%{name}")
    parts = [shown]
    parts += [f"reads outside of {' and '.join(outside)}"] if outside else []
    parts += [f"drops elements of {' and '.join(lost)}"] if lost else []
    return ", ".join(parts)


def show(shape: Shape) -> str:
    """Write a shape as MLIR does."""
    return "x".join(map(str, shape)) or "scalar"


def report() -> tuple[str, int, int]:
    """Return the page, the number of cases that are computed silently, and that hwc takes."""
    rows: list[str] = []
    silent = taken = total = 0
    for program in programs():
        taken += refusals(program).count(None)
        iree, upstream = (judged(judge, program) for judge in (through_iree, through_upstream))
        for shapes, first, second in zip(program.calls, iree, upstream, strict=True):
            total += 1
            if isinstance(first, tuple) or isinstance(second, tuple):
                silent += 1
                call = " with ".join(map(show, shapes))
                verdicts = (wrong(program, shapes, result) for result in (first, second))
                rows.append(f"| {silent} | {program.name} | {call} | {' | '.join(verdicts)} |")
    return _page(rows, silent, total), silent, taken


def _page(rows: Sequence[str], silent: int, total: int) -> str:
    return PAGE.format(silent=silent, total=total, rows="\n".join(rows))


def main() -> int:
    """Print the page, or write it; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", metavar="FILE", help="the page to write")
    args = parser.parse_args()
    page, silent, taken = report()
    if args.write:
        write_text(args.write, page)
    else:
        print(page)
    print(f"{silent} computed silently by others, {taken} taken by hwc", file=sys.stderr)
    return int(silent < WANTED or taken > 0)


if __name__ == "__main__":
    sys.exit(main())
