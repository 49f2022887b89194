"""Packed structs of the RTL's packages, taken apart: what a bench reads as one integer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isa.load import load
from isa.target import Target

Field = tuple[str, int, int]
"""Name, bits and number of elements (1: a plain field) of a field."""


@dataclass(frozen=True)
class Struct:
    """A packed struct: its fields from the most significant on."""

    fields: Sequence[Field]

    @property
    def bits(self) -> int:
        """Bits of the struct."""
        return sum(bits * count for _, bits, count in self.fields)

    def pack(self, values: Mapping[str, int | Sequence[int]]) -> int:
        """Return the struct as one integer; elements of arrays from index 0 on."""
        word = 0
        for name, bits, count in self.fields:
            value = values[name]
            elements = [value] if isinstance(value, int) else value
            assert len(elements) == count
            word = word << bits * count | join(elements, bits)
        return word

    def unpack(self, value: int) -> dict[str, Any]:
        """Return the fields by name; elements of arrays as lists from index 0 on."""
        values: dict[str, Any] = {}
        top = self.bits
        for name, bits, count in self.fields:
            top -= bits * count
            field = value >> top & (1 << bits * count) - 1
            elements = [field >> bits * i & (1 << bits) - 1 for i in range(count)]
            values[name] = elements if count > 1 else field
        return values


def join(words: Sequence[int], bits: int) -> int:
    """Pack words of `bits` bits each, the first lowest."""
    return sum((word & (1 << bits) - 1) << bits * place for place, word in enumerate(words))


def _log2(value: int) -> int:
    return (value - 1).bit_length()


def stream_shape(target: Target) -> Struct:
    """`stream_shape_t` of hwc_stream_pkg."""
    size = load().limits.size_bits
    rows, lane = 2 * target.lanes, _log2(target.lanes)
    return Struct(
        [
            ("valid", 1, 1),
            ("element_type", 4, 1),
            ("base", target.address_bits, 1),
            ("held", 2, 1),
            ("repeats", size, 4),
            ("blocks", size, 4),
            ("strip_repeats", size, 4),
            ("strip_data", size, 3),
            ("block_points", size, 1),
            ("repeat_div", lane + 1, rows),
            ("repeat_mod", lane, rows),
            ("pass_mod", lane, rows),
        ]
    )


def output_shape(target: Target) -> Struct:
    """`output_shape_t` of hwc_stream_pkg."""
    return Struct([("valid", 1, 1), ("element_type", 4, 1), ("base", target.address_bits, 1)])


def fault() -> Struct:
    """`fault_t` of hwc_core_pkg."""
    return Struct([("code", 8, 1), ("stream", 6, 1), ("dimension", 3, 1)])
