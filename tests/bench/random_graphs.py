"""Random graphs of element-wise operators, each as a dynamic and as a static text.

A graph has two to five arguments, of which one has the full size; the others are full, a row, a
column or one element. It has one to three results, of which one at least has the full size.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from bench.programs import Shape, Value, Writer
from numpy.typing import NDArray

SIZES = ((256, 256), (64, 1024), (1024, 64), (130, 512), (768, 96), (40, 1700))
"""Rows and columns of the result: 64 Ki points and more."""

UNARY = ("abs", "exp", "tanh", "sigmoid", "reciprocal", "rsqrt", "ceil", "floor")
BINARY = ("add", "sub", "mul", "maximum", "minimum")


class Graph:
    """The random graph of a seed; `shapes` are those of its arguments."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(f"graph {seed}")
        self.name = f"graph {seed}"
        rows, columns = rng.choice(SIZES)
        full = rows, columns
        patterns = (full, full, (rows, 1), (1, columns), (1, 1))
        self.shapes: list[Shape] = [full, *rng.choices(patterns, k=rng.randint(1, 4))]
        rng.shuffle(self.shapes)
        self._operations: list[tuple[str, tuple[int, ...]]] = []
        known = list(self.shapes)
        unused = set(range(len(known)))
        while unused - set(range(len(self.shapes), len(known))) or rng.random() < 0.8:  # noqa: PLR2004
            recent = [*range(len(known)), *range(max(0, len(known) - 3), len(known)), *unused]
            operator = rng.choice(UNARY if rng.random() < 0.4 else BINARY)  # noqa: PLR2004
            operands = tuple(rng.choices(recent, k=1 if operator in UNARY else 2))
            unused -= set(operands)
            unused.add(len(known))
            known.append(np.broadcast_shapes(*(known[o] for o in operands)))
            self._operations.append((operator, operands))
        made = range(len(self.shapes), len(known))
        if not any(known[v] == full for v in made):
            self._operations.append(("add", (self.shapes.index(full), made[-1])))
            known.append(full)
            made = range(len(self.shapes), len(known))
        results = [rng.choice([v for v in made if known[v] == full])]
        results += rng.sample(made, rng.choice((0, 0, 0, 1, 1, 2)) if len(made) > 2 else 0)  # noqa: PLR2004
        self._results = list(dict.fromkeys(results))

    def text(self, shapes: Sequence[Shape] | None = None) -> str:
        """Return the graph as MLIR text, for arguments of these shapes (None: of any)."""
        values = [
            Value(f"%a{i}", "f32", (None, None) if shapes is None else shapes[i])
            for i in range(len(self.shapes))
        ]
        arguments = ", ".join(f"{v.name}: {v}" for v in values)
        writer = Writer(2)
        for operator, operands in self._operations:
            values.append(writer.op(operator, *(values[o] for o in operands)))
        results = [values[r] for r in self._results]
        names = ", ".join(v.name for v in results)
        types = ", ".join(str(v) for v in results)
        body = "".join(f"  {line}\n" for line in writer.lines)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n"
        )

    def arrays(self, shapes: Sequence[Shape]) -> list[NDArray[Any]]:
        """Return random arguments of these shapes, between 0.1 and 4."""
        rng = np.random.default_rng(0)
        return [rng.uniform(0.1, 4, s).astype(np.float32) for s in shapes]

    def shape_sets(self, count: int = 10) -> list[list[Shape]]:
        """Return the shapes of so many calls: the graph's own, then others, small and large.

        In half of the others an argument is full that is narrow in the graph, or the reverse.
        """
        rng = random.Random(f"sizes {self.name}")
        sets = [self.shapes]
        while len(sets) < count:
            full = rng.choice((1, 3, 40, 64, 500)), rng.choice((1, 2, 64, 700, 1024))
            patterns = [tuple(n == 1 for n in shape) for shape in self.shapes]
            if len(sets) % 2:
                at = rng.randrange(len(patterns))
                patterns[at] = (False, False) if any(patterns[at]) else (True, rng.random() < 0.5)
            sets.append(
                [
                    tuple(1 if one else n for one, n in zip(pattern, full, strict=True))
                    for pattern in patterns
                ]
            )
        return sets
