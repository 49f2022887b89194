"""Operations of `arith` and `math` on tensors: all sizes have to be equal, nothing broadcasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from random_programs.generator import Generator, operation, random_array
from random_programs.graph import Array, Node, RefusedError, Types, Value
from random_programs.operations import held

BINARY_FLOAT: dict[str, Callable[[Array, Array], Array]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
}
BINARY_INTEGER: dict[str, Callable[[Array, Array], Array]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
}
UNARY_FLOAT: dict[str, Callable[[Array], Array]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.sqrt": np.sqrt,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
}
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def equal_sizes(arrays: Sequence[Array]) -> None:
    """Refuse operands of different shapes."""
    if len({a.shape for a in arrays}) > 1:
        raise RefusedError(f"shapes {[a.shape for a in arrays]} are not equal")


def same_type(g: Generator, *kinds: str) -> tuple[Value, Value] | None:
    """Return two tensors of one type that have equal sizes, perhaps one tensor twice."""
    a = g.pick(*kinds)
    if a is None:
        return None
    others = [
        v
        for v in g.tensors
        if v.kind == a.kind and v.declared == a.declared and g.array(v).shape == g.array(a).shape
    ]
    return a, g.rng.choice(others)


def add(
    g: Generator,
    operands: Sequence[Value],
    kind: str,
    text: Callable[[Types], str],
    function: Callable[..., Array],
) -> Value:
    """Add an operation whose result has the sizes of its tensors; `text` is what follows `=`."""
    tensors = [v for v in operands if not v.text]

    def run(*arrays: Array) -> Array:
        equal_sizes([a for a, v in zip(arrays, operands, strict=True) if not v.text])
        return np.asarray(function(*arrays), DTYPES[kind])

    value = Value(g.name(), kind, tensors[0].declared, held=held(tensors))
    g.add(Node(value, tuple(operands), lambda type_of: f"{value.name} = {text(type_of)}", run))
    return value


@operation(4)
def binary(g: Generator) -> None:
    """Arithmetic on two tensors."""
    pair = same_type(g, *INTEGERS, *FLOATS)
    if pair is not None:
        a, b = pair
        table = BINARY_FLOAT if a.kind in FLOATS else BINARY_INTEGER
        name = g.rng.choice(list(table))
        add(g, pair, a.kind, lambda t: f"{name} {a.name}, {b.name} : {t(a)}", table[name])


@operation(2)
def unary(g: Generator) -> None:
    """A function of one tensor."""
    a = g.pick(*FLOATS)
    if a is not None:
        name = g.rng.choice(list(UNARY_FLOAT))
        add(g, (a,), a.kind, lambda t: f"{name} {a.name} : {t(a)}", UNARY_FLOAT[name])


@operation(2)
def compare(g: Generator) -> None:
    """A comparison of two tensors: of numbers with a sign, or of floats, where a NaN is false."""
    pair = same_type(g, *INTEGERS, *FLOATS)
    if pair is not None:
        a, b = pair
        name = g.rng.choice(list(COMPARISONS))
        if a.kind in FLOATS:
            # `one` is false for a NaN, `une`, as NumPy's, true.
            relation = f"arith.cmpf {'u' if name == 'ne' else 'o'}{name}"
        else:
            relation = f"arith.cmpi {name if name in ('eq', 'ne') else 's' + name}"
        add(g, pair, "i1", lambda t: f"{relation}, {a.name}, {b.name} : {t(a)}", COMPARISONS[name])


@operation(2)
def select(g: Generator) -> None:
    """A choice for each element, by a tensor or by a scalar argument."""
    pair = same_type(g, *DTYPES)
    if pair is None:
        return
    a, b = pair
    conditions = [
        v
        for v in g.tensors
        if v.kind == "i1" and v.declared == a.declared and g.array(v).shape == g.array(a).shape
    ]
    if conditions and g.rng.random() < 0.7:
        p = g.rng.choice(conditions)
        add(
            g,
            (p, a, b),
            a.kind,
            lambda t: f"arith.select {p.name}, {a.name}, {b.name} : {t(p)}, {t(a)}",
            np.where,
        )
        return
    p = scalar_argument(g, "i1")
    add(
        g,
        (p, a, b),
        a.kind,
        lambda t: f"arith.select {p.name}, {a.name}, {b.name} : {t(a)}",
        np.where,
    )


def scalar_argument(g: Generator, kind: str) -> Value:
    """Add an argument that is a scalar."""
    value = Value(f"%a{len(g.graph.arguments)}", kind, text=kind)
    g.graph.arguments.append(value)
    g.graph.axes[value.name] = ()
    g.arrays[value.name] = random_array(g.rng, (), kind)
    return value


@operation(1)
def width(g: Generator) -> None:
    """An integer gets more bits, or loses some."""
    a = g.pick("i1", *INTEGERS)
    if a is None:
        return
    widths = {"i1": 1, "i8": 8, "i16": 16, "i32": 32}
    others = [k for k in widths if k not in (a.kind, "i1")]
    kind = g.rng.choice(others)
    name = "arith.trunci" if widths[kind] < widths[a.kind] else "arith.extui"
    if name == "arith.extui" and a.kind != "i1":
        name = "arith.extsi"

    def text(type_of: Types) -> str:
        # the result has the sizes of the operand, in every text
        result = type_of(a).replace(f"{a.kind}>", f"{kind}>")
        return f"{name} {a.name} : {type_of(a)} to {result}"

    add(g, (a,), kind, text, lambda x: x.astype(DTYPES[kind]))
