"""What the named operations of `linalg` compute for one point, as operations of `arith` and `math`.

`docs/shapes.md` lists them. An entry has the name for integers and the name for floats; the first
is missing where upstream has none. Integers are signed unless the name says otherwise.
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
"""The operations that are one scalar operation."""

OTHERS = ("copy", "fill", "reciprocal", "square")
"""Named operations that are not one scalar operation each: see `normalize_linalg.py`."""
