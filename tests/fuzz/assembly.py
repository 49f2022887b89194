"""Assembly text: words of instructions, operands and numbers in any order; packages made of it."""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from fuzz import calls, packages
from fuzz.edits import edit_bytes, edit_words, number
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import refusal

import isa
from hwc.cli.disasm import listing
from hwc.errors import UserError
from hwc.files import decode_source
from hwc.package import Package
from hwc.package.hwx import from_bytes
from hwc.package.rewrite import WordError, rewritten
from isa.asm import assemble, assemble_lines
from isa.disasm import disassemble

_NUMBERS = ("0", "1", "7", "0x10", "4294967296", "1_0", "٣", "0x", "99999999999999999999999", "-1")
_OPERANDS = ("#1.5f", "#-inff", "#1e39f", "#-7", "#0xffffffff", "#", "#nanf", "s0", "s9", "v0", "v3", "t0",
             "o0", "o1", "p0", "p1", "p99", "+0", "+8", "rank=2", "rank=9", "copies=4", "copies=3", "f32", "i48", "imm", "")  # fmt: skip
_LINES = ("loop", "loop copies=2", "end", "halt", ".word 0x0", ".word", "; text", "7: end", "base s0, f32, rank=2, p0, +0",
          "size s0, 0, p4", "size s0, 1, #5", "add.f32 o0, s0, s1", "mul.f32 v0, s0, #2.5f", "exp.f32 t0, v0", "exp.f32 o0, v0")  # fmt: skip


@cache
def _packages() -> list[Package]:
    return [from_bytes(content, "m.hwx") for content in packages.seeds()]


@cache
def seeds() -> list[bytes]:
    """Return the listings of small packages, as they are stored and plan by plan."""
    found: list[str] = []
    for package in _packages():
        for plan in (None, package.first_plan):
            found += [
                "\n".join(listing(package, plan, hexadecimal)) for hexadecimal in (False, True)
            ]
    return [text.encode() for text in dict.fromkeys(found)]


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Change lines and words of a text."""
    data = rng.choice(cases)
    if rng.random() < 0.05:
        return edit_bytes(rng, data)
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(lines))
        match rng.randrange(9):
            case 0:
                lines[at] = rng.choice(lines)
            case 1:
                lines.insert(at, rng.choice((*_LINES, _instruction(rng))))
            case 2 if len(lines) > 1:
                del lines[at]
            case 3:
                lines[at] = edit_words(rng, lines[at])
            case 4:
                lines[at] = f".word {rng.getrandbits(64):#x}"
            case _:
                lines[at] = _other_operand(rng, lines[at])
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _instruction(rng: Random) -> str:
    """Return an instruction with operands that it may have."""
    name = rng.choice(list(isa.load().instructions))
    count = len(isa.load().instructions[name].operands) + 1
    operands = rng.choices(("v0", "v1", "v3", "t0", "t1", "s0", "s1", "o0", "#1", "#2.0f"), k=count)
    return f"{name} {', '.join(operands)}"


def _other_operand(rng: Random, line: str) -> str:
    """Return a line with another instruction or another operand."""
    name, _, rest = line.strip().partition(" ")
    operands = [part.strip() for part in rest.partition(";")[0].split(",")]
    if rng.random() < 0.2:
        name = rng.choice(list(isa.load().instructions))
    at = rng.randrange(len(operands))
    head = operands[at].rstrip("0123456789")
    digit = rng.choice((str(rng.randrange(12)), str(number(rng)), rng.choice(_NUMBERS)))
    operands[at] = rng.choice((f"{head}{digit}", f"{head}{digit}", rng.choice(_OPERANDS)))
    return f"{name} {', '.join(operands)}"


def play(case: bytes, pair: Any) -> str:
    """Assemble a text, alone and for packages; what becomes a package is called."""
    try:
        text = decode_source(case, "x.asm")
        lines = assemble_lines(text, "x.asm")
    except UserError as error:
        return refusal(error)
    words = [line.word for line in lines]
    if assemble(disassemble(words)) != words:
        raise Defect("the text of words does not assemble to them")
    said = "assembled"
    for package in _packages():
        for plan in (None, package.first_plan):
            try:
                new = rewritten(package, plan, words)
            except WordError as error:
                said = refusal(error)
                continue
            return calls.play(new, pair)
    return said


KIND = Kind("assembly", seeds, draw, play)
