"""Which operator of a TFLite model crashes the converter.

It is the last one of the fewest first operators with which the converter crashes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields

from flatbuffers.table import Table

from hwc.frontend.tflite_schema import ABSENT, Graph, Model

_NUMBER = struct.Struct("<I")
"""A length, an offset, or the number of a tensor."""
_WIDTH = _NUMBER.size
_HEAD, _SLOT = 4, 2
"""The bytes before a table's slots, and the bytes of a slot (`hwc/frontend/flatbuffer.py`)."""
_SIGNATURES = 7
"""The slot of `signature_defs` in the schema's table of a model, which names results."""


def crashing(content: bytes, model: Model, crashes: Callable[[bytes], bool]) -> int | None:
    """Return the number of the operator in the first graph at which the converter crashes.

    `content` is known to crash it, and `crashes` says whether another file does. None if the
    operators of this graph are not the reason.
    """
    low, high = 0, len(model.graphs[0].operators) if model.graphs else 0
    if not high or crashes(_first_operators(content, model, low)):
        return None
    if not crashes(_first_operators(content, model, high)):
        return None
    # With `high` operators it crashes, with `low` it does not.
    while high - low > 1:
        middle = (low + high) // 2
        if crashes(_first_operators(content, model, middle)):
            high = middle
        else:
            low = middle
    return high - 1


def _first_operators(content: bytes, model: Model, count: int) -> bytes:
    """Return a model whose first graph has only its first operators; the last one is the result.

    Lengths of vectors become smaller in place, so that nothing moves.
    """
    edited = bytearray(content)
    root = Table(edited, _target(edited, 0))
    graphs = _vector(root, _slot(Model, "graphs"))
    assert graphs is not None, "the model has operators"
    graph = Table(edited, _target(edited, graphs + _WIDTH))
    made = [t for one in model.graphs[0].operators[:count] for t in one.outputs if t != ABSENT]
    results = [*made[-1:]]
    for table, slot, elements in (
        (graph, _slot(Graph, "operators"), count),
        (graph, _slot(Graph, "outputs"), len(results)),
        (root, _SIGNATURES, 0),
    ):
        start = _vector(table, slot)
        if start is not None and _NUMBER.unpack_from(edited, start)[0] > elements:
            _NUMBER.pack_into(edited, start, elements)
    outputs = _vector(graph, _slot(Graph, "outputs"))
    if outputs is not None and results and model.graphs[0].outputs:
        _NUMBER.pack_into(edited, outputs + _WIDTH, results[0])
    return bytes(edited)


def _slot(table: type, name: str) -> int:
    return [one.name for one in fields(table)].index(name)


def _vector(table: Table, slot: int) -> int | None:
    """Return where a vector of a table begins, with its length; None if there is none."""
    offset = table.Offset(_HEAD + _SLOT * slot)
    at = table.Pos + offset
    if not offset or at > len(table.Bytes) - _WIDTH:
        return None
    start = _target(table.Bytes, at)
    return start if start <= len(table.Bytes) - _WIDTH else None


def _target(content: bytes | bytearray, at: int) -> int:
    return at + _NUMBER.unpack_from(content, at)[0]
