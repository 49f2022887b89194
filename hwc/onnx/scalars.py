"""Scalar functions in MLIR: how one point of an element-wise operator is computed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from hwc.onnx.node import Lowered, Node


class Scalars:
    """Writes the operations of one function, line by line; values are names such as `%3`.

    Floats are computed in f32, whatever the operator's type: an ONNX operator rounds once, to its
    own type.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, operation: str, operands: str, types: str) -> str:
        """Write an operation with one result."""
        result = f"%{len(self.lines)}"
        self.lines.append(f"{result} = {operation} {operands} : {types}")
        return result

    def f32(self, operation: str, *operands: str | float) -> str:
        """Write an operation on f32; a number is a constant."""
        values = [self.number(v) if isinstance(v, int | float) else v for v in operands]
        return self.add(operation, ", ".join(values), "f32")

    def number(self, value: float) -> str:
        """Write the f32 constant nearest to a number."""
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        return self.add("arith.constant", f"0x{bits:08X}", "f32")

    def compared(self, relation: str, left: str | float, right: str | float) -> str:
        """Write an f32 comparison, such as `olt`; its result is i1."""
        values = [self.number(v) if isinstance(v, int | float) else v for v in (left, right)]
        return self.add("arith.cmpf", f"{relation}, {', '.join(values)}", "f32")

    def chosen(self, condition: str, left: str | float, right: str | float) -> str:
        """Write a select between f32 values."""
        values = [self.number(v) if isinstance(v, int | float) else v for v in (left, right)]
        return self.add("arith.select", f"{condition}, {', '.join(values)}", "f32")

    def integer(self, operation: str, type_: str, *operands: str | int) -> str:
        """Write an operation on integers of one type; a number is a constant."""
        values = [
            self.add("arith.constant", str(v), type_) if isinstance(v, int) else v for v in operands
        ]
        return self.add(operation, ", ".join(values), type_)

    def clamped(self, value: str, low: float, high: float) -> str:
        """Write a clamp of an f32, first to the lower bound and then to the upper."""
        return self.f32("arith.minimumf", self.f32("arith.maximumf", value, low), high)

    def softplus(self, value: str) -> str:
        """Write log(1 + exp(x)), without an exp that overflows."""
        small = self.f32("math.exp", self.f32("arith.negf", self.f32("math.absf", value)))
        rest = self.f32("math.log1p", small)
        return self.f32("arith.addf", self.f32("arith.maximumf", value, 0.0), rest)

    def widened(self, value: str, type_: str) -> str:
        """Return a float as f32."""
        return value if type_ == "f32" else self.add("arith.extf", value, f"{type_} to f32")

    def narrowed(self, value: str, type_: str) -> str:
        """Return an f32 in a float type."""
        return value if type_ == "f32" else self.add("arith.truncf", value, f"f32 to {type_}")


def function(name: str, inputs: list[str], result: str, write: Callable[..., str]) -> str:
    """Return the text of a private function; `write` gets the writer and the arguments."""
    scalars = Scalars()
    arguments = [f"%a{i}" for i in range(len(inputs))]
    value = write(scalars, *arguments)
    declared = ", ".join(f"{a}: {type_}" for a, type_ in zip(arguments, inputs, strict=True))
    body = "".join(f"  {line}\n" for line in [*scalars.lines, f"return {value} : {result}"])
    return f"func.func private @{name}({declared}) -> {result} {{\n{body}}}\n"


def custom(node: Node, write: Callable[..., str], inputs: Sequence[int] | None = None) -> Lowered:
    """Return a node as a function of `inputs`, or of all; `write` computes in their own types."""
    used = tuple(range(len(node.types))) if inputs is None else tuple(inputs)
    types = [type_ for type_ in (node.types[i] for i in used) if type_ is not None]
    assert len(types) == len(used)
    name = f"onnx.{node.operator}"
    return Lowered(name, used, function(name, types, node.result, write))


def in_f32(write: Callable[..., str], inputs: list[str], result: str) -> Callable[..., str]:
    """Return an f32 function as a function on other float types that rounds once."""

    def converted(scalars: Scalars, *arguments: str) -> str:
        wide = [scalars.widened(a, type_) for a, type_ in zip(arguments, inputs, strict=True)]
        return scalars.narrowed(write(scalars, *wide), result)

    return converted
