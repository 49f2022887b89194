"""Shapes that random programs compute: operators of TOSA on shapes, and reshapes to the result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from element_types import DTYPES
from random_programs.generator import Generator, operation
from random_programs.graph import Array, Node, RefusedError, Types, Value

ONE = "!tosa.shape<1>"
LARGEST = (1 << 31) - 1


def _shape(
    g: Generator,
    operands: tuple[Value, ...],
    text: Callable[[Types], str],
    run: Callable[..., object],
) -> Value:
    """Add a value that is one size."""
    value = Value(g.name(), "", text=ONE)
    g.add(Node(value, operands, lambda t: f"{value.name} = {text(t)} -> {ONE}", run))
    return value


def _dim(g: Generator, tensor: Value, axis: int) -> Value:
    return _shape(
        g,
        (tensor,),
        lambda t: f"tosa.dim {tensor.name} {{axis = {axis} : i32}} : ({t(tensor)})",
        lambda x: x.shape[axis],
    )


def _constant(g: Generator, size: int) -> Value:
    text = f"tosa.const_shape {{values = dense<[{size}]> : tensor<1xindex>}} : ()"
    return _shape(g, (), lambda _: text, lambda: size)


def _binary(g: Generator, name: str, a: Value, b: Value, run: Callable[[int, int], int]) -> Value:
    text = f"tosa.{name}_shape {a.name}, {b.name} : ({ONE}, {ONE})"
    return _shape(g, (a, b), lambda _: text, run)


def _divide(a: int, b: int) -> int:
    if b <= 0 or a < 0:
        raise RefusedError(f"{a} / {b} is not a size")
    return a // b


@operation(2)
def reshape(g: Generator) -> None:
    """A reshape to sizes of the operand in another order, joined, split or with a 1."""
    tensor = g.pick(*DTYPES)
    if tensor is None or not tensor.declared or any(tensor.held):
        return
    sizes = [_dim(g, tensor, axis) for axis in range(len(tensor.declared))]
    numbers = list(g.array(tensor).shape)
    for _ in range(g.rng.randint(1, 2)):
        at = g.rng.randrange(len(sizes))
        match g.rng.choice(("order", "one", "join", "split", "larger")):
            case "order":
                order = g.rng.sample(range(len(sizes)), len(sizes))
                sizes, numbers = [sizes[i] for i in order], [numbers[i] for i in order]
            case "one" if len(sizes) < 5:
                sizes.insert(at, _constant(g, 1))
                numbers.insert(at, 1)
            case "join" if len(sizes) > 1:
                first, second = sizes[:2]
                sizes[:2] = [_binary(g, "mul", first, second, lambda a, b: a * b)]
                numbers[:2] = [numbers[0] * numbers[1]]
            case "split" if len(sizes) < 5:
                by = g.rng.choice([n for n in (1, 2, 3, 4) if numbers[at] % n == 0])
                part = _constant(g, by)
                sizes[at : at + 1] = [_binary(g, "div_floor", sizes[at], part, _divide), part]
                numbers[at : at + 1] = [numbers[at] // by, by]
            case "larger" if len(sizes) > 1 and numbers[0] == numbers[1]:
                name, function = g.rng.choice((("max", max), ("min", min)))
                sizes[0] = _binary(g, name, sizes[0], sizes[1], function)
            case _:
                pass
    wanted = Value(g.name(), "", text=f"!tosa.shape<{len(sizes)}>")
    names = ", ".join(v.name for v in sizes)
    text = f"{wanted.name} = tosa.concat_shape {names} : ({', '.join([ONE] * len(sizes))})"
    operands = tuple(sizes)
    g.add(
        Node(wanted, operands, lambda _: f"{text} -> {wanted.text}", lambda *n: tuple(map(int, n)))
    )

    def run(x: Array, shape: tuple[int, ...]) -> Array:
        if not all(0 <= n <= LARGEST for n in shape) or np.prod(shape, dtype=object) != x.size:
            raise RefusedError(f"{x.shape} has not as many elements as {shape}")
        return x.reshape(shape)

    value = Value(g.name(), tensor.kind, g.declare(tuple(numbers), (None,) * len(numbers)))
    g.add(
        Node(
            value,
            (tensor, wanted),
            lambda t: (
                f"{value.name} = tosa.reshape {tensor.name}, {wanted.name} : "
                f"({t(tensor)}, {wanted.text}) -> {t(value)}"
            ),
            run,
        )
    )
