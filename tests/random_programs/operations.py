"""The operators of TOSA in random programs: how they are written, and what NumPy computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from random_programs.generator import Generator, operation, random_array
from random_programs.graph import Array, Node, RefusedError, Types, Value


def broadcast(operands: Sequence[Value], arrays: Sequence[Array], strict: bool) -> list[Array]:
    """Broadcast operands as NumPy does, except that some dimensions never expand.

    These are the ones that operands hold, and with `strict` all that are dynamic by their types.

    Raises:
        RefusedError: they do not broadcast.
    """
    rank = max(a.ndim for a in arrays)
    for dimension in range(-rank, 0):
        fixed: list[int] = []
        for value, array in zip(operands, arrays, strict=True):
            if array.ndim >= -dimension:
                held = bool(value.held) and value.held[dimension]
                if held or (strict and value.declared[dimension] is None):
                    fixed.append(array.shape[dimension])
        sizes = {a.shape[dimension] for a in arrays if a.ndim >= -dimension}
        if fixed and not sizes <= {fixed[0], 1} or len(set(fixed)) > 1:
            raise RefusedError(f"strict sizes {fixed} of {sizes} in dimension {dimension}")
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError as error:
        raise RefusedError(str(error)) from None


def held(operands: Sequence[Value]) -> tuple[bool, ...]:
    """Return which dimensions of a result never expand: those that an operand holds."""
    rank = max(len(v.declared) for v in operands)
    padded = [(False,) * (rank - len(v.held)) + v.held for v in operands]
    return tuple(map(any, zip(*padded, strict=True)))


def inferred(operands: Sequence[Value]) -> tuple[int | None, ...]:
    """Return the sizes that the types of operands give to the result; None is dynamic."""
    rank = max(len(v.declared) for v in operands)
    padded = [(1,) * (rank - len(v.declared)) + v.declared for v in operands]
    sizes: list[int | None] = []
    for column in zip(*padded, strict=True):
        static = [n for n in column if n not in (None, 1)]
        sizes.append(static[0] if static else None if None in column else 1)
    return tuple(sizes)


def element_wise(
    g: Generator,
    operator: str,
    operands: Sequence[Value],
    kind: str,
    function: Callable[..., Array],
    attributes: str = "",
    constants: Sequence[Value] = (),
) -> None:
    """Add a TOSA operator; `constants` are further operands that the function does not need."""

    local = len(operands) > 1 and g.rng.random() < g.local_strict
    strict = local or g.graph.strict
    if local:
        attributes = ", ".join(filter(None, (attributes, "hwc.strict")))

    def run(*arrays: Array) -> Array:
        result = function(*broadcast(operands, arrays[: len(operands)], strict))
        return np.asarray(result, DTYPES[kind])

    every = (*operands, *constants)
    try:
        result = run(*(g.array(v) for v in operands))
    except RefusedError:
        return
    declared = g.declare(result.shape, inferred(operands))
    value = Value(g.name(), kind, declared, held=held(operands))
    # a static program broadcasts whatever fits, so it does not say `hwc.strict`
    plain = attributes.removesuffix("hwc.strict").removesuffix(", ") if local else attributes

    def write(type_of: Types) -> str:
        names = ", ".join(v.name for v in every)
        types = ", ".join(type_of(v) for v in every)
        static = "?" not in types and not any(v.held for v in every)
        return (
            f'{value.name} = "tosa.{operator}"({names}) {{{plain if static else attributes}}} : '
            f"({types}) -> {type_of(value)}"
        )

    g.add(Node(value, every, write, run))


def constant(g: Generator, array: Array, kind: str) -> Value:
    """Add a constant tensor."""
    value = Value(g.name(), kind, array.shape)
    text = dense(array)

    def write(type_of: Types) -> str:
        of = type_of(value)
        return f'{value.name} = "tosa.const"() {{values = dense<{text}> : {of}}} : () -> {of}'

    g.add(Node(value, (), write, lambda: np.asarray(array, DTYPES[kind])))
    return value


def dense(array: Array) -> str:
    """Return the elements as MLIR text."""
    if array.size == 0:
        return ""
    flat = array.astype(np.int32) if array.dtype == np.bool_ else array
    numbers = [f"{float(x):.6e}" if array.dtype.kind == "f" else str(int(x)) for x in flat.ravel()]
    nested = np.array(numbers, dtype=object).reshape(array.shape).tolist()
    return str(nested).replace("'", "") if array.ndim else numbers[0]


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}


@operation(8)
def binary(g: Generator) -> None:
    """Arithmetic on two operands, or bits of two integers."""
    pair = g.pair(*INTEGERS, *FLOATS)
    if pair is not None:
        names = list(BINARY)[: 4 if pair[0].kind in FLOATS else None]
        name = g.rng.choice(names)
        element_wise(g, name, pair, pair[0].kind, BINARY[name])


@operation(2)
def multiply(g: Generator) -> None:
    """A product: of integers, their low 32 bits."""
    pair = g.pair(*INTEGERS, *FLOATS)
    if pair is not None:
        kind = pair[0].kind if pair[0].kind in FLOATS else "i32"
        of = DTYPES[kind]
        shift = constant(g, np.zeros(1, np.int8), "i8")
        element_wise(
            g, "mul", pair, kind, lambda a, b: a.astype(of) * b.astype(of), constants=(shift,)
        )


@operation(1)
def logical(g: Generator) -> None:
    """Logic on booleans."""
    pair = g.pair("i1")
    if pair is not None:
        name = g.rng.choice(("and", "or", "xor"))
        function = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[name]
        element_wise(g, f"logical_{name}", pair, "i1", function)


@operation(3)
def unary(g: Generator) -> None:
    """An operator on one operand."""
    a = g.pick("i32", *FLOATS)
    if a is not None:
        names = {"abs": np.abs, "ceil": np.ceil, "floor": np.floor}
        if a.kind not in FLOATS:
            names = {"abs": np.abs, "bitwise_not": np.invert}
        name = g.rng.choice(list(names))
        element_wise(g, name, (a,), a.kind, names[name])


@operation(2)
def compare(g: Generator) -> None:
    """A comparison."""
    pair = g.pair("i32", *FLOATS)
    if pair is not None:
        name = g.rng.choice(("equal", "greater", "greater_equal"))
        element_wise(g, name, pair, "i1", getattr(np, name))


@operation(2)
def select(g: Generator) -> None:
    """A choice between two operands by a third."""
    condition, pair = g.pick("i1"), g.pair(*DTYPES)
    if condition is not None and pair is not None and g.fits(condition, *pair):
        element_wise(g, "select", (condition, *pair), pair[0].kind, np.where)


@operation(1)
def cast(g: Generator) -> None:
    """A cast between integers and booleans."""
    a = g.pick(*INTEGERS, "i1")
    if a is not None:
        kind = g.rng.choice([k for k in ("i1", *INTEGERS) if k != a.kind])
        function = (lambda x: x != 0) if kind == "i1" else (lambda x: x.astype(DTYPES[kind]))
        element_wise(g, "cast", (a,), kind, function)


@operation(1)
def clamp(g: Generator) -> None:
    """A clamp between two numbers."""
    a = g.pick("i8", "i16", *FLOATS)
    if a is not None:
        low, high = sorted(g.rng.randint(-90, 90) for _ in range(2))
        bounds = [f"{float(n):.6e}" if a.kind in FLOATS else str(n) for n in (low, high)]
        text = f"min_val = {bounds[0]} : {a.kind}, max_val = {bounds[1]} : {a.kind}"
        element_wise(g, "clamp", (a,), a.kind, lambda x: np.clip(x, low, high), text)


@operation(2)
def with_constant(g: Generator) -> None:
    """A sum with a constant, which broadcasts in some dimensions."""
    a = g.pick(*INTEGERS, *FLOATS)
    if a is None:
        return
    rank = g.rng.randint(0, g.array(a).ndim)
    shape = tuple(
        n if g.rng.random() < 0.4 else 1 for n in g.array(a).shape[g.array(a).ndim - rank :]
    )
    array = random_array(g.rng, shape, a.kind)
    if g.rng.random() < 0.5 and array.size:
        array = np.full_like(array, array.ravel()[0])
    element_wise(g, "add", (a, constant(g, array, a.kind)), a.kind, np.add)


@operation(2)
def reshape(g: Generator) -> None:
    """A reshape to sizes of which at most one is not known."""
    a = g.pick(*DTYPES)
    if a is None or any(a.held):  # what a reshape holds has tests of its own
        return
    shape = list(g.array(a).shape)
    rank = len(shape)
    unknown = [d for d, n in enumerate(a.declared) if n is None]
    form = g.rng.choice(("insert", "flatten", "join"))
    if form == "insert" and len(unknown) < 2 and rank < 6:
        target = [-1 if n is None else n for n in a.declared]
        target.insert(g.rng.randint(0, rank), 1)
    elif form == "join" and rank > 1 and not any(n is None for n in a.declared[2:]):
        target = [-1, *(n for n in a.declared[2:] if n is not None)]
    else:
        target = [-1]
    if 0 in target:
        return
    fixed = int(np.prod([n for n in target if n != -1]))

    def run(x: Array, _: object) -> Array:
        if x.size % fixed if -1 in target else x.size != fixed:
            raise RefusedError(f"{x.size} elements do not fit {target}")
        return x.reshape(target)

    size = Value(g.name(), "", text=f"!tosa.shape<{len(target)}>")
    numbers = ", ".join(map(str, target))
    g.add(
        Node(
            size,
            (),
            lambda _: (
                f"{size.name} = tosa.const_shape {{values = dense<[{numbers}]> : "
                f"tensor<{len(target)}xindex>}} : () -> {size.text}"
            ),
            lambda: tuple(target),
        )
    )
    result = run(g.array(a), None)
    known = tuple(None if n == -1 else n for n in target)
    value = Value(g.name(), a.kind, g.declare(result.shape, known))
    g.add(
        Node(
            value,
            (a, size),
            lambda type_of: (
                f"{value.name} = tosa.reshape {a.name}, {size.name} : "
                f"({type_of(a)}, {size.text}) -> {type_of(value)}"
            ),
            run,
        )
    )
