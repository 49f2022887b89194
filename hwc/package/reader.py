"""Reads JSON strictly: takes typed values out of an object, and refuses any key left over."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hwc.package.shapes import Dimension

T = TypeVar("T")


class FormatError(Exception):
    """A value that does not conform to the format; the message names the value and the problem."""


class Reader:
    """Takes typed values out of a JSON object and refuses any key left over."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, Mapping):
            raise FormatError(f"{where} is not an object")
        self.where = where
        self.value: dict[str, Any] = dict(value)

    def _take(self, key: str) -> Any:
        if key not in self.value:
            raise FormatError(f"{self.where} lacks {key!r}")
        return self.value.pop(key)

    def _typed(self, key: str, kind: type[T], name: str) -> T:
        value = self._take(key)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise FormatError(f"{self.where}: {key!r} is not {name}")
        return value

    def string(self, key: str) -> str:
        """Take a string of valid text; refuse lone surrogates, which JSON can express."""
        value = self._typed(key, str, "a string")
        if not value.isascii() and any(unicodedata.category(c) == "Cs" for c in value):
            raise FormatError(f"{self.where}: {key!r} is {value!r}, which is not text")
        return value

    def integer(self, key: str) -> int:
        """Take an integer that is not negative."""
        value = self._typed(key, int, "an integer")
        if value < 0:
            raise FormatError(f"{self.where}: {key!r} is negative")
        return value

    def optional_integer(self, key: str) -> int | None:
        """Take an integer that is not negative, or null."""
        if self.value.get(key, 0) is None:
            self.value.pop(key)
            return None
        return self.integer(key)

    def boolean(self, key: str) -> bool:
        """Take a boolean."""
        return self._typed(key, bool, "a boolean")

    def any(self, key: str) -> Any:
        """Take a value of any kind."""
        return self._take(key)

    def object(self, key: str) -> dict[str, Any]:
        """Take an object as it is."""
        return self._typed(key, dict, "an object")

    def list(self, key: str, convert: Callable[[str, Any], T]) -> tuple[T, ...]:
        """Take a list and convert each item with `convert(where, item)`."""
        items = self._typed(key, list, "a list")
        return tuple(convert(f"{self.where}: {key}[{i}]", item) for i, item in enumerate(items))

    def dimensions(self, key: str) -> tuple[Dimension, ...]:
        """Take a list of sizes and symbol names."""
        return self.list(key, dimension_from_json)

    def done(self) -> None:
        """Refuse keys that were not taken."""
        if self.value:
            raise FormatError(f"{self.where}: unknown key {sorted(self.value)[0]!r}")


def dimension_from_json(where: str, value: Any) -> Dimension:
    """Return a size or a symbol name."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise FormatError(f"{where} is neither a size nor a symbol")
