"""Reads the tables of a flatbuffer that may be damaged.

The package `flatbuffers` knows the layout of tables and vectors, but trusts every offset that it
reads. `Reader` checks each offset first. So for any bytes, the result is a table or a
`FlatbufferError`.

A table is a frozen dataclass. Each field declares with `stored(...)` what the file holds, and the
order of the fields is the order of the slots in the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from flatbuffers import encode, number_types
from flatbuffers.table import Table

from hwc.errors import counted

_T = TypeVar("_T")

_NUMBERS: Mapping[str, Any] = {
    "bool": number_types.BoolFlags,
    "uint8": number_types.Uint8Flags,
    "int32": number_types.Int32Flags,
    "uint32": number_types.Uint32Flags,
    "uint64": number_types.Uint64Flags,
}
_OFFSET = 4
"""The size in bytes of an offset, of a vector's length, and of the offset of a table's slots."""

_HEAD = 4
"""The bytes before a table's slots: the size of the list of slots and the size of the table."""

_SLOT = 2
"""The size of a slot in bytes."""


class FlatbufferError(Exception):
    """The bytes do not conform to the schema; the message says where and how."""


@dataclass(frozen=True)
class _Stored:
    """What a field of a table holds in the file."""

    kind: Any
    """The name of a number, `string`, `bytes`, or a function that returns the class of a table."""

    many: bool


def stored(
    kind: str | type | Callable[[Any], type | None], default: Any, many: bool = False
) -> Any:
    """Return a field of a table.

    `kind` is the name of a number type, `string`, `bytes` or the class of a table. For a union,
    `kind` is a function that maps the value of the previous slot to a class, or to None if the
    table is not read. `many` makes the field a vector, which is read as a tuple. `default` is the
    value if the file leaves the field out.
    """
    if isinstance(kind, type):
        table = kind
        return field(default=default, metadata={"stored": _Stored(lambda _: table, many)})
    return field(default=default, metadata={"stored": _Stored(kind, many)})


def parse(content: bytes, root: type[_T]) -> _T:
    """Return the root table of a flatbuffer.

    Raises:
        FlatbufferError: the bytes are not a flatbuffer of this schema.
    """
    return Reader(content).root(root)


class Reader:
    """Reads the tables of one file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._left = len(content)
        """The number of bytes that no part of the file has claimed so far."""
        self._strings: dict[int, str] = {}

    def root(self, table: type[_T]) -> _T:
        """Return the root table."""
        return self._table(table, self._target(0, ""), "")

    def _table(self, table: type[_T], start: int, path: str) -> _T:
        slots = start - self._number("int32", start, path)
        length = self._number("uint16", slots, path)
        size = self._number("uint16", slots + _SLOT, path)
        if (
            length < _HEAD
            or length % _SLOT
            or slots + length > len(self._content)
            or size < _OFFSET
        ):
            raise FlatbufferError(f"{path or 'the root'} at byte {start} is not a table")
        self._claim(size, start, path)
        found = Table(self._content, start)
        values: dict[str, Any] = {}
        before: Any = None
        for number, one in enumerate(fields(table)):  # type: ignore[arg-type]
            offset = found.Offset(_HEAD + _SLOT * number)
            before = self._field(one, start, offset, size, f"{path}.{one.name}".lstrip("."), before)
            values[one.name] = before
        return table(**values)

    def _field(
        self, one: Field[Any], start: int, offset: int, size: int, path: str, before: Any
    ) -> Any:
        what: _Stored = one.metadata["stored"]
        if not offset:
            return one.default
        kind = what.kind
        width = _NUMBERS[kind].bytewidth if kind in _NUMBERS and not what.many else _OFFSET
        if offset + width > size:
            raise FlatbufferError(f"{path} is outside of its table at byte {start}")
        at = start + offset
        if what.many:
            return self._vector(kind, at, path)
        if isinstance(kind, str):
            return self._value(kind, at, path)
        table = kind(before)
        return None if table is None else self._table(table, self._target(at, path), path)

    def _vector(self, kind: Any, at: int, path: str) -> tuple[Any, ...]:
        is_number = kind in _NUMBERS
        width = _NUMBERS[kind].bytewidth if is_number else _OFFSET
        start, count = self._elements(at, width, path)
        places = range(start, start + width * count, width)
        if is_number:
            return tuple(self._number(kind, place, path) for place in places)
        if isinstance(kind, str):
            return tuple(self._value(kind, p, f"{path}[{i}]") for i, p in enumerate(places))
        return tuple(
            self._table(kind(None), self._target(place, path), f"{path}[{number}]")
            for number, place in enumerate(places)
        )

    def _value(self, kind: str, at: int, path: str) -> Any:
        if kind == "string":
            return self._string(at, path)
        if kind == "bytes":
            start, count = self._elements(at, 1, path)
            return memoryview(self._content)[start : start + count]
        return self._number(kind, at, path)

    def _string(self, at: int, path: str) -> str:
        target = self._target(at, path)
        if target not in self._strings:  # a file may store a name once and use it often
            start, count = self._elements(at, 1, path)
            try:
                self._strings[target] = self._content[start : start + count].decode()
            except UnicodeDecodeError as error:
                raise FlatbufferError(
                    f"{path} at byte {start} is not UTF-8: {error.reason}"
                ) from None
        return self._strings[target]

    def _elements(self, at: int, width: int, path: str) -> tuple[int, int]:
        """Return where the elements of a vector begin, and their number."""
        start = self._target(at, path)
        count = self._number("uint32", start, path)
        first = start + _OFFSET
        if first + width * count > len(self._content):
            raise FlatbufferError(
                f"{path} at byte {start} has {count} elements, which the file of "
                f"{len(self._content)} bytes does not hold"
            )
        self._claim(_OFFSET + width * count, start, path)
        return first, count

    def _target(self, at: int, path: str) -> int:
        """Return the target of the offset at byte `at`."""
        return at + self._number("uint32", at, path)

    def _number(self, kind: str, at: int, path: str) -> Any:
        flags = number_types.Uint16Flags if kind == "uint16" else _NUMBERS[kind]
        if not 0 <= at <= len(self._content) - flags.bytewidth:
            where = path or "the root"
            size = counted(len(self._content), "byte")
            raise FlatbufferError(f"{where} leads to byte {at}, and the file has {size}")
        return flags.py_type(encode.Get(flags.packer_type, self._content, at))

    def _claim(self, size: int, at: int, path: str) -> None:
        """Count the bytes of a part: reading overlapping parts might never end."""
        self._left -= size
        if self._left < 0:
            raise FlatbufferError(
                f"{path or 'the root'} at byte {at} overlaps other parts of the file"
            )
