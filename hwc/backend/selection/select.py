"""Instruction selection: expands scalar operations according to the table of rules."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation

import isa
from hwc.backend.selection.emitter import (
    BlockEmitter,
    Constant,
    Emitter,
    NameEmitter,
    NoInstructionError,
    Operand,
    Traced,
    Unknown,
    Value,
)
from hwc.backend.selection.expansion import Scalar
from hwc.backend.selection.rules import RULES
from hwc.dialects.element_types import element_type, spellings
from hwc.dialects.upstream_casts import ROUNDING_MODES
from hwc.frontend.diagnostics import error_at

MAX_TEMPORARIES = 3
"""The registers that expanding a scalar operation needs besides its operands' registers."""

RELATIONS: Mapping[str, Sequence[str]] = {
    "arith.cmpi": arith.CMPI_COMPARISON_OPERATIONS,
    "arith.cmpf": arith.CMPF_COMPARISON_OPERATIONS,
}
"""The relations of each comparison, in the order of MLIR's numbers for them."""


def check_types(op: Operation) -> None:
    """Check that the machine has a scalar operation on its types.

    Raises:
        LocatedError: names the operation, and the type or operation that is missing.
    """
    if op.name not in RULES and not isinstance(op, arith.ConstantOp):
        raise error_at(op, f"'{op.name}' has no instruction on this machine")
    for value in (*op.operands, *op.results):
        if element_type(value.type) is None:
            raise error_at(
                op,
                f"'{op.name}' has a value of type {value.type}",
                f"the machine has {', '.join(spellings())}",
            )
    if isinstance(op, arith.ConstantOp):
        return
    mode = op.properties.get("roundingmode")
    if mode is not None and mode != StringAttr(ROUNDING_MODES[0]):
        raise error_at(op, f"'{op.name}' rounds {mode}", "the machine rounds to_nearest_even")
    scalar = _scalar(op)
    try:
        instructions_of(scalar, (False,) * len(op.operands))
    except NoInstructionError:
        types = " to ".join(dict.fromkeys((scalar.operand.mlir, scalar.result.mlir)))
        raise error_at(op, f"'{op.name}' on {types} has no instruction on this machine") from None


def expand(emitter: BlockEmitter, op: Operation, operands: Sequence[Operand]) -> Operand:
    """Append the instructions of `op` and return its value; `check_types` has accepted `op`."""
    value = value_of(emitter, op, operands)
    assert not isinstance(value, Unknown | Traced)
    return value


def value_of(emitter: Emitter, op: Operation, operands: Sequence[Value]) -> Value:
    """Pass the instructions of `op` to an emitter and return the value of `op`.

    `check_types` has accepted `op`.
    """
    if isinstance(op, arith.ConstantOp):
        return _constant(op.value)
    scalar = _scalar(op)
    return RULES[op.name].expansions[scalar.operand.kind](emitter, scalar, list(operands))


def words_of(op: Operation) -> int:
    """Return the maximum words of `op`, over all types and all relations of a comparison.

    Fusion plans with this bound, so that a plan does not depend on types and relations.
    """
    if isinstance(op, arith.ConstantOp):
        return 0
    constants = sum(isinstance(v.owner, arith.ConstantOp) for v in op.operands)
    return most_words(op.name, len(op.operands), constants)


def is_slow(op: Operation) -> bool:
    """Whether `op` has an instruction whose unit takes less than one point per lane and cycle."""
    if isinstance(op, arith.ConstantOp):
        return False
    names = instructions_of(_scalar(op), (False,) * len(op.operands))
    return any(is_special(name) for name in names)


def scalars_of(name: str) -> Iterator[Scalar]:
    """Yield the operation called `name` for all types and relations that its rule covers."""
    rule = RULES[name]
    types = isa.load().types.values()
    for operand in types:
        if operand.kind in rule.expansions:
            results = [t for t in types if t.kind in rule.results] if rule.results else [operand]
            for result, relation in product(results, RELATIONS.get(name, ("",))):
                yield Scalar(name, operand, result, relation)


@cache
def instructions_of(scalar: Scalar, constants: tuple[bool, ...]) -> tuple[str, ...]:
    """Return the names of the instructions that an operation becomes.

    For each operand, `constants` says whether it is a constant; constants are assumed to differ
    from each other and from the rule's constants.

    Raises:
        NoInstructionError: the machine has no instructions for the operation on these types.
    """
    rule = RULES[scalar.name]
    fits = not rule.results or scalar.result.kind in rule.results
    if scalar.operand.kind not in rule.expansions or not fits:
        raise NoInstructionError
    emitter = NameEmitter()
    operands: list[Value] = [
        Constant(_UNLIKE_ANY + i) if constant else Unknown() for i, constant in enumerate(constants)
    ]
    rule.expansions[scalar.operand.kind](emitter, scalar, operands)
    return tuple(emitter.names)


_UNLIKE_ANY = 0x5A5A5A50
"""Bits that no rule uses as a constant."""


@cache
def most_words(name: str, operands: int, constants: int) -> int:
    """Return the maximum words of an operation with at most `constants` constant operands."""
    patterns = [p for p in product((False, True), repeat=operands) if sum(p) <= constants]
    most = 0
    for scalar, pattern in product(scalars_of(name), patterns):
        try:
            most = max(most, len(instructions_of(scalar, pattern)))
        except NoInstructionError:  # the rule covers the kind, but the machine lacks this type
            continue
    return most


@cache
def is_special(instruction: str) -> bool:
    """Whether the port of the special functions issues an instruction."""
    unit = isa.load().instructions[instruction].unit
    assert unit is not None
    return isa.load().units[unit].special


def _scalar(op: Operation) -> Scalar:
    """Describe an operation whose types are all element types."""
    relation = ""
    if op.name in RELATIONS:
        predicate = op.properties["predicate"]
        assert isinstance(predicate, IntegerAttr)
        relation = RELATIONS[op.name][predicate.value.data]
    operand, result = element_type(op.operands[-1].type), element_type(op.results[0].type)
    assert operand is not None
    assert result is not None
    return Scalar(op.name, operand, result, relation)


def _constant(value: Attribute) -> Constant:
    if isinstance(value, FloatAttr):  # a lane holds a float of any format as f32
        return Constant(struct.unpack("<I", struct.pack("<f", value.value.data))[0])
    assert isinstance(value, IntegerAttr)
    type_ = element_type(value.type)
    mask = 1 if type_ is not None and type_.kind == "boolean" else 0xFFFFFFFF
    return Constant(value.value.data & mask)
