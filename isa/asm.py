"""Assembler: text in the manual's form to 64-bit words."""

from __future__ import annotations

import math
import re
import struct
from typing import NamedTuple

from isa.encode import encode
from isa.errors import AssemblyError
from isa.load import load
from isa.model import Instruction

_LINE = re.compile(
    r"^\s*(?:(?P<number>[0-9]+):)?\s*(?P<name>[^\s;,]+)?\s*(?P<rest>[^;]*?)\s*(?:;.*)?$"
)
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,20}")
_SIGNED = re.compile(r"0x[0-9a-fA-F]{1,16}|-?[0-9]{1,20}")
_FLOAT = re.compile(
    r"(-?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|inf))f"
)

WORD = ".word"
"""Directive for one word as a number, also for a word that no instruction encodes."""


class Line(NamedTuple):
    """A line that holds a word: its number in the text, counted from 1, and the word."""

    number: int
    word: int


def assemble(text: str, source: str = "<assembly>") -> list[int]:
    """Words of a text with one instruction per line; `;` starts a comment.

    Raises an AssemblyError that names `source`, the line, its text and what was expected.
    """
    return [line.word for line in assemble_lines(text, source)]


def assemble_lines(text: str, source: str = "<assembly>") -> list[Line]:
    """Words of a text as `assemble` returns them, each with its line.

    A number and a colon at the beginning of a line, as in `14: loop`, are for human readers: words
    keep the order of their lines.
    """
    lines: list[Line] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.match(line)
        if match is None or match["name"] is None:
            if match is None or match["rest"] or match["number"]:
                raise located(source, text, number, "expected an instruction")
            continue
        try:
            lines.append(Line(number, _word(match["name"], match["rest"])))
        except AssemblyError as e:
            raise located(source, text, number, str(e)) from e
    return lines


def located(source: str, text: str, number: int, problem: str) -> AssemblyError:
    """The error for a problem in line `number` of a text; the error quotes the line."""
    line = text.splitlines()[number - 1].strip()
    return AssemblyError(f"{source}:{number}: error: {problem}\n  {line}")


def _word(name: str, rest: str) -> int:
    operands = [part.strip() for part in rest.split(",")] if rest else []
    if name == WORD:
        _expect_count(name, operands, ("the word",))
        value = _number(operands[0], "the word")
        if value >= 1 << load().word_bits:
            raise AssemblyError(f"'{operands[0]}' has more than {load().word_bits} bits")
        return value
    instruction = load().instructions.get(name)
    if instruction is None:
        raise AssemblyError(f"unknown instruction '{name}'; the manual lists all of them")
    if instruction.format == "base":
        return _base(name, operands)
    if instruction.format == "size":
        return _size(name, operands)
    if instruction.format == "loop":
        return _loop(name, operands)
    if instruction.format == "vector":
        return _vector(instruction, operands)
    _expect_count(name, operands, ())
    return encode(name)


def _base(name: str, operands: list[str]) -> int:
    _expect_count(name, operands, ("stream", "type", "rank=N", "pN", "+offset"))
    stream, type_, rank, param, offset = operands
    if not rank.startswith("rank="):
        raise AssemblyError(f"expected 'rank=N', got '{rank}'")
    if not offset.startswith("+"):
        raise AssemblyError(f"expected '+offset' in bytes, got '{offset}'")
    return encode(
        name,
        stream=_operand(stream),
        type=type_,
        rank=_number(rank[len("rank=") :], "the rank"),
        param=_param(param),
        offset=_number(offset[1:], "the offset in bytes"),
    )


def _size(name: str, operands: list[str]) -> int:
    _expect_count(name, operands, ("stream", "dimension", "pN or #size"))
    stream, dim, value = operands
    literal = value.startswith("#")
    return encode(
        name,
        stream=_operand(stream),
        dim=_number(dim, "the dimension"),
        from_param=0 if literal else 1,
        value=_number(value[1:], "the size") if literal else _param(value),
    )


def _loop(name: str, operands: list[str]) -> int:
    """`loop`, or `loop copies=N` if strips share registers."""
    if not operands:
        return encode(name)
    _expect_count(name, operands, ("nothing or copies=N",))
    if not operands[0].startswith("copies="):
        raise AssemblyError(f"expected 'copies=N', got '{operands[0]}'")
    return encode(name, copies=_number(operands[0][len("copies=") :], "the number of copies"))


def _vector(instruction: Instruction, operands: list[str]) -> int:
    _expect_count(instruction.name, operands, ("destination", *instruction.operands))
    fields: dict[str, int] = {"dst": _operand(operands[0])}
    immediates: set[int] = set()
    for name, text in zip(instruction.operands, operands[1:], strict=True):
        if text.startswith("#"):
            immediates.add(_immediate(text))
            fields[name] = load().operands["immediate"].first
        else:
            fields[name] = _operand(text)
    if len(immediates) > 1:
        raise AssemblyError("a word holds one immediate, but its operands give different ones")
    return encode(instruction.name, **fields, imm=immediates.pop() if immediates else 0)


def _expect_count(name: str, operands: list[str], expected: tuple[str, ...]) -> None:
    if len(operands) != len(expected) or not all(operands):
        what = ", ".join(expected) if expected else "nothing"
        raise AssemblyError(f"'{name}' takes {what}; got {', '.join(operands) or 'nothing'}")


def _operand(text: str) -> int:
    for cls in load().operands.values():
        digits = text[len(cls.text) :]
        if (
            cls.count > 1
            and text.startswith(cls.text)
            and re.fullmatch("0|[1-9][0-9]{0,3}", digits)
        ):
            if int(digits) >= cls.count:
                last = f"{cls.text}{cls.count - 1}"
                raise AssemblyError(f"no {cls.meaning} '{text}'; the last one is {last}")
            return cls.first + int(digits)
    known = ", ".join(
        f"{c.text}0 to {c.text}{c.count - 1} ({c.meaning})"
        for c in load().operands.values()
        if c.count > 1
    )
    raise AssemblyError(f"expected an operand, got '{text}'; operands: {known}, # (immediate)")


def _param(text: str) -> int:
    if not text.startswith("p"):
        raise AssemblyError(f"expected a parameter such as p0, got '{text}'")
    return _number(text[1:], "the parameter's number")


def _number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise AssemblyError(f"expected {what} as a decimal or 0x number, got '{text}'")
    return int(text, 16 if text.startswith("0x") else 10)


def _immediate(text: str) -> int:
    body = text[1:]
    if _SIGNED.fullmatch(body):
        value = int(body, 16 if body.startswith("0x") else 10)
        if not -(1 << 31) <= value < 1 << 32:
            raise AssemblyError(f"'{text}' does not fit 32 bits")
        return value & 0xFFFFFFFF
    match = _FLOAT.fullmatch(body)
    if match is None:
        raise AssemblyError(f"expected an immediate such as #7, #-7, #0x3f or #1.5f, got '{text}'")
    value = float(match[1])
    try:
        if math.isinf(value) and "inf" not in text:
            raise OverflowError
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        raise AssemblyError(f"'{text}' is beyond the largest finite f32") from None
