"""Operations of `arith` and `math` by which named operations of `linalg` compute one point.

`docs/shapes.md` lists the named operations. An entry has one name for integers and one for floats;
the name for integers is missing where upstream has none. Integers are signed unless the name says
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scalar:
    """The scalar operation on integers, on floats, and on i1 where upstream computes in logic."""

    integers: str | None
    floats: str | None
    booleans: str | None = None


NAMED: Mapping[str, Scalar] = {
    "abs": Scalar("math.absi", "math.absf"),
    "add": Scalar("arith.addi", "arith.addf", "arith.ori"),
    "ceil": Scalar(None, "math.ceil"),
    "div": Scalar("arith.divsi", "arith.divf"),
    "div_unsigned": Scalar("arith.divui", None),
    "erf": Scalar(None, "math.erf"),
    "exp": Scalar(None, "math.exp"),
    "floor": Scalar(None, "math.floor"),
    "log": Scalar(None, "math.log"),
    "max": Scalar("arith.maxsi", "arith.maximumf"),
    "max_signed": Scalar("arith.maxsi", "arith.maximumf"),
    "max_unsigned": Scalar("arith.maxui", "arith.maximumf"),
    "min": Scalar("arith.minsi", "arith.minimumf"),
    "min_signed": Scalar("arith.minsi", "arith.minimumf"),
    "min_unsigned": Scalar("arith.minui", "arith.minimumf"),
    "mul": Scalar("arith.muli", "arith.mulf", "arith.andi"),
    "negf": Scalar(None, "arith.negf"),
    "powf": Scalar(None, "math.powf"),
    "round": Scalar(None, "math.round"),
    "rsqrt": Scalar(None, "math.rsqrt"),
    "select": Scalar("arith.select", "arith.select", "arith.select"),
    "sqrt": Scalar(None, "math.sqrt"),
    "sub": Scalar("arith.subi", "arith.subf"),
    "tanh": Scalar(None, "math.tanh"),
}
"""The named operations that are one scalar operation."""

OTHERS = ("copy", "fill", "reciprocal", "square")
"""Named operations that are not a single scalar operation: see `normalize_linalg.py`."""
