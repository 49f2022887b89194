"""Quantised operators in random programs: `rescale` and `table`, as TOSA 1.0 defines them."""

from __future__ import annotations

import numpy as np
from e2e.support.reference import rescale as scaling
from e2e.support.reference import table as entries_of
from element_types import DTYPES, INTEGERS, WIDTHS
from random_programs.generator import Generator, operation, random_array
from random_programs.graph import Array, Node, RefusedError, Types, Value
from random_programs.operations import BINARY, constant, element_wise

TABLE_SIZES = {"i8": 256, "i16": 513}
TABLE_RESULTS = {"i8": "i8", "i16": "i32"}


@operation(2)
def table(g: Generator) -> None:
    """A table whose entries are a constant, an argument, or computed; rather an earlier table."""
    a = g.pick(*TABLE_SIZES)
    if a is None:
        return
    size, kind = TABLE_SIZES[a.kind], TABLE_RESULTS[a.kind]
    found = [v for v in g.tensors if v.kind == a.kind and g.array(v).shape == (size,)]
    if found and g.rng.random() < 0.5:
        entries = g.rng.choice(found)
    elif g.rng.random() < 0.4:
        entries = constant(g, random_array(g.rng, (size,), a.kind), a.kind)
    else:
        entries = _argument(g, a.kind)
        if g.rng.random() < 0.5:
            entries = _computed(g, entries)

    def run(x: Array, t: Array) -> Array:
        if t.shape != (size,):
            raise RefusedError(f"a table of {t.shape}, expected {size} entries")
        return entries_of(x, t)

    value = Value(g.name(), kind, g.declare(g.array(a).shape, a.declared), held=a.held)
    g.add(
        Node(
            value,
            (a, entries),
            lambda t: (
                f"{value.name} = tosa.table {a.name}, {entries.name} : "
                f"({t(a)}, {t(entries)}) -> {t(value)}"
            ),
            run,
        )
    )


def _argument(g: Generator, kind: str) -> Value:
    """Add an argument for the entries of a table, whose size the type may leave open."""
    size = TABLE_SIZES[kind]
    declared = None if g.rng.random() < g.dynamic / 4 else size
    value = Value(f"%a{len(g.graph.arguments)}", kind, (declared,))
    g.graph.arguments.append(value)
    g.graph.axes[value.name] = (None,)
    g.arrays[value.name] = random_array(g.rng, (size,), kind)
    g.tensors.insert(0, value)  # other operators seldom want that many elements
    return value


def _computed(g: Generator, entries: Value) -> Value:
    """Return what an operator makes of the entries of a table and a number."""
    name = g.rng.choice(list(BINARY))
    number = constant(g, random_array(g.rng, (1,), entries.kind), entries.kind)
    before = len(g.tensors)
    element_wise(g, name, (entries, number), entries.kind, BINARY[name])
    return g.tensors[-1] if len(g.tensors) > before else entries


@operation(2)
def rescale(g: Generator) -> None:
    """A change of scale and type, with one multiplier or one for each channel.

    The shifts are such that every element of the type is in the range that TOSA requires.
    """
    a = g.pick(*INTEGERS)
    if a is None:
        return
    kind = g.rng.choice(INTEGERS)
    scale32 = g.rng.random() < 0.7
    double = scale32 and g.rng.random() < 0.4
    unsigned = ""
    if "i32" not in (a.kind, kind):
        unsigned = g.rng.choice(("", "input", "output"))
    zero, stored_zero = _zero(g, a.kind, unsigned == "input")
    output_zero, stored_output_zero = _zero(g, kind, unsigned == "output")
    channels = 1
    per_channel = bool(a.declared) and g.array(a).shape[-1] > 0 and g.rng.random() < 0.3
    if per_channel:
        channels = g.array(a).shape[-1]
    # |value| is less than 2^(shift - 1), also after a zero point
    least = WIDTHS[a.kind] + (2 if zero or unsigned == "input" else 0)
    shift = np.array([g.rng.randint(least, 62) for _ in range(channels)], np.int8)
    if g.rng.random() < 0.7:  # otherwise most results are 0
        shift = np.array([g.rng.randint(least, least + 6) for _ in range(channels)], np.int8)
    multiplier_kind = "i32" if scale32 else "i16"
    largest = (1 << WIDTHS[multiplier_kind] - 1) - 1
    multiplier = np.array(
        [g.rng.choice((largest, g.rng.randint(0, largest))) for _ in range(channels)],
        DTYPES[multiplier_kind],
    )

    rounding = "DOUBLE_ROUND" if double else "SINGLE_ROUND"
    scaled = scaling(
        kind,
        multiplier.astype(np.int64) if per_channel else int(multiplier[0]),
        shift.astype(np.int64) if per_channel else int(shift[0]),
        zero,
        output_zero,
        rounding,
        unsigned,
    )

    def run(x: Array, *_: Array) -> Array:
        if per_channel and x.shape[-1] != channels:
            raise RefusedError(f"{channels} multipliers for {x.shape}")
        return scaled(x)

    constants = (
        constant(g, multiplier, multiplier_kind),
        constant(g, shift, "i8"),
        constant(g, np.array([stored_zero]), a.kind),
        constant(g, np.array([stored_output_zero]), kind),
    )
    attributes = ", ".join(
        (
            f"scale32 = {_bool(scale32)}",
            f"rounding_mode = {rounding}",
            f"per_channel = {_bool(per_channel)}",
            f"input_unsigned = {_bool(unsigned == 'input')}",
            f"output_unsigned = {_bool(unsigned == 'output')}",
        )
    )
    value = Value(g.name(), kind, g.declare(g.array(a).shape, a.declared), held=a.held)
    every = (a, *constants)

    def write(type_of: Types) -> str:
        return (
            f"{value.name} = tosa.rescale {', '.join(v.name for v in every)} {{{attributes}}} : "
            f"({', '.join(map(type_of, every))}) -> {type_of(value)}"
        )

    g.add(Node(value, every, write, run))


def _zero(g: Generator, kind: str, unsigned: bool) -> tuple[int, int]:
    """Return a zero point that TOSA allows for a type, and the element that stores it."""
    stored = 0
    if kind == "i8":
        stored = g.rng.choice((0, g.rng.randint(-128, 127)))
    elif kind == "i16" and unsigned:
        stored = g.rng.choice((0, -32768))
    return (stored & (1 << WIDTHS[kind]) - 1 if unsigned else stored), stored


def _bool(value: bool) -> str:
    return "true" if value else "false"
