"""Checks beyond the schemas: names that must exist, ranges and encodings that must not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from isa.errors import IsaError
from isa.model import BITS, ElementType, Format, Instruction, Isa, Unit


def check(isa: Isa) -> None:
    """Raise IsaError at the first contradiction in the instruction set."""
    _check_operand_codes(isa)
    for format_ in isa.formats.values():
        _check_format(isa, format_)
    _check_groups(isa)
    for instruction in isa.instructions.values():
        _check_instruction(isa, instruction)
    check_encodings(isa)
    for unit in isa.units.values():
        _check_unit(isa, unit)
    for type_ in isa.types.values():
        _check_type(type_)
    _check_unique("element type", ((t.name, t.code) for t in isa.types.values()))
    _check_unique("fault", ((f.name, f.code) for f in isa.faults.values()))


def check_encodings(isa: Isa) -> None:
    """Raise IsaError if a word could be two instructions, whatever their formats."""
    for first, second in combinations(isa.instructions.values(), 2):
        first_mask, first_bits = fixed_bits(isa, first)
        second_mask, second_bits = fixed_bits(isa, second)
        if (first_bits ^ second_bits) & first_mask & second_mask == 0:
            raise IsaError(
                f"'{first.name}' ({first.group}) and '{second.name}' ({second.group}) overlap: "
                f"the word {first_bits | second_bits:#018x} would be both"
            )


def fixed_bits(isa: Isa, instruction: Instruction) -> tuple[int, int]:
    """Mask and value of the bits that every word of an instruction has in common.

    These are the opcode, the reserved bits and the operand fields that the instruction does not
    use.
    """
    format_ = isa.formats[instruction.format]
    opcode = format_.field("opcode")
    mask = format_.reserved(isa.word_bits) | opcode.mask
    for field in format_.fields:
        if field.kind == "source" and field.name not in instruction.operands:
            mask |= field.mask
    return mask, instruction.opcode << opcode.low


def _check_operand_codes(isa: Isa) -> None:
    for first, second in combinations(isa.operands.values(), 2):
        if first.first < second.first + second.count and second.first < first.first + first.count:
            raise IsaError(f"operand classes '{first.name}' and '{second.name}' share codes")
        if first.text == second.text:
            raise IsaError(f"operand classes '{first.name}' and '{second.name}' share their text")
    for kind in isa.kinds.values():
        for name in kind.operands:
            _known("operand class", name, isa.operands, f"field kind '{kind.name}'")


def _check_format(isa: Isa, format_: Format) -> None:
    where = f"format '{format_.name}'"
    for field in format_.fields:
        _known("field kind", field.kind, isa.kinds, f"{where}, field '{field.name}'")
        if not 0 <= field.low <= field.high < isa.word_bits:
            raise IsaError(
                f"{where}: field '{field.name}' has bits {field.high} down to {field.low}"
            )
        for name in isa.kinds[field.kind].operands:
            cls = isa.operands[name]
            if cls.first + cls.count > 1 << field.width:
                raise IsaError(f"{where}: field '{field.name}' is too narrow for class '{name}'")
    for first, second in combinations(format_.fields, 2):
        if first.mask & second.mask:
            raise IsaError(f"{where}: fields '{first.name}' and '{second.name}' share bits")
    opcodes = [f for f in format_.fields if f.kind == "opcode"]
    if [(f.name, f.high, f.low) for f in opcodes] != [("opcode", 7, 0)]:
        raise IsaError(f"{where}: needs one field 'opcode' in bits 7 down to 0")


def _check_unit(isa: Isa, unit: Unit) -> None:
    _known("operand class", unit.registers, isa.operands, f"unit '{unit.name}'")
    name = "special" if unit.special else "lane"
    limit = isa.constants[name].value
    if unit.latency > limit:
        raise IsaError(f"unit '{unit.name}': latency {unit.latency} is above '{name}' ({limit})")


def _check_type(type_: ElementType) -> None:
    where = f"element type '{type_.name}'"
    if type_.bits > 8 * type_.bytes:
        raise IsaError(f"{where}: {type_.bits} bits do not fit {type_.bytes} bytes")
    if (type_.kind == "boolean") != (type_.bits == 1):
        raise IsaError(f"{where}: an element of kind '{type_.kind}' has {type_.bits} bits")
    exponent, fraction = type_.exponent_bits, type_.fraction_bits
    if type_.kind != "float":
        if exponent or fraction:
            raise IsaError(f"{where}: kind '{type_.kind}' has no exponent and no fraction")
    elif not exponent or not fraction or type_.bits != 1 + exponent + fraction:
        raise IsaError(
            f"{where}: {type_.bits} bits must be a sign, exponent_bits ({exponent}) and "
            f"fraction_bits ({fraction})"
        )


def _check_groups(isa: Isa) -> None:
    for first, second in combinations(isa.groups.values(), 2):
        if first.first <= second.last and second.first <= first.last:
            raise IsaError(f"groups '{first.name}' and '{second.name}' share opcodes")


def _check_instruction(isa: Isa, instruction: Instruction) -> None:
    where = f"instruction '{instruction.name}'"
    _known("format", instruction.format, isa.formats, where)
    if instruction.unit is not None:
        _known("unit", instruction.unit, isa.units, where)
    fields = [f.name for f in isa.formats[instruction.format].fields if f.kind == "source"]
    if list(instruction.operands) != fields[: len(instruction.operands)]:
        allowed = f"operands {', '.join(fields)}, in this order" if fields else "no operands"
        raise IsaError(f"{where}: format '{instruction.format}' has {allowed}")
    if bool(fields) != bool(instruction.operands):
        raise IsaError(f"{where}: format '{instruction.format}' and its operands do not agree")
    types = [*isa.types, BITS]
    results = [] if instruction.result_type is None else [instruction.result_type]
    for name in (*instruction.operand_types, *results):
        _known("type", name, types, where)
    for name in instruction.faults:
        _known("fault", name, isa.faults, where)


def _known(what: str, name: str, known: Mapping[str, object] | Iterable[str], where: str) -> None:
    if name not in known:
        raise IsaError(f"{where}: unknown {what} '{name}'; known: {', '.join(known)}")


def _check_unique(what: str, entries: Iterable[tuple[str, int]]) -> None:
    names: dict[int, str] = {}
    for name, code in entries:
        if code in names:
            raise IsaError(f"{what}s '{names[code]}' and '{name}' share code {code}")
        names[code] = name
