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


def predicate(name: str, width: int, argument: str, expression: str) -> str:
    """A function that returns a condition on one argument of `width` bits."""
    return (
        f"  function automatic logic {name}(logic [{width - 1}:0] {argument});\n"
        f"    return {expression};\n"
        "  endfunction\n"
    )


def lookup(
    result: str, name: str, argument: str, rows: Iterable[tuple[str, str]], default: str
) -> str:
    """A function whose last argument selects one of `rows`, pairs of a value and an answer."""
    selector = argument.rsplit(maxsplit=1)[-1]
    cases = "".join(f"      {value}: return {answer};\n" for value, answer in rows)
    return (
        f"  function automatic {result} {name}({argument});\n"
        f"    unique case ({selector})\n{cases}"
        f"      default: return {default};\n"
        "    endcase\n"
        "  endfunction\n"
    )


def package(name: str, body: str) -> str:
    """A package; no module uses every constant of one, which Verilator would otherwise report."""
    return (
        f"package {name};\n\n"
        "  // A package offers more than one design uses.\n"
        "  // verilator lint_off UNUSEDPARAM\n\n"
        f"{body}\n"
        "  // verilator lint_on UNUSEDPARAM\n\nendpackage\n"
    )
