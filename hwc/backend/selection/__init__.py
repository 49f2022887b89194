"""Instruction selection: what scalar operations become; `rules` is the table of all of them."""

from hwc.backend.selection.emitter import BlockEmitter, Constant, Operand, Traced, TraceEmitter
from hwc.backend.selection.select import (
    MAX_TEMPORARIES,
    check_types,
    expand,
    is_slow,
    is_special,
    value_of,
    words_of,
)

__all__ = [
    "MAX_TEMPORARIES",
    "BlockEmitter",
    "Constant",
    "Operand",
    "TraceEmitter",
    "Traced",
    "check_types",
    "expand",
    "is_slow",
    "is_special",
    "value_of",
    "words_of",
]
