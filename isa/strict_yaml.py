"""YAML without surprises: no duplicate keys, a line for every value, scalars as in YAML 1.2."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from isa.errors import UserError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Key = tuple[str | int, ...]

MAX_DEPTH = 8
"""Levels of nesting that a file may have; the instruction set needs five."""


class _Loader(_Base):
    """The safe loader with the plain scalars of YAML 1.2: no `yes`, octal 010, 1:30 or dates."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", "~n\0"),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _firsts = [c for c in _first if c != "\0"] + ([""] if "\0" in _first else [])
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _firsts
    )


_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text, 16) if text.startswith("0x") else int(text),
    "float": float,
    "bool": lambda text: text == "true",
    "null": lambda text: None,
}


@dataclass(frozen=True)
class Document:
    """What a file holds (`data`) and the line, from 1, on which each value's key stands."""

    path: Path
    data: Any
    lines: dict[Key, int]

    def where(self, key: Key = ()) -> str:
        """The place `file:line` of a key, or of the nearest key around it that the file has."""
        while key and key not in self.lines:
            key = key[:-1]
        return f"{self.path}:{self.lines.get(key, 1)}"


def read(path: Path, error: type[UserError]) -> Document:
    """Read one YAML file; raises `error` if it cannot be read, is no YAML or repeats a key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise error(f"{path}: cannot be read: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise error(f"{path}: is not UTF-8 text (byte {e.start})") from e
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        problem = getattr(e, "problem", None) or "unreadable characters"
        raise error(f"{place}: is not valid YAML: {problem}") from e
    lines: dict[Key, int] = {}
    return Document(path, _Constructor(path, error, lines).construct(node, ()), lines)


@dataclass(frozen=True)
class _Constructor:
    path: Path
    error: type[UserError]
    lines: dict[Key, int]

    def construct(self, node: Any, key: Key) -> Any:
        """The value of a node that stands below `key`; notes the lines of what is below it."""
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            items: list[Any] = []
            for i, item in enumerate(node.value):
                items.append(self._child(item, item, (*key, i)))
            return items
        return None if node is None else self._scalar(node)

    def _mapping(self, node: Any, key: Key) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "a key must be a plain word")
            name = key_node.value
            if name in result:
                first = self.lines[(*key, name)]
                raise self._error(key_node, f"duplicate key '{name}', first given in line {first}")
            result[name] = self._child(key_node, value_node, (*key, name))
        return result

    def _child(self, place: Any, node: Any, key: Key) -> Any:
        if len(key) > MAX_DEPTH:
            raise self._error(place, f"more than {MAX_DEPTH} levels, or an alias inside itself")
        self.lines[key] = place.start_mark.line + 1
        return self.construct(node, key)

    def _scalar(self, node: Any) -> Any:
        kind, text = node.tag.rpartition(":")[2], node.value
        if kind not in _SCALARS:
            raise self._error(node, f"tag '{node.tag}' is not allowed")
        try:
            return _SCALARS[kind](text)
        except ValueError:
            raise self._error(node, f"'{text}' is not of kind {kind}") from None

    def _error(self, node: Any, problem: str) -> UserError:
        return self.error(f"{self.path}:{node.start_mark.line + 1}: {problem}")
