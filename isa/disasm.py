"""Disassembler: 64-bit words to the text that the assembler turns into the same words."""

from __future__ import annotations

from collections.abc import Iterable

from isa.asm import WORD
from isa.encode import Decoded, decode
from isa.errors import DecodeError
from isa.load import load
from isa.operands import immediate_code, operand_text


def disassemble(words: Iterable[int]) -> str:
    """Text of a program, one line per word, bodies indented, each line ended by a newline.

    A word that is not an instruction becomes a `.word` line with the reason as a comment, so the
    text of any words assembles to the same words again.
    """
    lines: list[str] = []
    for word in words:
        try:
            decoded = decode(word)
        except DecodeError as e:
            lines.append(f"{WORD} {word:#018x} ; {e.fault}: {str(e).partition(': ')[2]}")
            continue
        indent = "" if decoded.instruction.is_control else "  "
        lines.append(indent + instruction_text(decoded))
    return "".join(f"{line}\n" for line in lines)


def instruction_text(decoded: Decoded) -> str:
    """One instruction in the assembler's form."""
    format_ = decoded.instruction.format
    fields = decoded.fields
    if format_ == "base":
        type_ = load().types_by_code[fields["type"]].name
        return (
            f"{decoded.name} {operand_text(fields['stream'])}, {type_}, rank={fields['rank']}, "
            f"p{fields['param']}, +{fields['offset']}"
        )
    if format_ == "size":
        value = f"{'p' if fields['from_param'] else '#'}{fields['value']}"
        return f"{decoded.name} {operand_text(fields['stream'])}, {fields['dim']}, {value}"
    if format_ == "loop":
        copies = fields["copies"]
        return decoded.name if copies == 1 else f"{decoded.name} copies={copies}"
    if format_ == "vector":
        operands = [operand_text(fields["dst"])]
        for code in decoded.sources:
            immediate = code == immediate_code()
            operands.append(f"#{fields['imm']:#x}" if immediate else operand_text(code))
        return f"{decoded.name} {', '.join(operands)}"
    return decoded.name
