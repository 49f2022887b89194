"""The registers of strips: the types of the values of a strip loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

IMMEDIATE = "imm"

_REGISTER = re.compile(rf"[vtso]\d+|{IMMEDIATE}")


def parse_register(parser: AttrParser) -> str:
    """Parse the name of a register, such as `v3`."""
    start = parser.pos
    name = parser.parse_identifier(" as the name of a register")
    if _REGISTER.fullmatch(name) is None:
        parser.raise_error(f"there is no register '{name}'", start, parser.pos)
    return name


@irdl_attr_definition
class RegisterType(ParametrizedAttribute, TypeAttribute):
    """A strip of values of up to 32 bits, and the register that holds it ('': none yet)."""

    name = "strip.reg"

    register: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<v3>`, or nothing."""
        if parser.parse_optional_punctuation("<") is None:
            return (StringAttr(""),)
        name = parse_register(parser)
        parser.parse_punctuation(">")
        return (StringAttr(name),)

    def print_parameters(self, printer: Printer) -> None:
        """Print what `parse_parameters` reads."""
        if self.register.data:
            printer.print_string(f"<{self.register.data}>")


@cache
def register(name: str = "") -> RegisterType:
    """Return the type of a value in the register called `name`."""
    return RegisterType(StringAttr(name))


def register_of(value: SSAValue) -> str:
    """Return the name of the register that holds a value, '' if it has none yet."""
    assert isinstance(value.type, RegisterType)
    return value.type.register.data
