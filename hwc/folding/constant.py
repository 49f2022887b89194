"""Known tensors as the bits of their elements; repeated elements are stored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute


@dataclass(frozen=True, eq=False)
class Constant:
    """A tensor of `sizes`; along a dimension in which `elements` has size 1, its elements repeat.

    Elements are bits as xDSL stores them: a true i1 has all 8 bits set.
    """

    element: Attribute
    sizes: tuple[int, ...]
    elements: NDArray[np.unsignedinteger[Any]]

    @staticmethod
    def of(attribute: DenseIntOrFPElementsAttr) -> Constant:
        """Read a constant of the IR; a single stored element stands for all."""
        element, sizes = attribute.get_element_type(), attribute.get_shape()
        elements = np.frombuffer(attribute.data.data, f"<u{element.compile_time_size}")
        stored = sizes if elements.size != 1 else (1,) * len(sizes)
        return Constant(element, sizes, elements.reshape(stored))

    def attribute(self) -> DenseIntOrFPElementsAttr:
        """Return the constant of the IR; an element that is stored once for all stays single."""
        count, elements = prod(self.sizes), self.elements
        if elements.size != 1 or not count:
            elements = np.broadcast_to(elements, self.sizes)
        type_ = cast("Any", TensorType(self.element, self.sizes))
        return DenseIntOrFPElementsAttr(type_, BytesAttr(elements.tobytes()))

    def broadcast(self, sizes: Sequence[int]) -> Constant:
        """Return the constant as a view of `sizes`; its own sizes broadcast to `sizes`."""
        added = len(sizes) - len(self.sizes)
        return Constant(
            self.element, tuple(sizes), self.elements.reshape((1,) * added + self.elements.shape)
        )

    def reshaped(self, sizes: Sequence[int]) -> Constant | None:
        """Return the constant with other sizes for its elements, None if that would copy."""
        if self.elements.size == 1:
            return Constant(self.element, tuple(sizes), self.elements.reshape((1,) * len(sizes)))
        if self.elements.shape != self.sizes:
            return None
        return Constant(self.element, tuple(sizes), self.elements.reshape(sizes))


def scalar_of(data: bytes, element: Attribute) -> IntegerAttr | FloatAttr | None:
    """Return the number of type `element` whose bits, as xDSL stores them, are `data`.

    Return None for a signalling NaN: the IR holds a float as a number, which would become another
    NaN.
    """
    assert isinstance(element, IntegerType | AnyFloat)
    (number,) = element.unpack(data, 1)
    if isinstance(element, IntegerType):
        return IntegerAttr(int(number), element)
    scalar = FloatAttr(float(number), element)
    return scalar if scalar.type.pack([scalar.value.data]) == data else None
