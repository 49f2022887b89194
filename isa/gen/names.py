"""Names of the instruction set as SystemVerilog writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable


def camel(name: str) -> str:
    """`f32_to_i8` as `F32ToI8`, `add.i8` as `AddI8`: enumeration values and constants."""
    return "".join(part[0].upper() + part[1:] for part in re.split(r"[._]", name))


def enumeration(type_name: str, width: int, prefix: str, values: Iterable[tuple[str, int]]) -> str:
    """A `typedef enum` of `width` bits, one value per line."""
    digits = -(-width // 4)
    rows = [f"    {prefix}{camel(name)} = {width}'h{code:0{digits}x}" for name, code in values]
    return (
        f"  typedef enum logic [{width - 1}:0] {{\n" + ",\n".join(rows) + f"\n  }} {type_name};\n"
    )


def constant(name: str, value: int, meaning: str) -> str:
    """An unsigned package parameter with its meaning in a comment above."""
    return f"  // {meaning}\n  parameter int unsigned {name} = {value};\n"


def package(name: str, body: str) -> str:
    """A package; no module uses every constant of one, which Verilator would otherwise report."""
    return (
        f"package {name};\n\n"
        "  // A package offers more than one design uses.\n"
        "  // verilator lint_off UNUSEDPARAM\n\n"
        f"{body}\n"
        "  // verilator lint_on UNUSEDPARAM\n\nendpackage\n"
    )
