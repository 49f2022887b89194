"""Tensors that the host fills, in random programs: sizes as elements, and positions in loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from random_programs.generator import Generator, operation
from random_programs.graph import Array, Node, Types, Value

COMPUTED: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "maxsi": max,
}
"""What a program computes from two sizes before they are elements."""


@operation(2)
def sizes(g: Generator) -> None:
    """One size or two of a tensor, or what is computed from them, as elements."""
    a = g.pick(*DTYPES)
    if a is None or not a.declared:
        return
    kind = g.rng.choice(("i16", "i32", "i32"))
    axes = [g.rng.randrange(len(a.declared)) for _ in range(2)]
    name = g.rng.choice(list(COMPUTED)) if kind == "i32" else None
    shape = g.rng.choice(((), (1,), (2,), (2, 1)))
    value = Value(g.name(), kind, shape)

    def run(x: Array) -> Array:
        numbers = [x.shape[axis] for axis in axes]
        if name is not None:
            numbers[0] = COMPUTED[name](*numbers)
        return np.array(numbers[: int(np.prod(shape))], DTYPES[kind]).reshape(shape)

    def write(type_of: Types) -> str:
        own, lines, indices = value.name, [], []
        for number, axis in enumerate(axes):
            indices.append(f"{own}_{number}")
            lines.append(f"{own}_c{number} = arith.constant {axis} : index")
            lines.append(f"{indices[-1]} = tensor.dim {a.name}, {own}_c{number} : {type_of(a)}")
        if name is not None:
            lines.append(f"{own}_n = arith.{name} {', '.join(indices)} : index")
            indices[0] = f"{own}_n"
        elements = [f"{own}_e{number}" for number in range(int(np.prod(shape)))]
        for element, index in zip(elements, indices, strict=False):
            lines.append(f"{element} = arith.index_cast {index} : index to {kind}")
        lines.append(f"{own} = tensor.from_elements {', '.join(elements)} : {value.type()}")
        return "\n  ".join(lines)

    g.add(Node(value, (a,), write, run))


@operation(2)
def positions(g: Generator) -> None:
    """The sum of a tensor and of the positions of its elements along a dimension."""
    a = g.pick(*INTEGERS, *FLOATS)
    if a is None or not a.declared:
        return
    rank = len(a.declared)
    loop = g.rng.randrange(rank)
    value = Value(g.name(), a.kind, a.declared, held=a.held)
    integer = a.kind if a.kind in INTEGERS else "i32"

    def run(x: Array) -> Array:
        counted = np.arange(x.shape[loop]).reshape([-1 if d == loop else 1 for d in range(rank)])
        return np.asarray(x + counted.astype(x.dtype), x.dtype)

    def write(type_of: Types) -> str:
        dims = ", ".join(f"d{d}" for d in range(rank))
        own, iterators = f"affine_map<({dims}) -> ({dims})>", ", ".join(['"parallel"'] * rank)
        lines = [
            f"%i = linalg.index {loop} : index",
            f"%p = arith.index_cast %i : index to {integer}",
        ]
        if a.kind in FLOATS:
            lines.append(f"%q = arith.sitofp %p : i32 to {a.kind}")
            lines.append(f"%s = arith.addf %x, %q : {a.kind}")
        else:
            lines.append(f"%s = arith.addi %x, %p : {a.kind}")
        body = "".join(f"    {line}\n" for line in lines)
        return (
            f"{value.name} = linalg.generic {{indexing_maps = [{own}, {own}], "
            f"iterator_types = [{iterators}]}} ins({a.name} : {type_of(a)}) "
            f"outs({a.name} : {type_of(a)}) {{\n  ^bb0(%x: {a.kind}, %o: {a.kind}):\n{body}"
            f"    linalg.yield %s : {a.kind}\n  }} -> {type_of(value)}"
        )

    g.add(Node(value, (a,), write, run))
