"""The manual of the instruction set, docs/isa.md."""

from __future__ import annotations

from collections.abc import Iterable

from isa.asm import assemble
from isa.gen.manual_text import (
    ASSEMBLER,
    CHECKS,
    EXAMPLE,
    EXAMPLE_INTRODUCTION,
    HEADER,
    INTRODUCTION,
    PROGRAMS,
    TARGETS,
)
from isa.model import ElementType, Field, Format, Group, Instruction, Isa
from isa.target import RELATIONS, RULES


def manual(isa: Isa) -> str:
    """Text of docs/isa.md."""
    sections = [
        HEADER + INTRODUCTION.format(version=isa.version),
        _words(isa),
        PROGRAMS.format(special_units=_special_units(isa)),
        _types(isa),
        *(_group(isa, g) for g in isa.groups.values()),
        _units(isa),
        _faults(isa),
        CHECKS,
        _counters(isa),
        _constants(isa),
        _targets(),
        ASSEMBLER,
        _example(),
    ]
    return "\n".join(section.strip() + "\n" for section in sections)


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        cells = (str(cell).replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _words(isa: Isa) -> str:
    text = "## Words\n\nAn operand is named by a code; a code that is not listed is illegal.\n\n"
    text += _table(
        ("codes", "written", "meaning"),
        (
            (_span(c.first, c.count), _span_text(c.text, c.count), c.meaning)
            for c in isa.operands.values()
        ),
    )
    text += "\nBits are numbered from the least significant, 0. "
    text += "Bits drawn as 0 and unused operands are 0.\n"
    for format_ in isa.formats.values():
        text += f"\n### Format `{format_.name}`\n\n{format_.meaning}\n\n"
        text += f"```text\n{_drawing(isa, format_)}```\n"
        rows = (
            (
                f"`{f.name}`",
                f"{f.high}..{f.low}" if f.width > 1 else f.low,
                f.meaning,
                _legal(isa, f.kind),
            )
            for f in format_.fields
        )
        text += "\n" + _table(("field", "bits", "meaning", "holds"), rows)
    return text


def _bits(field: Field) -> str:
    return str(field.low) if field.width == 1 else f"{field.high}..{field.low}"


def _legal(isa: Isa, kind: str) -> str:
    operands = isa.kinds[kind].operands
    if operands:
        return " or ".join(isa.operands[name].meaning for name in operands)
    return isa.kinds[kind].meaning


def _span(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first} to {first + count - 1}"


def _span_text(text: str, count: int) -> str:
    return f"`{text}`" if count == 1 else f"`{text}0` to `{text}{count - 1}`"


def _drawing(isa: Isa, format_: Format) -> str:
    """The word as a row of boxes, most significant bit at the left, each with its bits above it."""
    numbers, names = " ", "|"
    for high, low, name in _boxes(isa, format_):
        ends = f"{high} {low}" if high != low else str(high)
        width = max(len(name), len(ends), min(high - low + 1, 14)) + 2
        inner = f"{high}{low:>{width - 2 - len(str(high))}}" if high != low else str(high)
        numbers += f" {inner:^{width - 2}}  "
        names += f"{name:^{width}}|"
    rule = "".join("+" if c == "|" else "-" for c in names)
    return f"{numbers.rstrip()}\n{rule}\n{names}\n{rule}\n"


def _boxes(isa: Isa, format_: Format) -> Iterable[tuple[int, int, str]]:
    bit = isa.word_bits
    for field in reversed(format_.fields):
        if field.high + 1 < bit:
            yield bit - 1, field.high + 1, "0"
        yield field.high, field.low, field.name
        bit = field.low


def _types(isa: Isa) -> str:
    return (
        "## Element types\n\nLanes are 32 bits wide; a stream converts its elements on the way. "
        "In the tables of instructions `bits` stands for all 32 bits of a lane, whatever they "
        "mean.\n\n"
    ) + _table(
        ("type", "code", "bytes", "bits", "kind", "meaning", "load", "store", "NumPy", "MLIR"),
        (
            (
                f"`{t.name}`",
                t.code,
                t.bytes,
                _value_bits(t),
                t.kind,
                t.meaning,
                t.load,
                t.store,
                f"`{t.dtype}`",
                f"`{t.mlir}`",
            )
            for t in isa.types.values()
        ),
    )


def _value_bits(type_: ElementType) -> str:
    """Bits of a value; of a float also its sign, exponent and fraction."""
    if type_.kind != "float":
        return str(type_.bits)
    return f"{type_.bits} (1 + {type_.exponent_bits} + {type_.fraction_bits})"


def _group(isa: Isa, group: Group) -> str:
    members = [i for i in isa.instructions.values() if i.group == group.name]
    head = (
        f"## {group.title}\n\n{group.meaning} Opcodes {group.first:#04x} to {group.last:#04x}.\n\n"
    )
    if all(i.is_control for i in members):
        return head + _table(
            ("instruction", "opcode", "format", "meaning", "faults"),
            (
                (f"`{i.name}`", f"{i.opcode:#04x}", i.format, i.meaning, _faults_of(i))
                for i in members
            ),
        )
    faults = _faults_of(members[0])
    return (
        head
        + _table(
            ("instruction", "opcode", "operands", "result", "unit", "meaning"),
            (
                (f"`{i.name}`", f"{i.opcode:#04x}", _operands(i), i.result_type, i.unit, i.meaning)
                for i in members
            ),
        )
        + f"\nFaults, all found at `loop`: {faults}.\n"
    )


def _operands(instruction: Instruction) -> str:
    pairs = zip(instruction.operands, instruction.operand_types, strict=True)
    return ", ".join(f"{name}: {type_}" for name, type_ in pairs)


def _faults_of(instruction: Instruction) -> str:
    return ", ".join(f"`{name}`" for name in instruction.faults)


def _special_units(isa: Isa) -> str:
    return ", ".join(f"`{unit.name}`" for unit in isa.units.values() if unit.special)


def _units(isa: Isa) -> str:
    return (
        "## Units\n\nLatency is in cycles from the beat that issues a point to its result in the "
        "unit. The result may be used after the constant `lane` or, if the rate is "
        "`special_rate`, `special`. The rate is in points per cycle.\n\n"
    ) + _table(
        ("unit", "latency", "rate", "what it does"),
        (
            (u.name, u.latency, "`lanes`" if u.rate == "lanes" else "`special_rate`", u.meaning)
            for u in isa.units.values()
        ),
    )


def _faults(isa: Isa) -> str:
    return "## Faults\n\nA fault stops the program. Code 0 means none.\n\n" + _table(
        ("code", "fault", "meaning"),
        ((f.code, f"`{f.name}`", f.meaning) for f in isa.faults.values()),
    )


def _counters(isa: Isa) -> str:
    return (
        "## Counters\n\nCleared at the start of a launch without `keep_counters`. "
        "Words of the program and of the packet count in `cycles` only.\n\n"
    ) + _table(
        ("index", "counter", "unit", "meaning"),
        ((n, f"`{c.name}`", c.unit, c.meaning) for n, c in enumerate(isa.counters.values())),
    )


def _constants(isa: Isa) -> str:
    return "## Constants of the machine\n\nNo target changes these.\n\n" + _table(
        ("constant", "value", "unit", "meaning"),
        ((f"`{c.name}`", c.value, c.unit, c.meaning) for c in isa.constants.values()),
    )


def _targets() -> str:
    text = f"{TARGETS}\n"
    text += _table(
        ("key", "meaning", "allowed"), ((f"`{k}`", r.meaning, r) for k, r in RULES.items())
    )
    return text + "\nBesides:\n\n" + "".join(f"- `{r.key}`: {r.text}\n" for r in RELATIONS)


def _example() -> str:
    lines = EXAMPLE.splitlines()
    words = assemble(EXAMPLE)
    rows = "".join(
        f"{pc:2}  {w:016x}  {t}\n" for pc, (w, t) in enumerate(zip(words, lines, strict=True))
    )
    return f"{EXAMPLE_INTRODUCTION}\n```text\npc  word              text\n{rows}```\n"
