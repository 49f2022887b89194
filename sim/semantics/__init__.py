"""Golden semantics: one NumPy function per operation and kind of type.

This is the definition of the instruction set's arithmetic. The functional simulator calls it, and
the RTL is compared with it bit for bit. Every function is pure, takes and returns int32 lanes (a
float is its bits) of any shapes that NumPy broadcasts together, and gives the same bits on every
machine. `execute` brings the result of every instruction to its type's range. The functions that
read the machine's table (`lookup_table.READING`) take the table's entries as well.

To add an operation, add a function to the module of its kind and a line to one of the module's
tables: `FUNCTIONS` for a function of lanes alone, `TYPED` for a function whose first argument
describes the result type (the format of a float, or the number of bits of an integer).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

import isa
from isa.model import BITS, Instruction
from sim.semantics import convert, floating, integer, lookup_table, special
from sim.semantics.elements import in_range
from sim.semantics.formats import FORMATS
from sim.semantics.lanes import I32Array

__all__ = ["INSTRUCTIONS", "I32Array", "execute", "execute_quietly"]

_FUNCTIONS = {
    BITS: {**integer.FUNCTIONS, lookup_table.FILL: lookup_table.fill},
    "integer": integer.FUNCTIONS,
    "float": floating.FUNCTIONS,
}
_TYPED = {
    "integer": {**integer.TYPED, **convert.TYPED},
    "float": {**floating.TYPED, **convert.TYPED, **special.TYPED},
}


def _function(instruction: Instruction) -> Callable[..., Any]:
    """Return the golden function of a vector instruction."""
    types = isa.load().types
    operation = instruction.operation
    kind = BITS if instruction.type == BITS else types[instruction.type].kind
    if operation in lookup_table.READING:
        return lookup_table.READING[operation]
    if operation in _FUNCTIONS[kind]:
        return _FUNCTIONS[kind][operation]
    assert operation in _TYPED[kind], f"no golden function of '{operation}' for kind '{kind}'"
    result = types[str(instruction.result_type)]
    known = FORMATS[result.name] if result.kind == "float" else result.bits
    return partial(_TYPED[kind][operation], known)


INSTRUCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {i.name: _function(i) for i in isa.load().instructions.values() if not i.is_control}
)
"""The golden function of every vector instruction, by its name; results may leave the range."""

_RESULTS = {
    name: isa.load().types.get(str(isa.load().instructions[name].result_type))
    for name in INSTRUCTIONS
}
_READING = frozenset(
    name for name in INSTRUCTIONS if isa.load().instructions[name].operation in lookup_table.READING
)


def execute(
    name: str, operands: Sequence[I32Array], table: I32Array = lookup_table.EMPTY
) -> I32Array:
    """Execute one instruction on arrays of lanes and return the lanes of its result.

    Operands come in the order a, b, c of the instruction, as int32 arrays whose shapes broadcast
    together (views with stride 0, 0-d and empty arrays included); they are never changed. The
    result is a new array of the broadcast shape. `table` has the entries of the machine's table.
    KeyError for a name that is not an instruction.
    """
    with np.errstate(all="ignore"):
        return execute_quietly(name, operands, table)


def execute_quietly(name: str, operands: Sequence[I32Array], table: I32Array) -> I32Array:
    """Execute one instruction as `execute` does; the caller has switched off NumPy's warnings."""
    function, result_type = INSTRUCTIONS[name], _RESULTS[name]
    result = np.asarray(function(table, *operands) if name in _READING else function(*operands))
    return result if result_type is None else in_range(result, result_type)
