"""One use of a TOSA operator in a model, as the rules of the operators see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import SSAValue

from hwc.dialects.tosa_operation import KeywordAttr, TosaOperation, is_operator
from hwc.frontend.diagnostics import error_at
from hwc.models.sizes import NodeSizes, Sizes
from hwc.shapes import Size


@dataclass(frozen=True)
class Use:
    """An operator, the sizes of its tensor operands, and the writer of its rules.

    `names` are the names of the operands, and `shape_values` returns the values of an operand that
    is a shape. A size or a value is a number or a symbol.
    """

    op: TosaOperation
    names: Sequence[str]
    operands: Sequence[Sizes]
    write: NodeSizes
    shape_values: Callable[[int], Sizes]
    inferred: list[Sizes] = field(default_factory=list)
    """The sizes of the results, before they are compared with their types."""

    def refuse(self, message: str, advice: str = "") -> NoReturn:
        """Raise a located error that begins with the operator."""
        raise error_at(self.op, f"'{self.op.name}' {message}", advice)

    def rank(self, number: int, *ranks: int) -> Sizes:
        """Return the sizes of an operand; its rank has to be one of `ranks`."""
        sizes = self.operands[number]
        if len(sizes) not in ranks:
            wanted = " or ".join(map(str, ranks))
            self.refuse(
                f"has an operand {number} of rank {len(sizes)}: {self.op.operands[number].type}",
                f"operand {number} has rank {wanted}",
            )
        return sizes

    def integer(self, name: str) -> int:
        """Return an integer attribute."""
        value = self.op.arguments.get(name)
        if not isinstance(value, IntegerAttr):
            self.refuse(f"has no attribute '{name}'", f"give '{name}' an integer")
        return value.value.data

    def flag(self, name: str) -> bool:
        """Return a boolean attribute; false if left out."""
        value = self.op.arguments.get(name, BoolAttr.from_bool(False))
        if not isinstance(value, IntegerAttr):
            self.refuse(f"has {name} = {value}", f"'{name}' is true or false")
        return bool(value.value.data)

    def word(self, name: str) -> str:
        """Return an attribute that is one of a few words."""
        value = self.op.arguments.get(name)
        if not isinstance(value, KeywordAttr):
            self.refuse(f"has no attribute '{name}'", f"give '{name}' a value")
        return value.data

    def integers(self, name: str, count: int) -> tuple[int, ...]:
        """Return an attribute that lists integers."""
        value = self.op.arguments.get(name)
        values = value.get_values() if isinstance(value, DenseArrayBase) else None
        if values is None or len(values) != count:
            self.refuse(f"has {name} = {value}", f"'{name}' lists {count} integers")
        return tuple(int(each) for each in values)

    def axis(self, operand: int = 0) -> int:
        """Return the attribute `axis`, a dimension of an operand."""
        axis, rank = self.integer("axis"), len(self.operands[operand])
        if not 0 <= axis < rank:
            self.refuse(
                f"of a tensor of rank {rank} has axis = {axis}",
                "axis is the number of a dimension, from 0",
            )
        return axis

    def constants(self, number: int) -> tuple[int, ...] | None:
        """Return the integers of an operand; None if a call decides them."""
        return constant_integers(self.op.operands[number])

    def in_range(self, name: str, values: Iterable[int], low: int) -> None:
        """Require numbers of at least `low` in an attribute."""
        values = tuple(values)
        if any(value < low for value in values):
            self.refuse(f"has {name} = {list(values)}", f"each has to be at least {low}")

    def result(self, sizes: Sequence[Size], number: int = 0) -> Sizes:
        """Return the sizes of a result, after comparing them with its type."""
        self.inferred.append(tuple(sizes))
        declared = declared_sizes(self.op.results[number])
        return tuple(sizes) if declared is None else self.write.declared(sizes, declared)


Rule: TypeAlias = Callable[[Use], tuple[Sizes, ...]]
"""Writes the rules of an operator about sizes, and returns the sizes of its results.

Raises:
    LocatedError: an attribute or a rank is not allowed.
    MisfitError: no sizes of a call satisfy the operator.
"""


def declared_sizes(value: SSAValue) -> tuple[int | None, ...] | None:
    """Return the sizes in the type of a tensor, each None if only a call decides it.

    The result is None if not even the rank is known.
    """
    type_ = value.type
    if not isinstance(type_, TensorType):
        return None
    return tuple(None if size == DYNAMIC_INDEX else size for size in type_.get_shape())


def constant_integers(value: SSAValue) -> tuple[int, ...] | None:
    """Return the integers of a constant, in row-major order; None for any other value."""
    owner = value.owner
    if not is_operator(owner, "const"):
        return None
    values: Any = owner.arguments.get("values", owner.arguments.get("value"))
    if not isinstance(values, DenseIntOrFPElementsAttr):
        return None
    return tuple(int(each) for each in values.get_values())
