"""Which types of tensors hwc supports, and what is wrong with the others."""

from __future__ import annotations

import math
from functools import lru_cache

from xdsl.dialects.builtin import (
    MemRefType,
    NoneAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

import isa
from hwc.dialects.element_types import element_type, spellings, stored_type
from hwc.frontend.unsupported import BUFFER, VECTOR
from isa.stored import STORED

_TYPE_ADVICE = {
    "f64": "TOSA has no f64; use f32",
    "i4": "cast to i8 outside: only identity and reshape have i4",
    "i48": "use i32: only identity, reshape and the input of rescale have i48",
    "i64": "TOSA has no i64 arithmetic; use i32",
    "index": "use i32",
}

_OTHER_KINDS = {VectorType: VECTOR, MemRefType: BUFFER, UnrankedMemRefType: BUFFER}
"""Types with elements that are not tensors: why they are not supported, and what to do."""


def type_problem(type_: Attribute, what: str, stored: bool = False) -> tuple[str, str] | None:
    """Return what is wrong with a type and what to do, or None if it is supported.

    `what` names the value of this type in the message. With `stored`, memory-only element types are
    allowed.
    """
    if isinstance(type_, UnrankedTensorType):
        return (
            f"{what} is the unranked tensor {type_}, and machine code is made for one rank",
            "give it a rank: sizes may stay dynamic, as in tensor<?x?xf32>",
        )
    for kind, (why, advice) in _OTHER_KINDS.items():
        if isinstance(type_, kind):
            return f"{what} is {type_}, which is not a tensor: {why}", advice
    if not isinstance(type_, TensorType):
        return (
            f"{what} is {type_}, which is not a tensor",
            f"operands and results are tensors of {', '.join(spellings())}",
        )
    if not isinstance(type_.encoding, NoneAttr):
        return f"{what} is {type_}, a tensor with an encoding", "remove the encoding"
    in_memory = stored and stored_type(type_.get_element_type()) is not None
    if element_type(type_.get_element_type()) is None and not in_memory:
        element = str(type_.get_element_type())
        signed = element.startswith(("si", "ui"))
        other = "write integer types without a sign" if signed else "convert it outside"
        advice = _TYPE_ADVICE.get(element, other)
        supported = ", ".join((*spellings(), *(STORED if stored else ())))
        return (
            f"{what} has element type {element}, which is not supported; supported are {supported}",
            advice,
        )
    shape, limits = type_.get_shape(), isa.load().limits
    if len(shape) > limits.rank_max:
        return (
            f"{what} has rank {len(shape)}; the largest rank is {limits.rank_max}",
            "reshape it outside",
        )
    if math.prod(max(size, 1) for size in shape) >= limits.size_limit and 0 not in shape:
        return f"{what} has more than {limits.size_limit - 1} elements", "split it outside"
    if (largest := max(shape, default=0)) >= limits.size_limit:  # beside a 0
        return (
            f"{what} has a size of {largest}, expected {limits.size_limit - 1} at most",
            "split it outside",
        )
    return None


def is_machine_tensor(type_: Attribute) -> bool:
    """Whether a type is a tensor whose elements the machine can read."""
    return isinstance(type_, TensorType) and element_type(type_.get_element_type()) is not None


@lru_cache(maxsize=1024)  # most tensors of a program have one of a few types
def is_supported(type_: Attribute, stored: bool = False) -> bool:
    """Whether `type_problem` finds nothing wrong with a type."""
    return type_problem(type_, "", stored) is None
