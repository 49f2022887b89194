"""The operators of the `tosa` dialect that hwc compiles.

`tosa_table.py` lists the operators, `tosa_rules.py` says when one is legal, and `tosa_operation.py`
parses and prints them.
"""

from __future__ import annotations

from xdsl.ir import Dialect, Operation
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.tosa_operation import (
    NanModeAttr,
    RoundingModeAttr,
    ShapeType,
    TosaOperation,
    UnaryQuantAttr,
)
from hwc.dialects.tosa_rules import check
from hwc.dialects.tosa_table import OPERATORS, OTHERS
from hwc.frontend.diagnostics import LocatedError


def _verify(op: TosaOperation) -> None:
    """Check the operator against its rules."""
    try:
        check(op)
    except LocatedError as error:
        raise VerifyException(error.message) from error


def _operator_class(name: str) -> type[TosaOperation]:
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Op"
    members: dict[str, object] = {"name": f"tosa.{name}", "__doc__": f"`tosa.{name}`."}
    members["verify_"] = _verify
    if name == "const":
        members["print"] = Operation.print  # MLIR has no pretty form of `const`
    return type(class_name, (TosaOperation,), members)


CLASSES = {name: _operator_class(name) for name in (*OPERATORS, *OTHERS)}
"""The class of each operator, by its name without the dialect."""

Tosa = Dialect(
    "tosa", list(CLASSES.values()), [NanModeAttr, RoundingModeAttr, UnaryQuantAttr, ShapeType]
)
