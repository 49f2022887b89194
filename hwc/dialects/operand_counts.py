"""Checks how many operands and results a TOSA operation has."""

from __future__ import annotations

from collections.abc import Sequence

from hwc.dialects.tosa_operation import TosaOperation
from hwc.errors import counted
from hwc.frontend.diagnostics import error_at


def check_count(op: TosaOperation, counts: Sequence[int]) -> None:
    """Raise a located error unless `op` has one result, and one of these numbers of operands."""
    if len(op.operands) not in counts:
        expected = " or ".join(str(count) for count in counts)
        raise error_at(
            op,
            f"'{op.name}' has {counted(len(op.operands), 'operand')}, expected {expected}",
            "write an operand for each input of the operator",
        )
    if len(op.results) != 1:
        raise error_at(
            op,
            f"'{op.name}' has {counted(len(op.results), 'result')}, expected 1",
            "an operator has one result",
        )
