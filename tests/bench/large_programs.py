"""Large programs for the compiler: chains, and wide graphs as models have them.

Both have as many operators as they are asked for, and dynamic sizes only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from bench.programs import Value, Writer
from numpy.typing import NDArray

Array = NDArray[Any]

NUMPY: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "abs": np.abs,
}
"""The operators of wide graphs, which machine and NumPy compute to the same bit."""

SHAPES = ((None, None), (None, None), (1, None), (None, 1))
"""The arguments of each type: full, full, a row, a column."""

RECENT = 24
"""An operator reads the last values, or now and then any of the values before."""

RESULTS = 4


def chain(operators: int) -> str:
    """A rank-3, fully dynamic chain that repeats add, mul, tanh, sub over three arguments."""
    kind = "tensor<?x?x?xf32>"
    lines = ['%s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>']
    value = "%a"
    for i in range(operators):
        name = f"%v{i}"
        match i % 4:
            case 0:
                line = f"tosa.add {value}, %b : ({kind}, {kind})"
            case 1:
                line = f"tosa.mul {value}, %c, %s : ({kind}, {kind}, tensor<1xi8>)"
            case 2:
                line = f"tosa.tanh {value} : ({kind})"
            case _:
                line = f"tosa.sub {value}, %b : ({kind}, {kind})"
        lines.append(f"{name} = {line} -> {kind}")
        value = name
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%a: {kind}, %b: {kind}, %c: {kind}) -> {kind} {{\n"
        f"  {body}\n  return {value} : {kind}\n}}\n"
    )


class Wide:
    """A random graph with reuse of values, f32 and i32, broadcasting, and several results.

    Every second operator brings its value back between the elements of two arguments, so that
    numbers stay small, however many operators there are.
    """

    def __init__(self, operators: int, seed: int = 0) -> None:
        rng = random.Random(f"wide {operators} {seed}")
        self._arguments = [
            Value(f"%a{i}", type_, sizes)
            for i, (type_, sizes) in enumerate((t, s) for t in ("f32", "i32") for s in SHAPES)
        ]
        self._writer = Writer(2)
        self._steps: list[tuple[str, tuple[int, ...]]] = []
        self._values = list(self._arguments)
        by_type = {
            t: [i for i, v in enumerate(self._values) if v.type == t] for t in ("f32", "i32")
        }
        given = {type_: list(found) for type_, found in by_type.items()}
        unused = dict[int, None]()
        while len(self._steps) < operators:
            type_ = "f32" if rng.random() < 0.7 else "i32"
            known = by_type[type_]
            recent = known[-RECENT:] if rng.random() < 0.9 else known
            operator = rng.choice(("add", "sub", "mul", "abs", "maximum", "minimum"))
            waiting = [v for v in list(unused)[:RECENT] if self._values[v].type == type_]
            first = waiting[0] if waiting and rng.random() < 0.5 else rng.choice(recent)
            operands = (first,) if operator == "abs" else (first, rng.choice(recent))
            new = self._add(operator, operands)
            limited = self._add(rng.choice(("maximum", "minimum")), (new, rng.choice(given[type_])))
            for value in (*operands, new):
                unused.pop(value, None)
            unused[limited] = None
            known += [new, limited]
        self._results = [
            i for i in range(len(self._values) - 2 * RESULTS + 1, len(self._values), 2)
        ]

    def _add(self, operator: str, operands: tuple[int, ...]) -> int:
        self._steps.append((operator, operands))
        self._values.append(self._writer.op(operator, *(self._values[i] for i in operands)))
        return len(self._values) - 1

    @property
    def text(self) -> str:
        """The graph as MLIR text."""
        arguments = ", ".join(f"{v.name}: {v}" for v in self._arguments)
        results = [self._values[i] for i in self._results]
        names = ", ".join(v.name for v in results)
        types = ", ".join(map(str, results))
        body = "".join(f"  {line}\n" for line in self._writer.lines)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n"
        )

    def arrays(self, rows: int, columns: int) -> list[Array]:
        """Return random arguments: numbers of f32 from -1 to 1, of i32 from -9 to 9."""
        rng = np.random.default_rng(0)
        found: list[Array] = []
        for value in self._arguments:
            of = zip(value.sizes, (rows, columns), strict=True)
            shape = [size if known is None else known for known, size in of]
            numbers = (
                rng.uniform(-1, 1, shape) if value.type == "f32" else rng.integers(-9, 10, shape)
            )
            found.append(numbers.astype(np.float32 if value.type == "f32" else np.int32))
        return found

    def evaluate(self, arguments: Sequence[Array]) -> list[Array]:
        """Return the results that NumPy computes."""
        values = list(arguments)
        for operator, operands in self._steps:
            values.append(NUMPY[operator](*(values[i] for i in operands)))
        return [values[i] for i in self._results]


PROGRAMS: Mapping[str, Callable[[int], str]] = {
    "chain": chain,
    "wide": lambda operators: Wide(operators).text,
}
"""The text of a program of so many operators, by its name."""
