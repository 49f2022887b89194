"""The named programs that the benches measure, each as a dynamic and as a static program.

A program is written once, over values whose sizes are named. `text()` writes it with every size
dynamic, `text(shapes)` with the sizes of these arguments; both compute the same. All operands have
equal ranks, so that every TOSA compiler accepts the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Shape: TypeAlias = tuple[int, ...]

DTYPES = {"f32": np.float32, "i32": np.int32, "i1": np.bool_}


@dataclass(frozen=True)
class Argument:
    """An argument: its name, its element type, and a size or the name of a size per dimension."""

    name: str
    type: str
    dims: tuple[int | str, ...]

    def shape(self, sizes: Mapping[str, int]) -> Shape:
        """Return its shape for these sizes."""
        return tuple(sizes[d] if isinstance(d, str) else d for d in self.dims)


@dataclass(frozen=True)
class Value:
    """A tensor of a program that is being written; None is a dynamic size."""

    name: str
    type: str
    sizes: tuple[int | None, ...]

    def __str__(self) -> str:
        shape = "".join(f"{'?' if n is None else n}x" for n in self.sizes)
        return f"tensor<{shape}{self.type}>"


@dataclass
class Writer:
    """Writes the operations of one program; `rank` is the rank of its constants."""

    rank: int
    lines: list[str] = field(default_factory=list)

    def constant(self, value: str, type_: str = "f32", rank: int | None = None) -> Value:
        """Define a constant of one element."""
        of = Value(f"%c{len(self.lines)}", type_, (1,) * (self.rank if rank is None else rank))
        self.lines.append(
            f'{of.name} = "tosa.const"() {{values = dense<{value}> : {of}}} : () -> {of}'
        )
        return of

    def op(
        self, name: str, *operands: Value, type_: str | None = None, attributes: str = ""
    ) -> Value:
        """Append the operator `tosa.NAME`; the sizes of its result are inferred."""
        sizes = tuple(
            _broadcast(column) for column in zip(*(v.sizes for v in operands), strict=True)
        )
        extra = ()
        if name == "mul":
            extra = (self.constant("0", "i8", rank=1),)
        elif name == "negate":
            type_of_zero = operands[0].type
            zero = "0" if type_of_zero.startswith("i") else "0.0"
            extra = tuple(self.constant(zero, type_of_zero, rank=1) for _ in range(2))
        result = Value(f"%v{len(self.lines)}", type_ or operands[-1].type, sizes)
        names = ", ".join(v.name for v in (*operands, *extra))
        types = ", ".join(str(v) for v in (*operands, *extra))
        self.lines.append(
            f'{result.name} = "tosa.{name}"({names}) {{{attributes}}} : ({types}) -> {result}'
        )
        return result

    def clamp(self, value: Value, low: str, high: str) -> Value:
        """Append a clamp between two numbers."""
        return self.op("clamp", value, attributes=f"min_val = {low} : f32, max_val = {high} : f32")


def _broadcast(sizes: Sequence[int | None]) -> int | None:
    """Return the size that operands' sizes in one dimension broadcast to; None is dynamic."""
    known = {n for n in sizes if n not in (None, 1)}
    assert len(known) < 2, f"sizes {sizes} do not broadcast"
    return known.pop() if known else None if None in sizes else 1


Body: TypeAlias = Callable[..., Value]


@dataclass(frozen=True)
class Named:
    """A program with a name.

    `body(writer, *arguments)` writes its operations and returns the result. `sizes` are the ones at
    which it is reported: at least 64 Ki points. `others` are further ones, small and large.
    """

    name: str
    meaning: str
    arguments: tuple[Argument, ...]
    body: Body
    sizes: Mapping[str, int]
    others: tuple[Mapping[str, int], ...]

    def shapes(self, sizes: Mapping[str, int] | None = None) -> list[Shape]:
        """Return the shapes of the arguments for these sizes (None: the reported ones)."""
        return [a.shape(sizes or self.sizes) for a in self.arguments]

    def shape_sets(self) -> list[list[Shape]]:
        """Return the shapes of ten calls, the reported ones first.

        In half of the others, an argument that is narrow as a rule is as large as the result, or
        one that is large as a rule is narrow: a dynamic program takes both.
        """
        sets = [self.shapes(sizes) for sizes in (self.sizes, *self.others)]
        for number, base in enumerate(list(sets[1:])):
            full = np.broadcast_shapes(*base)
            changed = list(base)
            at = number % len(changed)
            changed[at] = full if changed[at] != full else (1, *full[1:])
            sets.append(changed)
        return sets[:10]

    def text(self, shapes: Sequence[Sequence[int]] | None = None) -> str:
        """Return the program as MLIR text, for arguments of these shapes (None: of any)."""
        values = [
            Value(
                f"%{a.name}", a.type, (None,) * len(a.dims) if shapes is None else tuple(shapes[i])
            )
            for i, a in enumerate(self.arguments)
        ]
        writer = Writer(len(self.arguments[0].dims))
        result = self.body(writer, *values)
        arguments = ", ".join(f"{v.name}: {v}" for v in values)
        body = "".join(f"  {line}\n" for line in writer.lines)
        return (
            f"func.func @main({arguments}) -> {result} {{\n{body}"
            f"  return {result.name} : {result}\n}}\n"
        )

    def arrays(self, shapes: Sequence[Sequence[int]], seed: int = 0) -> list[NDArray[Any]]:
        """Return random arguments of these shapes, where all is defined.

        Floats lie in (0.1, 4), integers from 1 to 99.
        """
        rng = np.random.default_rng(seed)
        limits = {"i1": (0, 2), "i32": (1, 100)}
        return [
            rng.integers(*limits[a.type], s).astype(DTYPES[a.type])
            if a.type in limits
            else rng.uniform(0.1, 4, s).astype(np.float32)
            for a, s in zip(self.arguments, shapes, strict=True)
        ]


def of_one_operator(
    name: str, operands: Sequence[str], result: str, rank: int = 2, attributes: str = ""
) -> Named:
    """Return a program of one operator, whose operands are of the same shape.

    Args:
        name: of the operator, without `tosa.`.
        operands: the element types of its operands that are data.
        result: the element type of its result.
        rank: of operands and result.
        attributes: of the operator.
    """
    dims = ("m", "n", "k")[:rank]
    return Named(
        f"{name}, {operands[-1]}",
        f"tosa.{name}",
        tuple(Argument(f"a{i}", type_, dims) for i, type_ in enumerate(operands)),
        lambda w, *values: w.op(name, *values, type_=result, attributes=attributes),
        dict.fromkeys(dims, 1024),
        (),
    )


# -- what the programs compute


def _chain(w: Writer, a: Value, b: Value, c: Value, d: Value) -> Value:
    return w.op("sub", w.op("tanh", w.op("mul", w.op("add", a, b), c)), d)


def _bias_activation(w: Writer, x: Value, bias: Value) -> Value:
    return w.clamp(w.op("add", x, bias), "0.0", "6.0")


def _layer_norm(w: Writer, x: Value, mean: Value, var: Value, gamma: Value, beta: Value) -> Value:
    scale = w.op("rsqrt", w.op("add", var, w.constant("1.0e-05")))
    normal = w.op("mul", w.op("sub", x, mean), scale)
    return w.op("add", w.op("mul", normal, gamma), beta)


def _rms_scale(w: Writer, x: Value, square: Value, gamma: Value) -> Value:
    scale = w.op("rsqrt", w.op("add", square, w.constant("1.0e-06")))
    return w.op("mul", w.op("mul", x, scale), gamma)


def _prelu(w: Writer, x: Value, slope: Value) -> Value:
    positive = w.op("greater_equal", x, w.constant("0.0"), type_="i1")
    return w.op("select", positive, x, w.op("mul", x, slope))


def _hard_swish(w: Writer, x: Value, bias: Value) -> Value:
    y = w.op("add", x, bias)
    gate = w.clamp(w.op("add", y, w.constant("3.0")), "0.0", "6.0")
    return w.op("mul", w.op("mul", y, gate), w.constant("0.16666667"))


def _gelu(w: Writer, x: Value, bias: Value) -> Value:
    y = w.op("add", x, bias)
    erf = w.op("erf", w.op("mul", y, w.constant("0.70710678")))
    half = w.op("mul", y, w.constant("0.5"))
    return w.op("mul", half, w.op("add", erf, w.constant("1.0")))


def _attention_mask(w: Writer, scores: Value, scale: Value, mask: Value) -> Value:
    return w.op("select", mask, w.op("mul", scores, scale), w.constant("-1.0e+09"))


def _rotary(w: Writer, x: Value, rotated: Value, position: Value, frequency: Value) -> Value:
    angle = w.op("mul", position, frequency)
    straight = w.op("mul", x, w.op("cos", angle))
    return w.op("add", straight, w.op("mul", rotated, w.op("sin", angle)))


def _positions(w: Writer, x: Value, even: Value, position: Value, frequency: Value) -> Value:
    angle = w.op("mul", position, frequency)
    return w.op("add", x, w.op("select", even, w.op("sin", angle), w.op("cos", angle)))


def _of_narrow(operator: str) -> Body:
    def body(w: Writer, narrow: Value, x: Value) -> Value:
        return w.op("add", w.op(operator, narrow), x)

    return body


# -- the programs


def _sizes(names: str, *rows: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


def _named(
    name: str, meaning: str, arguments: str, body: Body, rows: Sequence[dict[str, int]]
) -> Named:
    """Read `arguments`: `name:dims` or `name:dims:type`, where a dimension is one letter or 1."""
    read: list[Argument] = []
    for text in arguments.split():
        label, dims, kind = (*text.split(":"), "f32")[:3]
        read.append(Argument(label, kind, tuple(1 if d == "1" else d for d in dims)))
    return Named(name, meaning, tuple(read), body, rows[0], tuple(rows[1:]))


MATRICES = _sizes("nd", (256, 768), (64, 2), (1024, 64), (3, 700), (1, 4096), (500, 1))
"""Rows and columns; all others are around the sizes at which the better plan changes."""

NARROW = _sizes("nd", (64, 1024), (64, 2), (1024, 64), (3, 700), (1, 4096), (500, 1))

CUBES = _sizes("hnd", (16, 64, 64), (1, 64, 64), (2, 3, 64), (40, 8, 8), (4, 1, 512), (3, 50, 7))

ATTENTION = _sizes("bhnm", (2, 8, 64, 64), (1, 1, 64, 64), (2, 3, 5, 7), (8, 2, 1, 256),
                   (1, 12, 16, 16), (3, 1, 30, 1))  # fmt: skip

PROGRAMS: tuple[Named, ...] = (
    _named("chain", "tanh((a + b) * c) - d", "a:hnd b:11d c:hn1 d:111", _chain, CUBES),
    _named("bias and activation", "clamp(x + bias)", "x:nd bias:1d", _bias_activation, MATRICES),
    _named("layer norm", "(x - mean) * rsqrt(var + eps) * gamma + beta",
           "x:nd mean:n1 var:n1 gamma:1d beta:1d", _layer_norm, MATRICES),
    _named("RMS scale", "x * rsqrt(square + eps) * gamma", "x:nd square:n1 gamma:1d", _rms_scale,
           MATRICES),
    _named("PReLU", "x >= 0 ? x : x * slope", "x:nd slope:1d", _prelu, MATRICES),
    _named("hard-swish", "y * clamp(y + 3) / 6, y = x + bias", "x:nd bias:1d", _hard_swish,
           MATRICES),
    _named("GELU", "y / 2 * (1 + erf(y / sqrt(2))), y = x + bias", "x:nd bias:1d", _gelu, MATRICES),
    _named("attention mask", "mask ? scores * scale : -1e9",
           "scores:bhnm scale:1h11 mask:b1nm:i1", _attention_mask, ATTENTION),
    _named("rotary embedding", "x * cos(p * f) + rotated * sin(p * f)",
           "x:hnd rotated:hnd position:1n1 frequency:11d", _rotary, CUBES),
    _named("position encoding", "x + (even ? sin(p * f) : cos(p * f))",
           "x:hnd even:11d:i1 position:1n1 frequency:11d", _positions, CUBES),
    *(
        _named(f"{operator} of a {kind}", f"{operator}({kind}) + x", f"narrow:{dims} x:nd",
               _of_narrow(operator), NARROW)
        for operator in ("abs", "exp", "tanh", "rsqrt", "sigmoid")
        for kind, dims in (("column", "n1"), ("row", "1d"))
    ),
)  # fmt: skip
"""Every named program."""


def named(name: str) -> Named:
    """Return the program called `name`."""
    return next(p for p in PROGRAMS if p.name == name)
