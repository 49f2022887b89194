"""The description of a stream as a SystemVerilog package."""

from __future__ import annotations

import textwrap

from isa.gen.names import generated, package
from rtl_models.structs import Description, Field, Struct


def descriptor_package(description: Description) -> str:
    """Text of hwc_descriptor_pkg.sv."""
    sections = ["  import hwc_isa_pkg::*;\n  import hwc_target_pkg::*;\n"]
    sections += [
        f"  // {constant.meaning}\n"
        f"  localparam int unsigned {constant.name} = {_expression(constant.value)};\n"
        for constant in description.constants
    ]
    sections.append(
        "".join(
            f"  typedef logic [{_highest(t.bits)}:0] {t.name};  // {t.meaning}\n"
            for t in description.types
        )
    )
    sections += [_struct(struct) for struct in description.structs]
    return (
        "// Types of a configured and of a resolved stream, and of a fault.\n"
        f"// {generated('rtl_models/stream_descriptor.py')}\n\n"
        + package("hwc_descriptor_pkg", "\n".join(sections))
    )


def _struct(struct: Struct) -> str:
    comment = textwrap.wrap(struct.meaning, 94)
    fields = [(_declaration(field), field.meaning) for field in struct.fields]
    width = max(len(declaration) for declaration, _ in fields)
    lines = [
        f"    {declaration:<{width}}  // {meaning}" if meaning else f"    {declaration}"
        for declaration, meaning in fields
    ]
    return "\n".join(
        [
            *(f"  // {line}" for line in comment),
            "  typedef struct packed {",
            *lines,
            f"  }} {struct.name};\n",
        ]
    )


def _declaration(field: Field) -> str:
    array = f" [{_highest(field.count)}:0]" if field.count else ""
    return f"{field.type}{array} {field.name};"


def _expression(text: str) -> str:
    """Write an expression as SystemVerilog does."""
    return text.replace("//", "/").replace("clog2", "$clog2")


def _highest(text: str) -> str:
    """Write the highest index of this many bits or elements."""
    expression = _expression(text)
    return f"({expression})-1" if " " in expression else f"{expression}-1"
