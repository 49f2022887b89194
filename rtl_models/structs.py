"""Packed structs that the hardware and the benches share: described once, in both languages.

A width is an expression of constants, as in Python: `//` divides, `clog2(n)` is the number
of bits of an index below n. `rtl_models.generate` writes the SystemVerilog; `Layout` packs and
unpacks the integer that a bench sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isa.gen.names import camel
from isa.gen.sv_package import FAULT_BITS
from isa.load import load
from isa.target import RULES, Target


@dataclass(frozen=True)
class Constant:
    """A constant that widths are made of: its name, its value as an expression, its meaning."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Type:
    """A vector of bits: its name, its width as an expression, what a value means."""

    name: str
    bits: str
    meaning: str


@dataclass(frozen=True)
class Field:
    """A field of a struct; `count` is the number of elements of an array, "" for a plain field."""

    name: str
    type: str
    count: str
    meaning: str


@dataclass(frozen=True)
class Struct:
    """A packed struct: its name, what it is for, its fields from the most significant on."""

    name: str
    meaning: str
    fields: Sequence[Field]


@dataclass(frozen=True)
class Description:
    """Constants, types and structs; each uses those before it."""

    constants: Sequence[Constant]
    types: Sequence[Type]
    structs: Sequence[Struct]

    def values(self, target: Target) -> dict[str, int]:
        """Return the constants by name, with the target's and the machine's that they are made of.

        A constant of the target or of the machine has the name of its SystemVerilog parameter.
        """
        limits = vars(load().limits)
        found = {camel(key): getattr(target, key) for key in RULES}
        found |= {f"Machine{camel(name)}": value for name, value in limits.items()}
        found["OperandBits"] = load().formats["vector"].field("dst").width
        for constant in self.constants:
            found[constant.name] = _evaluate(constant.value, found)
        return found

    def layout(self, name: str, target: Target) -> Layout:
        """Return a struct as it is packed for a target."""
        (struct,) = (struct for struct in self.structs if struct.name == name)
        values = self.values(target)
        bits = {type_.name: _evaluate(type_.bits, values) for type_ in self.types}
        bits |= {"logic": 1, **_ENUMERATIONS}
        return Layout(
            [
                (f.name, bits[f.type], _evaluate(f.count, values) if f.count else None)
                for f in struct.fields
            ]
        )


_ENUMERATIONS = {"type_e": load().formats["base"].field("type").width, "fault_e": FAULT_BITS}
"""Bits of the enumerations of hwc_isa_pkg that fields have."""


@dataclass(frozen=True)
class Layout:
    """A packed struct: name, bits and number of elements (None: a plain field) of each field.

    The first field is the most significant; of an array, element 0 is the least significant.
    """

    fields: Sequence[tuple[str, int, int | None]]

    @property
    def bits(self) -> int:
        """Bits of the struct."""
        return sum(bits * (count or 1) for _, bits, count in self.fields)

    def pack(self, values: Mapping[str, int | Sequence[int]]) -> int:
        """Return the struct as one integer; `values` has all fields by name, arrays as sequences.

        A value that has more bits than its field is an error.
        """
        assert values.keys() == {name for name, _, _ in self.fields}
        word = 0
        for name, bits, count in self.fields:
            value = values[name]
            elements = [value] if isinstance(value, int) else value
            assert len(elements) == (count or 1), name
            assert all(0 <= element < 1 << bits for element in elements), name
            word = word << bits * len(elements) | join(elements, bits)
        return word

    def unpack(self, word: int) -> dict[str, Any]:
        """Return the fields by name, arrays as lists; higher bits than the struct's are ignored."""
        values: dict[str, Any] = {}
        top = self.bits
        for name, bits, count in self.fields:
            elements = []
            top -= bits * (count or 1)
            for index in range(count or 1):
                elements.append(word >> top + bits * index & (1 << bits) - 1)
            values[name] = elements[0] if count is None else elements
        return values


def join(words: Sequence[int], bits: int) -> int:
    """Pack words of `bits` bits each, the first lowest."""
    return sum((word & (1 << bits) - 1) << bits * index for index, word in enumerate(words))


def _evaluate(expression: str, values: Mapping[str, int]) -> int:
    """Return the value of an expression of constants."""
    names = {"__builtins__": {}, "clog2": lambda n: (n - 1).bit_length(), **values}
    return int(eval(expression, names))
