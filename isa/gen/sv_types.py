"""The element types as SystemVerilog: codes, kinds, sizes, and their values in a lane."""

from __future__ import annotations

from isa.gen.names import camel, constant, enumeration, lookup, predicate
from isa.model import BITS, LANE_BITS, ElementType, Isa

KINDS = ("boolean", "integer", "float")
"""Kinds of element types, in the order of `kind_e`; the schema of types.yaml has no others."""


def sv_types(isa: Isa) -> str:
    """The section of hwc_isa_pkg.sv about element types."""
    types = list(isa.types.values())
    width = isa.formats["base"].field("type").width
    return "\n".join((_codes(types, width), _kinds(types), _formats(types), _ranges(types)))


def _name(type_: ElementType) -> str:
    return f"Type{camel(type_.name)}"


def _codes(types: list[ElementType], width: int) -> str:
    text = "  // Element types; TypeBits is none of them: all bits of a lane, whatever they mean.\n"
    text += enumeration(
        "type_e", width, "Type", (*((t.name, t.code) for t in types), (BITS, (1 << width) - 1))
    )
    known = " || ".join(f"code == {_name(t)}" for t in types)
    text += "\n" + predicate("type_assigned", width, "code", known)
    text += "\n  // Bytes of an element in memory; 0 if the code is not assigned.\n"
    rows = ((_name(t), f"3'd{t.bytes}") for t in types)
    return text + lookup("logic [2:0]", "type_bytes", f"logic [{width - 1}:0] code", rows, "3'd0")


def _kinds(types: list[ElementType]) -> str:
    text = enumeration("kind_e", 2, "Kind", ((name, i) for i, name in enumerate((BITS, *KINDS))))
    rows = ((_name(t), f"Kind{camel(t.kind)}") for t in types)
    return (
        text
        + "\n"
        + lookup("kind_e", "type_kind", "type_e element_type", rows, f"Kind{camel(BITS)}")
    )


def _formats(types: list[ElementType]) -> str:
    floats = [t for t in types if t.kind == "float"]
    rows = {
        t: f"'{{5'd{t.exponent_bits}, 5'd{t.fraction_bits}, 1'b{t.infinite:d}}}" for t in floats
    }
    lane = next(t for t in floats if t.bits == LANE_BITS)
    narrow = [t for t in floats if t.exponent_bits < lane.exponent_bits]
    return (
        "  // A floating-point format, apart from its sign. One that is not infinite has no\n"
        "  // infinities; only the largest fraction of its largest exponent is a NaN.\n"
        "  typedef struct packed {\n"
        "    logic [4:0] exponent_bits;\n"
        "    logic [4:0] fraction_bits;\n"
        "    logic infinite;\n"
        "  } float_format_t;\n\n"
        "  // Format of a floating-point type; of any other type, the format that fills a lane.\n"
        + lookup(
            "float_format_t",
            "float_format",
            "type_e element_type",
            ((_name(t), row) for t, row in rows.items()),
            rows[lane],
        )
        + "\n"
        + constant(
            "NarrowFractionBits",
            max((t.fraction_bits for t in narrow), default=1),
            "longest fraction of a format with fewer exponent bits than a lane's",
        )
    )


def _ranges(types: list[ElementType]) -> str:
    result = f"logic [{LANE_BITS - 1}:0]"
    arguments = f"{result} lane, type_e element_type"
    narrow = [t for t in types if t.kind == "integer" and t.bits < LANE_BITS]
    signs = {t: f"{{{LANE_BITS - t.bits}{{lane[{t.bits - 1}]}}}}" for t in narrow}
    zeros = {t: f"{LANE_BITS - t.bits}'d0" for t in narrow}

    def rows(above: dict[ElementType, str]) -> list[tuple[str, str]]:
        return [(_name(t), f"{{{above[t]}, lane[{t.bits - 1}:0]}}") for t in narrow]

    return (
        "  // A lane in the range of an integer type: sign-extended from the type's low bits.\n"
        + lookup(result, "in_range", arguments, rows(signs), "lane")
        + "\n  // The bits of an integer type in a lane, zeros above them.\n"
        + lookup(result, "low_bits", arguments, rows(zeros), "lane")
    )
