"""TOSA flatbuffers: tables whose numbers, names, lists and bytes change, and damaged bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzz import mlir
from fuzz.edits import STRINGS, edit_bytes, number
from fuzz.kinds import Kind
from unit.frontend.flatbuffers import ADD, IDENTIFIER, graph, operator, tensor, unary, write

from hwc.frontend import tosa_schema as schema
from hwc.frontend.flatbuffer import FlatbufferError, parse

_RANGES = {
    "bool": (0, 1),
    "uint8": (0, 255),
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "uint64": (0, (1 << 64) - 1),
}
_NAMES = tuple(text for text in STRINGS if text.isascii())


@cache
def seeds() -> list[bytes]:
    """Return files of a few operators, with constants, shapes and attributes."""
    bounds = (np.array(bound, "<f4").tobytes() for bound in (-1, 6))
    clamp = unary("clamp", attribute=schema.ClampAttribute(*map(memoryview, bounds), 2))
    shift = schema.ArithmeticRightShiftAttribute(True)
    chain = graph(
        [
            operator("const", [], ["s"]),
            operator("const_shape", [], ["to"]),
            operator("mul", ["x", "x", "s"], ["a"]),
            operator("arithmetic_right_shift", ["a", "x"], ["b"], shift),
            operator("reshape", ["b", "to"], ["c"]),
            operator("greater", ["c", "r"], ["y"]),
        ],
        [
            tensor("s", "INT8", [1], b"\3"),
            *(tensor(name, "INT32", [-1, 4]) for name in "xab"),
            *(tensor(name, "INT32", [-1, 2, 2]) for name in "cr"),
            tensor("y", "BOOL", [-1, 2, 2]),
        ],
        ["x", "r"],
        ["y"],
        [schema.Shape("to", 3, memoryview(np.array([-1, 2, 2], "<i8").tobytes()))],
    )
    tables = graph(
        [
            operator("const", [], ["t"]),
            operator("table", ["x", "t"], ["a"]),
            operator("table", ["a", "r"], ["y"]),
        ],
        [
            tensor("t", "INT8", [256], bytes(range(256))),
            *(tensor(name, "INT8", [-1, 4]) for name in "xay"),
            tensor("r", "INT8", [256]),
        ],
        ["x", "r"],
        ["y"],
    )
    return [write(table) for table in (ADD, unary(), clamp, chain, tables)]


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Change tables and write them again, or edit bytes after the identifier."""
    case = rng.choice(cases)
    try:
        table = parse(case, schema.Graph) if rng.random() < 0.6 else None
    except FlatbufferError:
        table = None
    if table is None:
        start = case.find(IDENTIFIER) + len(IDENTIFIER)
        return case[:start] + edit_bytes(rng, case[start:])
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_places(table, None, ()))
        names = [value for _, value, _ in places if isinstance(value, str)]
        path, value, kind = rng.choice(places)
        table = _with(table, path, _other(rng, value, kind, names))
    return write(table)


_Path = tuple[str | int, ...]


def _places(value: Any, kind: Any, path: _Path) -> Iterator[tuple[_Path, Any, Any]]:
    """Yield every part of a table: where it is, what is there, and what the schema has there."""
    if is_dataclass(value):
        for one in fields(value):
            inner = getattr(value, one.name)
            yield from _places(inner, one.metadata["stored"].kind, (*path, one.name))
        return
    yield path, value, kind
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _places(item, kind, (*path, index))


def _with(value: Any, path: _Path, new: Any) -> Any:
    """Return a table in which the part at `path` is another."""
    if not path:
        return new
    head, *rest = path
    if isinstance(head, str):
        return replace(value, **{head: _with(getattr(value, head), tuple(rest), new)})
    return (*value[:head], _with(value[head], tuple(rest), new), *value[head + 1 :])


def _other(rng: Random, value: Any, kind: Any, names: Sequence[str]) -> Any:
    """Return something else for a part."""
    if isinstance(value, tuple):
        items = list(value)
        if items and rng.random() < 0.4:
            del items[rng.randrange(len(items))]
        elif items:
            items.insert(rng.randrange(len(items)), rng.choice(items))
        return tuple(items)
    if kind in _RANGES:
        low, high = _RANGES[kind]
        drawn = rng.choice((value + 1, value - 1, rng.randrange(100), number(rng)))
        return low + (drawn - low) % (high - low + 1)
    if kind == "string":
        return rng.choice((*names, rng.choice(_NAMES)))
    if kind == "bytes":
        return memoryview(edit_bytes(rng, bytes(value or b"\0\0\0\0")))
    return None  # a table that may be missing


KIND = Kind("flatbuffer", seeds, draw, mlir.play)
