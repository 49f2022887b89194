"""The instruction set as a SystemVerilog package: codes, word layouts, units, faults, constants."""

from __future__ import annotations

from isa.gen.names import (
    ISA_SOURCES,
    camel,
    constant,
    enumeration,
    generated,
    lookup,
    package,
    predicate,
)
from isa.gen.sv_types import sv_types
from isa.model import Format, Instruction, Isa

HEADER = f"""\
// Instruction set of the vector accelerator.
// {generated(ISA_SOURCES)}

"""

FAULT_BITS = 8
"""Bits of a fault's code in the register of the host."""


def sv_package(isa: Isa) -> str:
    """Text of hwc_isa_pkg.sv."""
    sections = [
        _words(isa),
        _operands(isa),
        sv_types(isa),
        _instructions(isa),
        _units(isa),
        _faults(isa),
        _counters(isa),
        _machine(isa),
    ]
    return HEADER + package("hwc_isa_pkg", "\n".join(sections))


def _words(isa: Isa) -> str:
    formats = list(isa.formats.values())
    opcode = formats[0].field("opcode")
    text = constant("IsaVersion", isa.version, "version of the instruction set, word 0 of a packet")
    text += constant("WordBits", isa.word_bits, "bits of an instruction word")
    text += constant("OpcodeBits", opcode.width, "bits of an opcode, the lowest of every word")
    text += "\n" + enumeration(
        "format_e",
        max(1, (len(formats) - 1).bit_length()),
        "Format",
        ((f.name, i) for i, f in enumerate(formats)),
    )
    return text + "".join("\n" + _layout(isa, f) for f in formats)


def _layout(isa: Isa, format_: Format) -> str:
    """The struct of a word, and the mask of bits that must be 0 in every word of the format."""
    rows: list[str] = []
    bit = isa.word_bits
    for field in (*reversed(format_.fields), None):
        high = -1 if field is None else field.high
        if high + 1 < bit:
            rows.append(f"    logic [{bit - high - 2}:0] reserved;")
        if field is not None:
            rows.append(f"    logic [{field.width - 1}:0] {_struct_name(field.name)};")
            bit = field.low
        else:
            bit = 0
    body = "\n".join(rows)
    name = camel(format_.name)
    mask = f"{isa.word_bits}'h{format_.reserved(isa.word_bits):0{isa.word_bits // 4}x}"
    return (
        f"  // {format_.meaning}\n"
        f"  typedef struct packed {{\n{body}\n  }} {format_.name}_word_t;\n"
        f"  parameter logic [{isa.word_bits - 1}:0] {name}Reserved = {mask};\n"
    )


def _struct_name(name: str) -> str:
    """The member's name: `type` is a SystemVerilog keyword."""
    return "element_type" if name == "type" else name


def _operands(isa: Isa) -> str:
    width = isa.formats["vector"].field("dst").width
    text = constant("OperandBits", width, "bits of an operand code")
    for cls in isa.operands.values():
        name = camel(cls.name)
        text += f"  // {cls.meaning}\n"
        text += f"  parameter logic [{width - 1}:0] {name}First = {width}'d{cls.first};\n"
        text += f"  parameter int unsigned {name}Count = {cls.count};\n"
    for cls in isa.operands.values():
        tests = _range_test("code", width, cls.first, cls.count)
        text += "\n" + predicate(f"is_{cls.name}", width, "code", tests)
    for kind in isa.kinds.values():
        if kind.operands:
            tests = " || ".join(f"is_{name}(code)" for name in kind.operands)
            text += "\n" + predicate(f"legal_{kind.name}", width, "code", tests)
        if kind.values:
            bits = max(kind.values).bit_length()
            tests = " || ".join(f"value == {bits}'d{value}" for value in kind.values)
            text += "\n" + predicate(f"legal_{kind.name}", bits, "value", tests)
    return text


def _range_test(name: str, width: int, first: int, count: int) -> str:
    last = first + count - 1
    if count == 1:
        return f"{name} == {width}'d{first}"
    tests: list[str] = []
    if first > 0:
        tests.append(f"{name} >= {width}'d{first}")
    if last < (1 << width) - 1:
        tests.append(f"{name} <= {width}'d{last}")
    return " && ".join(tests)


def _instructions(isa: Isa) -> str:
    width = isa.formats["plain"].field("opcode").width
    instructions = list(isa.instructions.values())
    operations = list(dict.fromkeys(i.operation for i in instructions))
    text = enumeration("opcode_e", width, "Op", ((i.name, i.opcode) for i in instructions))
    text += "\n" + enumeration(
        "operation_e",
        max(1, (len(operations) - 1).bit_length()),
        "Operation",
        ((name, n) for n, name in enumerate(operations)),
    )
    text += "\n" + enumeration(
        "unit_e",
        max(1, len(isa.units).bit_length()),
        "Unit",
        (("none", 0), *((u.name, n) for n, u in enumerate(isa.units.values(), start=1))),
    )
    text += """
  // What a unit is told to do: an operation on elements of a type, whose result is in the range of
  // a type. Both types are the same but for comparisons and conversions.
  typedef struct packed {
    operation_e operation;
    type_e element_type;
    type_e result_type;
  } operation_t;

  // What decoding needs to know of an opcode. `sources` operands a, b, c are in use. Control
  // instructions have unit none.
  typedef struct packed {
    logic assigned;
    format_e word_format;
    unit_e unit;
    logic [1:0] sources;
    operation_t op;
  } instruction_t;

"""
    rows = [(f"Op{camel(i.name)}", _summary(i)) for i in instructions]
    unknown = _summary(instructions[0], assigned=False)
    text += lookup("instruction_t", "instruction", f"logic [{width - 1}:0] opcode", rows, unknown)
    text += "\n  // The unit of an operation; none if no instruction is for its types.\n"
    units = ((_operation(i), f"Unit{camel(i.unit)}") for i in instructions if i.unit is not None)
    return text + lookup("unit_e", "unit_of", "operation_t op", units, "UnitNone")


def _operation(instruction: Instruction) -> str:
    """The members of operation_t."""
    result = instruction.result_type or instruction.type
    types = f"Type{camel(instruction.type)}, Type{camel(result)}"
    return f"{{Operation{camel(instruction.operation)}, {types}}}"


def _summary(instruction: Instruction, assigned: bool = True) -> str:
    """The members of instruction_t."""
    unit = camel(instruction.unit or "none")
    return (
        f"'{{1'b{assigned:d}, Format{camel(instruction.format)}, Unit{unit}, "
        f"2'd{len(instruction.operands)}, '{_operation(instruction)}}}"
    )


def _units(isa: Isa) -> str:
    text = ""
    for unit in isa.units.values():
        text += constant(f"Latency{camel(unit.name)}", unit.latency, f"{unit.name}: {unit.meaning}")
    rows = [(f"Unit{camel(u.name)}", f"Latency{camel(u.name)}") for u in isa.units.values()]
    text += "\n  // Cycles from the beat that issues to the first beat that may use the result.\n"
    text += lookup("int unsigned", "unit_latency", "unit_e unit", rows, "0")
    slow = [f"unit == Unit{camel(u.name)}" for u in isa.units.values() if u.rate == "special"]
    return (
        text
        + "\n  // Whether the unit takes the target's special rate of points per cycle.\n"
        + "  function automatic logic unit_is_special(unit_e unit);\n"
        + f"    return {' || '.join(slow)};\n  endfunction\n"
    )


def _faults(isa: Isa) -> str:
    faults = (("none", 0), *((f.name, f.code) for f in isa.faults.values()))
    return enumeration("fault_e", FAULT_BITS, "Fault", faults)


def _counters(isa: Isa) -> str:
    text = constant("CounterCount", len(isa.counters), "performance counters")
    width = max(1, (len(isa.counters) - 1).bit_length())
    return (
        text
        + "\n"
        + enumeration(
            "counter_e", width, "Counter", ((name, i) for i, name in enumerate(isa.counters))
        )
    )


def _machine(isa: Isa) -> str:
    return "".join(
        constant(f"Machine{camel(c.name)}", c.value, f"{c.meaning} ({c.unit})")
        for c in isa.constants.values()
    )
