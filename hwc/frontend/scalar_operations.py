"""Every operation of upstream's `arith` and `math`: how it behaves, or why it is refused.

A test compares the list with the operations of mlir-opt 22. `hwc/backend/selection/rules.py`
defines the instructions that an operation becomes. `docs/elementwise.md` is generated from both
files.
"""

from __future__ import annotations

from collections.abc import Mapping

_ROUNDED = "rounded once, to nearest even; subnormals are kept; a NaN result is the canonical NaN"
_ULP = "within 1 ulp ([accuracy](accuracy.md)); a NaN gives the canonical NaN"
_TWO_ULP = "within 2 ulp ([accuracy](accuracy.md)); a NaN gives the canonical NaN"
_DIVISION = "by 0 it is -1; the smallest number by -1 wraps"
_UNSIGNED_DIVISION = "by 0 it is the greatest number"
_WRAPS = "wraps"
_BITS = "bit by bit"
_EXACT = "exact"
_RELATION = "relations beginning with `o` are false for a NaN, those beginning with `u` true"

BEHAVIOUR: Mapping[str, str] = {
    "arith.addf": _ROUNDED,
    "arith.addi": f"{_WRAPS}; on i1 the carry is dropped",
    "arith.addui_extended": "the sum wraps; the second result is its carry",
    "arith.andi": _BITS,
    "arith.bitcast": "between types of one width; the bits of a NaN stay",
    "arith.ceildivsi": f"rounded up; {_DIVISION}",
    "arith.ceildivui": f"rounded up; {_UNSIGNED_DIVISION}",
    "arith.cmpf": _RELATION,
    "arith.cmpi": "on i1 as a signed number, true is -1",
    "arith.constant": "an immediate of the instructions that read it, else a tensor in memory",
    "arith.divf": _ROUNDED,
    "arith.divsi": f"rounded toward zero; {_DIVISION}",
    "arith.divui": f"rounded down; {_UNSIGNED_DIVISION}",
    "arith.extf": "exact; a NaN stays one",
    "arith.extsi": "on i1, true is -1",
    "arith.extui": "on i1, true is 1",
    "arith.floordivsi": f"rounded down; {_DIVISION}",
    "arith.fptosi": "rounded toward zero; saturates; a NaN gives 0",
    "arith.fptoui": "rounded toward zero; saturates; a NaN gives 0",
    "arith.maximumf": "a NaN if either is one; 0 is more than -0",
    "arith.maxnumf": "the other operand if one is a NaN",
    "arith.maxsi": "on i1 as a signed number, true is -1",
    "arith.maxui": "on i1, true is 1",
    "arith.minimumf": "a NaN if either is one; -0 is less than 0",
    "arith.minnumf": "the other operand if one is a NaN",
    "arith.minsi": "on i1 as a signed number, true is -1",
    "arith.minui": "on i1, true is 1",
    "arith.mulf": _ROUNDED,
    "arith.muli": _WRAPS,
    "arith.mulsi_extended": "the lower and the upper half of the product",
    "arith.mului_extended": "the lower and the upper half of the product",
    "arith.negf": "the sign changes; a NaN gives the canonical NaN",
    "arith.ori": _BITS,
    "arith.remf": "exact, with the sign of the first operand; a NaN if that is infinite or by 0",
    "arith.remsi": "the sign of the first operand; by 0, the first operand",
    "arith.remui": "by 0, the first operand",
    "arith.select": "the operand as it is, also a NaN",
    "arith.shli": "the amount is unsigned; from the width on, the result is 0",
    "arith.shrsi": "the amount is unsigned; from the width on, only the sign is left",
    "arith.shrui": "the amount is unsigned; from the width on, the result is 0",
    "arith.sitofp": "rounded to nearest even; on i1, true is -1",
    "arith.subf": _ROUNDED,
    "arith.subi": f"{_WRAPS}; on i1 the borrow is dropped",
    "arith.truncf": f"{_ROUNDED}; no other rounding mode",
    "arith.trunci": _WRAPS,
    "arith.uitofp": "rounded to nearest even; on i1, true is 1",
    "arith.xori": _BITS,
    "math.absf": "the sign is cleared; a NaN gives the canonical NaN",
    "math.absi": "the smallest number stays",
    "math.ceil": _EXACT,
    "math.clampf": "raised to the lower bound, then lowered to the upper; NaNs propagate",
    "math.copysign": "exact; a NaN as the first operand gives the canonical NaN",
    "math.cos": _ULP,
    "math.ctlz": "0 has as many as the type has bits, whatever `is_zero_poison` allows",
    "math.ctpop": _EXACT,
    "math.cttz": "0 has as many as the type has bits, whatever `is_zero_poison` allows",
    "math.erf": _ULP,
    "math.exp": _ULP,
    "math.exp2": _ULP,
    "math.expm1": _TWO_ULP,
    "math.floor": _EXACT,
    "math.fma": _ROUNDED,
    "math.isfinite": "false for a NaN",
    "math.isinf": "false for a NaN",
    "math.isnan": _EXACT,
    "math.isnormal": "false for a NaN",
    "math.log": f"{_ULP}; -Inf for 0, a NaN for negative numbers",
    "math.log10": f"{_ULP}; -Inf for 0, a NaN for negative numbers",
    "math.log1p": f"{_TWO_ULP}; -Inf for -1, a NaN below",
    "math.log2": f"{_ULP}; -Inf for 0, a NaN for negative numbers",
    "math.powf": _ULP,
    "math.round": "exact; halves away from zero",
    "math.roundeven": "exact; ties to even",
    "math.rsqrt": f"{_ULP}; Inf for 0",
    "math.sin": _ULP,
    "math.sincos": _ULP,
    "math.sqrt": f"{_ROUNDED}; -0 for -0, a NaN for negative numbers",
    "math.tan": _TWO_ULP,
    "math.tanh": _ULP,
    "math.trunc": _EXACT,
}
"""What each operation of the machine does, above all where upstream leaves it open."""

_NO_INSTRUCTION = "the machine has no instruction for it, and a sequence would round more than once"
_WHOLE_POWERS = (
    "a loop over the bits of the power has no instruction; math.powf takes it as a float"
)
_FORMATS = "it converts between types that the machine does not have"
_SIZES = "only the host has index: it converts shapes, of at most 64 sizes"

REFUSED: Mapping[str, str] = {
    "arith.index_cast": _SIZES,
    "arith.index_castui": _SIZES,
    "arith.scaling_extf": _FORMATS,
    "arith.scaling_truncf": _FORMATS,
    "math.acos": _NO_INSTRUCTION,
    "math.acosh": _NO_INSTRUCTION,
    "math.asin": _NO_INSTRUCTION,
    "math.asinh": _NO_INSTRUCTION,
    "math.atan": _NO_INSTRUCTION,
    "math.atan2": _NO_INSTRUCTION,
    "math.atanh": _NO_INSTRUCTION,
    "math.cbrt": _NO_INSTRUCTION,
    "math.cosh": _NO_INSTRUCTION,
    "math.erfc": _NO_INSTRUCTION,
    "math.fpowi": _WHOLE_POWERS,
    "math.ipowi": _WHOLE_POWERS,
    "math.sinh": _NO_INSTRUCTION,
}
"""Why an operation is refused."""


def is_refused(name: str) -> bool:
    """Whether no program may have operations called `name`, whatever their types are."""
    return name in REFUSED and REFUSED[name] != _SIZES


def refusal(name: str) -> tuple[str, str] | None:
    """Return the error message and the advice for a refused operation, else None."""
    if name not in REFUSED:
        return None
    return f"'{name}' is not supported: {REFUSED[name]}", "compute it outside"
