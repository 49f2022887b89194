"""Element types as MLIR writes them, looked up in the instruction set's table of types."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import IndexType, TensorType, i64
from xdsl.ir import Attribute, SSAValue

import isa
from isa.model import ElementType
from isa.stored import STORED, StoredType


@cache
def element_type(type_: Attribute) -> ElementType | None:
    """Return the machine's element type that MLIR writes as `type_`, None if there is none."""
    spelling = str(type_)
    return next((t for t in isa.load().types.values() if t.mlir == spelling), None)


def element_type_of(value: SSAValue) -> ElementType:
    """Return the element type of a tensor, already checked to be one that the machine has."""
    assert isinstance(value.type, TensorType)
    found = element_type(value.type.get_element_type())
    assert found is not None, f"no element type: {value.type}"
    return found


@cache
def stored_type(type_: Attribute) -> StoredType | None:
    """Return the memory-only type that MLIR writes as `type_`, None if there is none."""
    return STORED.get(str(type_))


def tensor_type_of(value: SSAValue) -> ElementType | StoredType:
    """Return the element type of a tensor: a type of the machine, or a memory-only type."""
    assert isinstance(value.type, TensorType)
    return stored_type(value.type.get_element_type()) or element_type_of(value)


def element_name(value: SSAValue) -> str:
    """Return how MLIR writes the element type of a tensor that `tensor_type_of` takes."""
    return tensor_type_of(value).mlir


def package_type(value: SSAValue) -> str:
    """Return the element type of a tensor in a package; an index is an i64 there."""
    assert isinstance(value.type, TensorType)
    element = value.type.get_element_type()
    if isinstance(element, IndexType) or element == i64:
        return "i64"
    return element_type_of(value).name


def spellings(*kinds: str) -> tuple[str, ...]:
    """Return how MLIR writes the element types of these kinds; of all kinds if none is given."""
    types = isa.load().types.values()
    return tuple(t.mlir for t in types if not kinds or t.kind in kinds)


def computed_floats() -> tuple[str, ...]:
    """Return how MLIR writes floats with arithmetic; other floats are only stored and cast."""
    loaded = isa.load()
    floats = (t for t in loaded.types.values() if t.kind == "float")
    return tuple(t.mlir for t in floats if f"add.{t.name}" in loaded.instructions)


def width(spelling: str) -> int:
    """Return the number of bits of the element type that MLIR writes as `spelling`."""
    return next(t.bits for t in isa.load().types.values() if t.mlir == spelling)
