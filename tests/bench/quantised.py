"""Quantised programs, written out: their arguments have other shapes than their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = 1518500249
_FLAGS = (
    "scale32 = true, rounding_mode = SINGLE_ROUND, input_unsigned = false, output_unsigned = false"
)


@dataclass(frozen=True)
class Quantised:
    """A program, and what it takes.

    `arguments` are the element type and the sizes of each, numbers or names of `sizes`; `limits`
    has the numbers of an argument that not all of its type's may be.
    """

    name: str
    arguments: tuple[tuple[str, tuple[int | str, ...]], ...]
    result: str
    body: tuple[str, ...]
    sizes: Mapping[str, int]
    limits: Mapping[int, tuple[int, int]]

    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the arguments."""
        return [
            tuple(self.sizes[d] if isinstance(d, str) else d for d in dims)
            for _, dims in self.arguments
        ]

    def text(self) -> str:
        """Return the program as MLIR text, with every named size dynamic."""
        types = [
            f"tensor<{''.join(f'{d}x' if isinstance(d, int) else '?x' for d in dims)}{kind}>"
            for kind, dims in self.arguments
        ]
        arguments = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(types))
        lines = "".join(f"  {line}\n" for line in (*_CONSTANTS, *self.body))
        result = f"tensor<?x?x{self.result}>"
        return f"func.func @main({arguments}) -> {result} {{\n{lines}  return %r : {result}\n}}\n"

    def arrays(self, shapes: list[tuple[int, ...]], seed: int = 0) -> list[NDArray[Any]]:
        """Return random arguments of these shapes."""
        rng = np.random.default_rng(seed)
        return [
            rng.integers(*self._limits(i), shape).astype(_dtype(kind))
            for i, ((kind, _), shape) in enumerate(zip(self.arguments, shapes, strict=True))
        ]

    def _limits(self, argument: int) -> tuple[int, int]:
        info = np.iinfo(_dtype(self.arguments[argument][0]))
        return self.limits.get(argument, (int(info.min), int(info.max) + 1))


def _dtype(kind: str) -> np.dtype[Any]:
    return np.dtype(f"int{kind[1:]}")


def _constant(name: str, value: int, kind: str) -> str:
    type_ = f"tensor<1x{kind}>"
    return f'%{name} = "tosa.const"() {{values = dense<{value}> : {type_}}} : () -> {type_}'


# To the scale of the sum and down again, as converters write it for an int8 model.
_CONSTANTS = (
    _constant("m", MULTIPLIER, "i32"),
    _constant("up", 20, "i8"),
    _constant("down", 41, "i8"),
    _constant("p", -5, "i8"),
    _constant("z", 0, "i32"),
)
_I8, _ROW, _I32 = "tensor<?x?xi8>", "tensor<1x?xi8>", "tensor<?x?xi32>"


def _rescale(of: str, source: str, result: str, scale: str = "", per_channel: bool = False) -> str:
    """Write a rescale up or down, by its types, or by the multiplier and shift of `scale`."""
    down = source.endswith("i32>")
    points, kinds = ("%z, %p", ("i32", "i8")) if down else ("%p, %z", ("i8", "i32"))
    parameters = scale or f"%m, %{'down' if down else 'up'}"
    count = "?" if per_channel else "1"
    types = f"{source}, tensor<{count}xi32>, tensor<{count}xi8>, " + ", ".join(
        f"tensor<1x{kind}>" for kind in kinds
    )
    flags = f"{_FLAGS}, per_channel = {str(per_channel).lower()}"
    return f"tosa.rescale {of}, {parameters}, {points} {{{flags}}} : ({types}) -> {result}"


def _sum(second: str) -> tuple[str, ...]:
    wide = _I32 if second == _I8 else "tensor<1x?xi32>"
    return (
        f"%x = {_rescale('%a0', _I8, _I32)}",
        f"%y = {_rescale('%a1', second, wide)}",
        f"%s = tosa.add %x, %y : ({_I32}, {wide}) -> {_I32}",
        f"%c = tosa.clamp %s {{min_val = -150000 : i32, max_val = 190000 : i32}} : "
        f"({_I32}) -> {_I32}",
    )


def programs(sizes: Mapping[str, int]) -> tuple[Quantised, ...]:
    """Return the programs for sizes n and d."""
    full = ("n", "d")
    table = ("i8", (256,))
    return (
        Quantised("rescale", (("i32", full),), "i8",
                  (f"%r = {_rescale('%a0', _I32, _I8)}",), sizes, {}),
        Quantised("rescale, channels", (("i32", full), ("i32", ("d",)), ("i8", ("d",))), "i8",
                  (f"%r = {_rescale('%a0', _I32, _I8, '%a1, %a2', per_channel=True)}",), sizes,
                  {1: (1 << 30, 1 << 31), 2: (32, 48)}),
        Quantised("quantised sum", (("i8", full), ("i8", full)), "i8",
                  (*_sum(_I8), f"%r = {_rescale('%c', _I32, _I8)}"), sizes, {}),
        Quantised("quantised, table", (("i8", full), ("i8", (1, "d")), table), "i8",
                  (*_sum(_ROW), f"%q = {_rescale('%c', _I32, _I8)}",
                   f"%r = tosa.table %q, %a2 : ({_I8}, tensor<256xi8>) -> {_I8}"), sizes, {}),
        Quantised("table, i16", (("i16", full), ("i16", (513,))), "i32",
                  ("%r = tosa.table %a0, %a1 : (tensor<?x?xi16>, tensor<513xi16>) -> "
                   "tensor<?x?xi32>",), sizes, {}),
    )  # fmt: skip
