"""A node of an ONNX graph as the rules of its operators see it, and what they make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Node:
    """What the rules ask about a node.

    `types`, `ranks` and `values` are those of its inputs. A type is None where an input is left
    out; a value is None unless it is known at compile time.
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
        """Return an attribute that is a number."""
        return float(self.attributes.get(name, default))


@dataclass(frozen=True)
class Axis:
    """The size of dimension `number` of the input of a reshape."""

    number: int


@dataclass(frozen=True)
class Lowered:
    """A node in a region: an operator of TOSA, or a scalar function.

    `inputs` are the numbers of the inputs that it reads, in order. `text` is the definition of the
    function `name`, '' for an operator of TOSA. `shape` are the sizes that a reshape gives its
    input: each a number, of which one may be -1, or a dimension of the input.
    """

    name: str
    inputs: tuple[int, ...]
    text: str = ""
    shape: tuple[int | Axis, ...] = ()
