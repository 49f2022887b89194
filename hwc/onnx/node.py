"""An ONNX node as the rule of its operator sees it, and what the rule returns for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Node:
    """What the rules need to know about a node.

    `types`, `ranks` and `values` describe its inputs. A type is None if the input is omitted; a
    value is None unless it is known at compile time.
    """

    operator: str
    version: int
    attributes: Mapping[str, Any]
    types: tuple[str | None, ...]
    ranks: tuple[int, ...]
    values: tuple[Array | None, ...]
    result: str
    results: int = 1

    def number(self, name: str, default: float) -> float:
        """Return a numeric attribute."""
        return float(self.attributes.get(name, default))


@dataclass(frozen=True)
class Axis:
    """The size of dimension `number` of a reshape's input."""

    number: int


@dataclass(frozen=True)
class Lowered:
    """A node in a region: a TOSA operator, or a scalar function.

    `inputs` are the numbers of the inputs that it reads, in order. `text` defines the function
    `name`, and is '' for a TOSA operator. `shape` is the shape that a reshape gives its input: each
    size is a number, one of which may be -1, or the size of a dimension of the input.
    """

    name: str
    inputs: tuple[int, ...]
    text: str = ""
    shape: tuple[int | Axis, ...] = ()
