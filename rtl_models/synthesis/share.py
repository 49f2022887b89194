"""Finds the modules of a design that are the same circuit, so that each is synthesised once.

The reader makes a module of every instance, named `module$path`. Two are the same if their texts in
Yosys' own format (RTLIL) are, apart from the numbers that Yosys gives to what has no name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module (\\\S+)\n.*?^end\n", re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"^  cell (\\\S+) ", re.MULTILINE)
_PORT = re.compile(r"^  wire [^\n]*\b(?:input|output|inout) [^\n]*\n", re.MULTILINE)
_NUMBER = re.compile(r"\$\d+")


@dataclass(frozen=True)
class Circuit:
    """A module that stands for all that are the same, in RTLIL, with its parts as black boxes."""

    name: str
    text: str


def share(text: str) -> list[Circuit]:
    """Return every circuit of a design once, named as its first instance, parts before wholes."""
    modules = {match[1]: match[0] for match in _MODULE.finditer(text)}
    header = text[: next(_MODULE.finditer(text)).start()]
    same: dict[str, str] = {}  # the module that stands for a circuit
    chosen: dict[str, str] = {}  # the module that stands for a module
    circuits: list[Circuit] = []
    for name in _parts_first(modules):
        own = _INSTANCE.sub(lambda m: f"  cell {chosen.get(m[1], m[1])} ", modules[name])
        chosen[name] = same.setdefault(_anonymous(own, name), name)
        if chosen[name] == name:
            parts = sorted({part for part in _INSTANCE.findall(own) if part in modules})
            boxes = "".join(_black_box(part, modules[part]) for part in parts)
            circuits.append(Circuit(name[1:], header + boxes + own))
    return circuits


def _parts_first(modules: dict[str, str]) -> list[str]:
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in ordered:
            for part in _INSTANCE.findall(modules[name]):
                if part in modules:
                    visit(part)
            ordered[name] = None

    for name in modules:
        visit(name)
    return list(ordered)


def _black_box(name: str, text: str) -> str:
    return f"attribute \\blackbox 1\nmodule {name}\n{''.join(_PORT.findall(text))}end\n"


def _anonymous(text: str, name: str) -> str:
    """Return the text with numbers counted from 0 as they appear, and without the module's path."""
    numbers: dict[str, str] = {}
    text = text.replace(f"module {name}\n", f"module {name.partition('$')[0]}\n", 1)
    return _NUMBER.sub(lambda m: numbers.setdefault(m[0], f"${len(numbers)}"), text)
