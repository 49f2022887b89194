"""Writes a TOSA function on tensors with static sizes, in MLIR's generic syntax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_ELEMENTS = {"float32": "f32", "int32": "i32", "int8": "i8"}


@dataclass(frozen=True)
class Value:
    """A tensor of a function: its name, sizes and element type."""

    name: str
    sizes: tuple[int, ...]
    element: str = "f32"

    @property
    def type(self) -> str:
        """The type in MLIR."""
        return f"tensor<{''.join(f'{size}x' for size in self.sizes)}{self.element}>"


class Function:
    """A function that is written one operator at a time.

    Operands of element-wise operators have the same rank; sizes of 1 broadcast.
    """

    def __init__(self, arguments: Sequence[Value]) -> None:
        self.arguments = [
            Value(f"%arg{i}", each.sizes, each.element) for i, each in enumerate(arguments)
        ]
        self._lines: list[str] = []

    def text(self, name: str, result: Value) -> str:
        """Return the text of the private function `name`, which returns `result`."""
        declared = ", ".join(f"{each.name}: {each.type}" for each in self.arguments)
        body = "".join(f"  {line}\n" for line in self._lines)
        return (
            f"func.func private @{name}({declared}) -> {result.type} {{\n{body}"
            f"  return {result.name} : {result.type}\n}}\n"
        )

    def operator(
        self,
        name: str,
        operands: Sequence[Value],
        sizes: Sequence[int],
        attributes: str = "",
        element: str = "f32",
        shapes: Sequence[Sequence[int]] = (),
    ) -> Value:
        """Write any operator with one result; `shapes` are shape operands after the tensors."""
        names = [each.name for each in operands]
        types = [each.type for each in operands]
        for shape in shapes:
            type_ = f"!tosa.shape<{len(shape)}>"
            data = f"dense<{[*shape]}> : tensor<{len(shape)}xindex>"
            names.append(self._line(f'"tosa.const_shape"() <{{values = {data}}}> : () -> {type_}'))
            types.append(type_)
        result = Value("", tuple(sizes), element)
        given = f" <{{{attributes}}}>" if attributes else ""
        line = f'"tosa.{name}"({", ".join(names)}){given} : ({", ".join(types)}) -> {result.type}'
        return Value(self._line(line), result.sizes, element)

    def constant(self, array: Array) -> Value:
        """Write a constant with elements of f32, i32 or i8."""
        element = _ELEMENTS[array.dtype.name]
        data = array.astype(array.dtype.newbyteorder("<")).tobytes().hex().upper()
        result = Value("", array.shape, element)
        attributes = f'values = dense<"0x{data}"> : {result.type}'
        return self.operator("const", (), array.shape, attributes, element)

    def number(self, value: float, rank: int) -> Value:
        """Write a constant with a single f32 element."""
        return self.constant(np.full((1,) * rank, value, np.float32))

    def computed(self, name: str, *operands: Value | float, element: str = "f32") -> Value:
        """Write an element-wise operator; a number becomes an f32 constant."""
        rank = next(len(each.sizes) for each in operands if isinstance(each, Value))
        given = [e if isinstance(e, Value) else self.number(e, rank) for e in operands]
        sizes = np.broadcast_shapes(*(each.sizes for each in given))
        if name == "mul":  # its last operand is a shift
            given.append(self.constant(np.zeros(1, np.int8)))
        return self.operator(name, given, sizes, element=element)

    def reshaped(self, value: Value, sizes: Sequence[int]) -> Value:
        """Write a reshape."""
        assert prod(value.sizes) == prod(sizes)
        return self.operator("reshape", [value], sizes, element=value.element, shapes=[sizes])

    def sliced(self, value: Value, start: Sequence[int], sizes: Sequence[int]) -> Value:
        """Write a slice."""
        return self.operator("slice", [value], sizes, element=value.element, shapes=[start, sizes])

    def gathered(self, value: Value, indices: Value) -> Value:
        """Write a gather from 1 x N x C elements by 1 x M i32 indices; the result is 1 x M x C."""
        sizes = (1, indices.sizes[1], value.sizes[2])
        return self.operator("gather", [value, indices], sizes)

    def joined(self, values: Sequence[Value], axis: int) -> Value:
        """Write a concatenation along an axis."""
        sizes = list(values[0].sizes)
        sizes[axis] = sum(each.sizes[axis] for each in values)
        return self.operator("concat", values, sizes, f"axis = {axis} : i32")

    def reduced(self, name: str, value: Value, axis: int) -> Value:
        """Write a reduction of an axis to size 1."""
        sizes = [1 if i == axis else size for i, size in enumerate(value.sizes)]
        return self.operator(name, [value], sizes, f"axis = {axis} : i32")

    def _line(self, text: str) -> str:
        name = f"%{len(self._lines)}"
        self._lines.append(f"{name} = {text}")
        return name
