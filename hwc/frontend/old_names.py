"""Names that operations had in earlier versions of MLIR, and the names that they have today.

Until 2021, the dialect `std` held the operations of today's `arith`, `math`, `func` and of parts of
`tensor`. In the pretty form, its name was left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from hwc.frontend.scalar_operations import BEHAVIOUR, REFUSED

_STD = "std"

_RENAMED: Mapping[str, str] = {
    "func": "func.func",
    "return": "func.return",
    "constant": "arith.constant",
    "dim": "tensor.dim",
    "rank": "tensor.rank",
    "splat": "tensor.splat",
    "tensor_cast": "tensor.cast",
    "tensor_load": "bufferization.to_tensor",
    "extract_element": "tensor.extract",
    "tensor_from_elements": "tensor.from_elements",
    "dynamic_tensor_from_elements": "tensor.generate",
    "subtensor": "tensor.extract_slice",
    "subtensor_insert": "tensor.insert_slice",
    "alloc": "memref.alloc",
    "dealloc": "memref.dealloc",
    "load": "memref.load",
    "store": "memref.store",
    "br": "cf.br",
    "cond_br": "cf.cond_br",
    "and": "arith.andi",
    "or": "arith.ori",
    "xor": "arith.xori",
    "shift_left": "arith.shli",
    "shift_right_signed": "arith.shrsi",
    "shift_right_unsigned": "arith.shrui",
    "divis": "arith.divsi",
    "diviu": "arith.divui",
    "remis": "arith.remsi",
    "remiu": "arith.remui",
    "divi_signed": "arith.divsi",
    "divi_unsigned": "arith.divui",
    "remi_signed": "arith.remsi",
    "remi_unsigned": "arith.remui",
    "signed_divi": "arith.divsi",
    "unsigned_divi": "arith.divui",
    "signed_remi": "arith.remsi",
    "unsigned_remi": "arith.remui",
    "floordivi_signed": "arith.floordivsi",
    "ceildivi_signed": "arith.ceildivsi",
    "sexti": "arith.extsi",
    "zexti": "arith.extui",
    "fpext": "arith.extf",
    "fptrunc": "arith.truncf",
    "maxf": "arith.maximumf",
    "minf": "arith.minimumf",
    "ceilf": "math.ceil",
    "floorf": "math.floor",
    "fmaf": "math.fma",
    "abs": "math.absf",
}
"""Names in `std` that changed with the dialect; the others are those of `arith` and `math`."""

_MOVED: Mapping[str, str] = {
    "arith.maxf": "arith.maximumf",
    "arith.minf": "arith.minimumf",
    "arith.index_cast_ui": "arith.index_castui",
    "math.abs": "math.absf",
    "linalg.init_tensor": "tensor.empty",
    "linalg.tensor_expand_shape": "tensor.expand_shape",
    "linalg.tensor_collapse_shape": "tensor.collapse_shape",
    "linalg.pad_tensor": "tensor.pad",
}
"""Names that operations had after `std` was divided."""


def name_today(name: str) -> str | None:
    """Return today's name of an operation called `name` in an earlier version, None if none is."""
    dialect, _, own = name.rpartition(".")
    if dialect not in {"", _STD}:
        return _MOVED.get(name)
    if own in _RENAMED:
        return _RENAMED[own]
    names = (f"arith.{own}", f"math.{own}")
    return next((today for today in names if today in BEHAVIOUR or today in REFUSED), None)
