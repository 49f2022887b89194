"""Instruction selection: what scalar operations become; `rules` has the table of all rules."""

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
