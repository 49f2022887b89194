"""Expands the operations of a group's file to instructions: one for each type, numbered in order.

An operation lists the `types` that it works on, or its `conversions` from a source type to result
types; with neither, it works on the bits of lanes. `unit` and `meaning` are one text for all types,
or one text for each kind of type. In operands and result, `type` stands for the type of the
instruction. In a meaning, `{type}` and `{bits}` stand for the name and the width of that type, and
`{result}` stands for the type of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from isa.errors import IsaError
from isa.model import BITS, LANE_BITS, ElementType, Group, Instruction
from isa.strict_yaml import Document

_OWN = "type"
"""Stands for the type of the instruction."""


def instructions_of(
    document: Document, group: Group, types: Mapping[str, ElementType]
) -> Iterator[Instruction]:
    """Expand all operations of a group; raises IsaError if they contradict the types."""
    opcode = group.first
    for operation, entry in document.data["operations"].items():
        for instruction in _Operation(document, group, types, operation, entry).expand(opcode):
            if opcode > group.last:
                raise IsaError(
                    f"{document.where(('opcodes',))}: error: group '{group.name}' has no opcode "
                    f"left for '{instruction.name}' ({group.first:#04x} to {group.last:#04x})"
                )
            yield instruction
            opcode += 1


class _Operation:
    """An operation of a group's file."""

    def __init__(
        self,
        document: Document,
        group: Group,
        types: Mapping[str, ElementType],
        name: str,
        entry: dict[str, Any],
    ) -> None:
        self.document, self.group, self.types = document, group, types
        self.name, self.entry = name, entry
        self._check_kinds()

    def expand(self, opcode: int) -> Iterator[Instruction]:
        """Yield the operation's instructions, the first with `opcode`."""
        for number, (name, type_, result) in enumerate(self._variants()):
            operands = self.entry.get("operands", {})
            yield Instruction(
                name=name,
                opcode=opcode + number,
                operation=self.name,
                type=type_,
                format=self._format(),
                group=self.group.name,
                unit=self._of_kind("unit", type_) if operands else None,
                operands=tuple(operands),
                operand_types=tuple(type_ if t == _OWN else t for t in operands.values()),
                result_type=result if operands else None,
                faults=(
                    *self.document.data.get("faults", ()),
                    *self.entry.get("faults", ()),
                ),
                meaning=self._meaning(type_, result),
            )

    def _variants(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the type and the result's type of each instruction."""
        if "conversions" in self.entry:
            for source, results in self.entry["conversions"].items():
                for result in results:
                    yield f"{source}_to_{result}", source, result
            return
        result = self.entry.get("result", _OWN)
        for type_ in self.entry.get("types", [BITS]):
            name = self.name if type_ == BITS else f"{self.name}.{type_}"
            yield name, type_, type_ if result == _OWN else result

    def _format(self) -> str:
        format_ = self.entry.get("format", self.document.data.get("format"))
        if format_ is None:
            raise self._error("has no format, and its group has none")
        return format_

    def _meaning(self, type_: str, result: str) -> str:
        text = self._of_kind("meaning", type_)
        bits = LANE_BITS if type_ == BITS else self.types[type_].bits
        try:
            return text.format(type=type_, bits=bits, result=result)
        except (KeyError, IndexError, ValueError) as e:
            raise self._error(
                f"'{text}' may name {{type}}, {{bits}} and {{result}} only", "meaning"
            ) from e

    def _of_kind(self, key: str, type_: str) -> str:
        """The operation's text below `key` for a type: one for all, or one for the type's kind."""
        given = self.entry[key]
        if isinstance(given, str):
            return given
        kind = self._kind(type_)
        if kind not in given:
            raise self._error(f"has no entry for '{type_}', a type of kind '{kind}'", key)
        return given[kind]

    def _check_kinds(self) -> None:
        """Refuse a text for a kind that no type of the operation has."""
        kinds = {self._kind(type_) for _, type_, _ in self._variants()}
        for key in ("unit", "meaning"):
            given = self.entry.get(key)
            for kind in given if isinstance(given, dict) else ():
                if kind not in kinds:
                    raise self._error(f"none of its types is of kind '{kind}'", key)

    def _kind(self, type_: str) -> str:
        if type_ == BITS:
            return BITS
        if type_ not in self.types:
            raise self._error(f"unknown type '{type_}'; known: {', '.join(self.types)}")
        return self.types[type_].kind

    def _error(self, text: str, key: str | None = None) -> IsaError:
        path = ("operations", self.name, *(() if key is None else (key,)))
        return IsaError(f"{self.document.where(path)}: error: {'.'.join(path)}: {text}")
