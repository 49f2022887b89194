"""Words of instructions and their fields: the formats of formats.yaml as `bitstring` patterns."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import bitstring

from isa.errors import AssemblyError, DecodeError
from isa.load import load
from isa.model import Field, Format, Instruction
from isa.operands import operand_text

_DEFAULTS = {"immediate": 0, "copies": 1}
"""Default values of fields, by kind of field."""


@dataclass(frozen=True)
class Decoded:
    """An instruction word taken apart.

    `fields` holds the fields that the instruction uses, without the opcode, as unsigned integers:
    operand codes for `dst`, `a`, `b`, `c`; the type's code for `type`; `imm` always for vector
    instructions, 0 if no operand is the immediate. `encode(name, **fields)` returns the same word.
    """

    name: str
    fields: Mapping[str, int]

    @property
    def instruction(self) -> Instruction:
        """The instruction's entry in the instruction set."""
        return load().instructions[self.name]

    @property
    def sources(self) -> tuple[int, ...]:
        """Operand codes in operand order; empty for control instructions."""
        return tuple(self.fields[name] for name in self.instruction.operands)


def encode(name: str, **fields: int | str) -> int:
    """The 64-bit word of an instruction with the given fields.

    Every field that the instruction uses is needed, except `copies`, which is 1 if not given, and
    `imm`, which is 0 if not given and may be negative. `type` may be the type's name. Raises
    AssemblyError if the instruction or a field is unknown, or if a field is missing or cannot hold
    its value.
    """
    return _encode(name, tuple(sorted(fields.items())))


@functools.lru_cache(maxsize=1 << 16)
def _encode(name: str, given: tuple[tuple[str, Any], ...]) -> int:
    isa = load()
    instruction = isa.instructions.get(name)
    if instruction is None:
        raise AssemblyError(f"unknown instruction '{name}'")
    fields = dict(given)
    values = {"opcode": instruction.opcode}
    for field in used_fields(instruction):
        if field.kind in _DEFAULTS:
            fields.setdefault(field.name, _DEFAULTS[field.kind])
        if field.name not in fields:
            raise AssemblyError(f"{name}: field '{field.name}' is missing: {field.meaning}")
        values[field.name] = _value(name, field, fields.pop(field.name))
    if fields:
        raise AssemblyError(f"{name}: has no field {', '.join(repr(f) for f in fields)}")
    format_ = isa.formats[instruction.format]
    word: int = bitstring.pack(_pattern(format_), **_zero_filled(format_, values)).uint
    problem = _problem(instruction, values)
    if problem is not None:
        raise AssemblyError(f"{name}: {problem[1]}")
    return word


@functools.lru_cache(maxsize=1 << 16)
def decode(word: int) -> Decoded:
    """The instruction in a 64-bit word.

    Raises DecodeError with fault `illegal_instruction` (unassigned opcode; a bit set in a reserved
    or unused field) or else `illegal_operand` (a field with an illegal value). Whatever depends on
    the target, the packet or neighbouring words is not checked here.
    """
    isa = load()
    assert 0 <= word < 1 << isa.word_bits, f"not a {isa.word_bits}-bit word: {word}"
    instruction = isa.by_opcode.get(word & 0xFF)
    if instruction is None:
        raise DecodeError("illegal_instruction", f"{word:#018x}: no opcode {word & 0xFF:#04x}")
    format_ = isa.formats[instruction.format]
    if word & format_.reserved(isa.word_bits):
        raise DecodeError(
            "illegal_instruction", f"{word:#018x}: {instruction.name}: a reserved bit is not 0"
        )
    bits = bitstring.Bits(uint=word, length=isa.word_bits)
    named = (field for _, field in _layout(format_) if field is not None)
    unpacked: list[Any] = bits.unpack(_pattern(format_, names=False))
    # `unpack` returns nothing for the padding, so values and fields pair off in order.
    values: dict[str, int] = {f.name: v for f, v in zip(named, unpacked, strict=True)}
    problem = _problem(instruction, values)
    if problem is not None:
        raise DecodeError(problem[0], f"{word:#018x}: {instruction.name}: {problem[1]}")
    used = {f.name: values[f.name] for f in used_fields(instruction)}
    return Decoded(instruction.name, MappingProxyType(used))


@functools.cache
def used_fields(instruction: Instruction) -> tuple[Field, ...]:
    """Fields that an instruction uses, from the least significant, without the opcode."""
    return tuple(
        f
        for f in load().formats[instruction.format].fields
        if f.kind != "opcode" and (f.kind != "source" or f.name in instruction.operands)
    )


def has_immediate(values: Mapping[str, int], instruction: Instruction) -> bool:
    """Whether an operand of the word is its immediate."""
    code = load().operands["immediate"].first
    return any(values[name] == code for name in instruction.operands)


def _value(name: str, field: Field, given: Any) -> int:
    if field.kind == "type" and isinstance(given, str):
        types = load().types
        if given not in types:
            raise AssemblyError(f"{name}: unknown type '{given}'; known: {', '.join(types)}")
        return types[given].code
    value = operator.index(given)
    low = -(1 << (field.width - 1)) if field.kind == "immediate" else 0
    high = (1 << field.width) - 1
    if not low <= value <= high:
        raise AssemblyError(
            f"{name}: field '{field.name}' is {value}; allowed: {low} to {high} ({field.meaning})"
        )
    return value & high


def _problem(instruction: Instruction, values: Mapping[str, int]) -> tuple[str, str] | None:
    """Fault and text if the fields do not make a legal word; unused bits come first."""
    isa = load()
    format_ = isa.formats[instruction.format]
    for field in format_.fields:
        value = values.get(field.name, 0)
        if field.kind == "source" and field.name not in instruction.operands and value:
            return "illegal_instruction", f"unused operand '{field.name}' is {value}, must be 0"
        if field.kind == "immediate" and value and not has_immediate(values, instruction):
            return (
                "illegal_instruction",
                f"'{field.name}' is {value:#x} but no operand is the immediate",
            )
    for field in used_fields(instruction):
        value = values[field.name]
        kind = isa.kinds[field.kind]
        allowed = kind.operands
        if field.kind == "destination":
            allowed = isa.destinations(instruction)
        cls = isa.operand_class(value) if allowed else None
        if allowed and (cls is None or cls.name not in allowed):
            text = operand_text(value) if cls else f"code {value}"
            meanings = " or ".join(isa.operands[a].meaning for a in allowed)
            return "illegal_operand", f"'{field.name}' is {text}; allowed: {meanings}"
        if kind.values and value not in kind.values:
            return "illegal_operand", f"'{field.name}' is {value}; allowed: {kind.meaning}"
        if field.kind == "type" and value not in isa.types_by_code:
            return "illegal_operand", f"'{field.name}' is {value}; allowed: {', '.join(isa.types)}"
        if field.kind == "rank" and value > isa.limits.rank_max:
            return (
                "illegal_operand",
                f"'{field.name}' is {value}; allowed: 0 to {isa.limits.rank_max}",
            )
    return None


@functools.cache
def _layout(format_: Format) -> tuple[tuple[int, Field | None], ...]:
    """Widths of fields, and of reserved bits (None), from the most significant bit down."""
    layout: list[tuple[int, Field | None]] = []
    bit = load().word_bits
    for field in reversed(format_.fields):
        if field.high + 1 < bit:
            layout.append((bit - field.high - 1, None))
        layout.append((field.width, field))
        bit = field.low
    return tuple(layout)


@functools.cache
def _pattern(format_: Format, names: bool = True) -> str:
    """The format as `bitstring` writes it, for packing by name or for unpacking."""
    return ", ".join(
        f"pad:{width}" if field is None else f"uint:{width}" + (f"={field.name}" if names else "")
        for width, field in _layout(format_)
    )


def _zero_filled(format_: Format, values: Mapping[str, int]) -> dict[str, int]:
    return {f.name: values.get(f.name, 0) for f in format_.fields}
