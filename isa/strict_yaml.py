"""YAML without surprises: no duplicate keys, a line for every value, scalars as in YAML 1.2.

Anchors, aliases, tags and several documents in a file are refused: no file here needs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from isa.errors import UserError

Key = tuple[str | int, ...]

MAX_DEPTH = 8
"""Levels of nesting that a file may have; the instruction set needs five."""

_SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"true|false"), lambda text: text == "true"),
    (re.compile(r"~|null|"), lambda text: None),
    (re.compile(r"[-+]?[0-9]{1,30}"), int),
    (re.compile(r"0x[0-9a-fA-F]{1,30}"), lambda text: int(text, 16)),
    (re.compile(r"(?=.*[.eE])[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
)
"""Forms of an unquoted scalar and what each means; any other is a string."""


@dataclass(frozen=True)
class Document:
    """The contents of a file (`data`), and the line (from 1) of each value's key."""

    path: Path
    data: Any
    lines: dict[Key, int]

    def where(self, key: Key = ()) -> str:
        """Return `file:line` of a key, for the beginning of an error.

        The line is the line of the key, or of the nearest enclosing key in the file.
        """
        while key and key not in self.lines:
            key = key[:-1]
        return f"{self.path}:{self.lines.get(key, 1)}"


def read(path: Path, error: type[UserError]) -> Document:
    """Read one YAML file; raises `error` if it cannot be read or is not such YAML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as e:
        raise error(f"{path}: error: cannot be read: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise error(f"{path}: error: is not UTF-8 text (byte {e.start})") from e
    try:
        # Events, not nodes: the depth is checked before libyaml would recurse.
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        builder = _Builder(path, error, yaml.parse(text, Loader=loader))
        return Document(path, builder.document(), builder.lines)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        location = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        problem = getattr(e, "problem", None) or "unreadable characters"
        raise error(f"{location}: error: is not valid YAML: {problem}") from e


@dataclass(frozen=True)
class _Builder:
    """Builds values from the parser's events."""

    path: Path
    error: type[UserError]
    events: Iterator[Any]
    lines: dict[Key, int] = field(default_factory=dict)

    def document(self) -> Any:
        """The value of the file's only document; None if it is empty."""
        data: Any = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._error(event, "a second document is not allowed")
                data = self._value(next(self.events), ())
        return data

    def _value(self, event: Any, key: Key) -> Any:
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise self._error(event, "anchors and aliases are not allowed")
        if event.tag is not None:
            raise self._error(event, f"the tag '{event.tag}' is not allowed")
        if len(key) > MAX_DEPTH:
            raise self._error(event, f"more than {MAX_DEPTH} levels of nesting")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(key)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(key)
        return self._scalar(event)

    def _mapping(self, key: Key) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self._error(event, "a key must be a plain word")
            name: str = event.value
            if name in result:
                first = self.lines[(*key, name)]
                raise self._error(event, f"duplicate key '{name}', first given in line {first}")
            self.lines[(*key, name)] = event.start_mark.line + 1
            result[name] = self._value(next(self.events), (*key, name))
        return result

    def _sequence(self, key: Key) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            self.lines[(*key, len(items))] = event.start_mark.line + 1
            items.append(self._value(event, (*key, len(items))))
        return items

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        plain = event.implicit[0]
        for pattern, convert in _SCALARS if plain else ():
            if pattern.fullmatch(text):
                return convert(text)
        return text

    def _error(self, event: Any, problem: str) -> UserError:
        return self.error(f"{self.path}:{event.start_mark.line + 1}: error: {problem}")
