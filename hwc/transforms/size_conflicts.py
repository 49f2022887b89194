"""Explains sizes that contradict each other: which size it is, and what requires each value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import func

from hwc.dialects.attributes import ASSUMED
from hwc.dialects.kernel_sizes import SizeOp
from hwc.frontend.diagnostics import location_of
from hwc.frontend.source import Location
from hwc.shapes import Size, SizeConflict, SymbolTable
from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps import Broadcast, Dim


def contradiction(
    conflict: SizeConflict,
    steps: Sequence[SizeOp],
    function: func.FuncOp,
    sizes: Iterable[Size],
    dimension: int | None = None,
    declared: Size | None = None,
) -> str:
    """Return what is wrong, as in `dimension 0 of %x to be both 4 (the fact 'x.0 == 4') and 5`.

    `steps` hold so far, and `sizes` do not fit the steps. `dimension` is the dimension of the
    result that the sizes are about, and `declared` is the size in the result's type.
    """
    known = list(sizes)
    if dimension is not None:
        subject: str | None = f"dimension {dimension} of its result"
    else:
        subject = next(filter(None, (_called(size, steps, function) for size in known)), None)
    reasons = [
        _reason(value, known, steps, declared) for value in (conflict.first, conflict.second)
    ]
    first, second = (
        f"{value}{f' ({reason})' if reason else ''}"
        for value, reason in zip((conflict.first, conflict.second), reasons, strict=True)
    )
    return f"{subject or 'a size'} to be both {first} and {second}"


def _called(size: Size, steps: Sequence[SizeOp], function: func.FuncOp) -> str | None:
    """Return a symbol's name for users; None for a size that does not appear in the program."""
    for number, step in enumerate(op.step for op in steps):
        if isinstance(step, Dim) and step.result == size:
            name = function.body.block.args[step.argument].name_hint
            called = f"%{name}" if name else f"argument {step.argument}"
            where = f"dimension {step.dimension} of {called}"
            return f"'{size}', {where}," if step.named else where
        if isinstance(step, Broadcast) and step.result == size:
            # Only earlier steps name an operand: a later step may lead back to this one.
            known = steps[:number]
            of = [_called(operand, known, function) or str(operand) for operand in step.operands]
            return f"the broadcast of {' and '.join(of)}"
    return None


def _reason(
    value: int | Range, sizes: Sequence[Size], steps: Sequence[SizeOp], declared: Size | None
) -> str:
    """Return what requires a value; '' if the operation itself does."""
    wanted = Range(value, value) if isinstance(value, int) else value
    for size in sizes:
        if isinstance(size, str) and (found := _decided(size, wanted, steps)):
            return _asks(found)
    if value == declared:
        return "as its type says"
    if value not in sizes:
        return ""
    found = next((op for op in reversed(steps) if value in (*op.step.reads, *op.step.gives)), None)
    return "" if found is None else _asks(found)


def _decided(symbol: str, value: Range, steps: Sequence[SizeOp]) -> SizeOp | None:
    """Return the step that first gives a symbol this value."""
    table = SymbolTable()
    for op in steps:
        before = ANY if table.is_new(symbol) else table.range_of(symbol)
        try:
            op.step.replay(table)
            table.canonicalize()
        except SizeConflict:  # a conflict of all steps together has no single cause
            return None
        if not table.is_new(symbol) and table.range_of(symbol) == value != before:
            return op
    return None


def _asks(op: SizeOp) -> str:
    if op.source is None:
        return ""
    source = op.source.data
    if source.startswith(ASSUMED):
        return f"the fact '{source.removeprefix(ASSUMED)}'"
    place = location_of(op.location)
    if isinstance(place, Location):
        return f"'{source}' in line {place.line}"
    return f"'{source}'" + (f" at {place}" if place else "")
