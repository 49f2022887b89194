"""An ONNX node as the rule of its operator sees it, and what the rule returns for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from hwc.models.graph import Size

Array = NDArray[Any]


@dataclass(frozen=True)
class Node:
    """What the rules need to know about a node.

    `types`, `ranks`, `sizes` and `values` describe its inputs. A type is None if the input is
    omitted, sizes are empty if they are not known, and a value is None unless it is known at
    compile time.
    """

    operator: str
    version: int
    attributes: Mapping[str, Any]
    types: tuple[str | None, ...]
    ranks: tuple[int, ...]
    values: tuple[Array | None, ...]
    result: str
    results: int = 1
    sizes: tuple[Sequence[Size | None], ...] = ()

    def number(self, name: str, default: float) -> float:
        """Return a numeric attribute."""
        return float(self.attributes.get(name, default))

    def has(self, number: int) -> bool:
        """Whether an optional input is given."""
        return number < len(self.types) and self.types[number] is not None

    def type_of(self, number: int) -> str:
        """Return the element type of an input that is given."""
        type_ = self.types[number]
        assert type_ is not None
        return type_


@dataclass(frozen=True)
class Axis:
    """The size of dimension `number` of a reshape's operand, or else of the node's input `of`."""

    number: int
    of: int | None = None


ShapeSize: TypeAlias = int | Axis | tuple[Axis, ...]
"""A size of a shape: a number, the size of a dimension, or the product of the sizes of several."""


@dataclass(frozen=True)
class Lowered:
    """A node in a region: a TOSA operator, or a scalar function.

    `inputs` are its operands, in order: numbers of the node's inputs, or operations that come
    first, whose element types are their `type`. `text` defines the function `name`, and is '' for a
    TOSA operator. `shape` is the shape that a reshape gives its operand: each size is a number, one
    of which may be -1, the size of a dimension, or a product of some.
    """

    name: str
    inputs: tuple[int | Lowered, ...]
    text: str = ""
    shape: tuple[ShapeSize, ...] = ()
    type: str = ""

    @property
    def reads(self) -> tuple[int, ...]:
        """The numbers of the inputs of which something is read, without duplicates."""
        own = (axis.of for axis in self.shape if isinstance(axis, Axis) and axis.of is not None)
        parts = (part.reads if isinstance(part, Lowered) else (part,) for part in self.inputs)
        return tuple(dict.fromkeys((*(n for part in parts for n in part), *own)))
