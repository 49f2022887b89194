"""`linalg` in random programs: operands that are indexed through projections, and broadcasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from element_types import FLOATS, INTEGERS
from random_programs.generator import Generator, operation
from random_programs.graph import Array, Node, RefusedError, Types, Value

REGIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
}


def projection(g: Generator, narrow: Value, wide: Value) -> tuple[int | None, ...] | None:
    """Return for each dimension of `narrow` the dimension of `wide` that indexes it, in order.

    None stands for the constant 0, which needs a size of 1. The sizes of the program's own call
    fit; None if there is no such projection.
    """
    loops: list[int | None] = []
    first = 0
    for size in g.array(narrow).shape:
        fitting = [d for d in range(first, g.array(wide).ndim) if g.array(wide).shape[d] == size]
        if size == 1 and g.rng.random() < 0.3:
            loops.append(None)
        elif fitting:
            loops.append(g.rng.choice(fitting[:2]))
            first = (loops[-1] or 0) + 1
        else:
            return None
    return tuple(loops)


def view(array: Array, loops: Sequence[int | None], shape: Sequence[int]) -> Array:
    """Return an operand as the loops see it.

    Raises:
        RefusedError: a size is not the one of its loop.
    """
    seen = [1] * len(shape)
    for size, loop in zip(array.shape, loops, strict=True):
        if size != (1 if loop is None else shape[loop]):
            raise RefusedError(f"size {size} of {array.shape} through {loops} to {shape}")
        if loop is not None:
            seen[loop] = size
    return np.broadcast_to(array.reshape(seen), shape)


def _pair(g: Generator) -> tuple[Value, Value, tuple[int | None, ...]] | None:
    wide = g.pick(*INTEGERS, *FLOATS)
    narrow = None if wide is None else g.pick(wide.kind)
    if wide is None or narrow is None:
        return None
    loops = projection(g, narrow, wide)
    return None if loops is None else (narrow, wide, loops)


def _held(narrow: Value, wide: Value, loops: Sequence[int | None]) -> tuple[bool, ...]:
    held = list(wide.held or (False,) * len(wide.declared))
    for is_held, loop in zip(narrow.held, loops, strict=False):
        if loop is not None:
            held[loop] |= is_held
    return tuple(held)


@operation(3)
def generic(g: Generator) -> None:
    """Arithmetic of an operand and a projected one."""
    found = _pair(g)
    if found is None:
        return
    narrow, wide, loops = found
    name = g.rng.choice(list(REGIONS))
    kind = wide.kind
    value = Value(g.name(), kind, wide.declared, held=_held(narrow, wide, loops))

    def run(a: Array, b: Array) -> Array:
        return np.asarray(REGIONS[name](view(a, loops, b.shape), b), b.dtype)

    def write(type_of: Types) -> str:
        dims = ", ".join(f"d{d}" for d in range(len(wide.declared)))
        inner = ", ".join("0" if loop is None else f"d{loop}" for loop in loops)
        iterators = ", ".join(['"parallel"'] * len(wide.declared))
        own = f"affine_map<({dims}) -> ({dims})>"
        maps = f"affine_map<({dims}) -> ({inner})>, {own}, {own}"
        suffix = "f" if kind in FLOATS else "i"
        return (
            f"{value.name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}} ins({narrow.name}, {wide.name} : "
            f"{type_of(narrow)}, {type_of(wide)}) outs({wide.name} : {type_of(wide)}) {{\n"
            f"  ^bb0(%p: {kind}, %q: {kind}, %o: {kind}):\n"
            f"    %s = arith.{name}{suffix} %p, %q : {kind}\n"
            f"    linalg.yield %s : {kind}\n  }} -> {type_of(value)}"
        )

    g.add(Node(value, (narrow, wide), write, run))


@operation(2)
def broadcast(g: Generator) -> None:
    """A broadcast along dimensions that the operand does not have."""
    found = _pair(g)
    if found is None:
        return
    narrow, wide, loops = found
    if None in loops:
        return
    missing = [d for d in range(len(wide.declared)) if d not in loops]
    value = Value(g.name(), wide.kind, wide.declared, held=_held(narrow, wide, loops))
    g.add(
        Node(
            value,
            (narrow, wide),
            lambda type_of: (
                f"{value.name} = linalg.broadcast ins({narrow.name} : {type_of(narrow)}) "
                f"outs({wide.name} : {type_of(wide)}) dimensions = {missing}"
            ),
            lambda a, b: np.array(view(a, loops, b.shape)),
        )
    )
