"""The stages that the transcendental instructions are built from, in integers.

Each stage is a fixed number of multiplications, shifts and additions, so a pipeline can take a new
point every cycle. float64 serves only as a container whose fields are read and written: every
number put into one is an integer of at most 53 bits, so nothing is rounded on the way in, and the
one rounding of a result happens in `pack`. Here `a >> n` on a signed number rounds down.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.lanes import CANONICAL_NAN, I32Array, floats
from sim.semantics.tables import I64Array, Table

BEYOND = 400
"""Exponent that stands for infinity, and its negative for zero.

Far outside float32 either way, so most functions need no special case: what they make of 2^400 or
2^-400 rounds to the infinity, zero or one that it should be.
"""

_BIAS = 1023
_FIELD = 52
_LEADING = 1 << 23
_EXACT = 53


def unpack(x: I32Array) -> tuple[I64Array, I64Array]:
    """Split |x| into a significand M of 24 bits and an exponent e: |x| = M * 2^(e - 23).

    Subnormal numbers are normalised: M always has its top bit set, and e reaches down to -149.
    Zero gives M = 2^23 and e = -400; infinity the same M and e = 400; NaN anything.
    """
    wide = np.abs(floats(x).astype(np.float64)).view(np.int64)
    exponent = wide >> _FIELD
    exponent -= _BIAS
    np.maximum(exponent, -BEYOND, out=exponent)
    np.minimum(exponent, BEYOND, out=exponent)
    wide >>= 29
    wide &= _LEADING - 1
    wide |= _LEADING
    return wide, exponent


def polynomial(table: Table, index: I64Array, place: I64Array, bits: int) -> I64Array:
    """Evaluate segment `index` of a table at d = place / 2^bits, in the table's unit.

    Horner's scheme, each product shifted back by `bits` (at most 29) before the next coefficient
    is added. The products have 17 + 29, 23 + 29 and 31 + 29 bits at most.
    """
    c0, c1, c2, c3 = table.columns
    value = c3.take(index)
    for column in (c2, c1, c0):
        value *= place
        value >>= bits
        value += column.take(index)
    return value


def normalise(value: I64Array, keep: int) -> tuple[I64Array, I64Array]:
    """Bring a number of [0, 2^63) to `keep` significant bits (at most 42), rounded half up.

    Returns A and k with value ~ A * 2^k, A in [2^(keep - 1), 2^keep] (the upper end when rounding
    carries). Zero gives some A and k < -1000.
    """
    # Numbers beyond 53 bits lose 10 bits first: those lie below the place that decides.
    long = (value >> _EXACT) != 0
    cut = long * np.int64(10)
    fields = (value >> cut).astype(np.float64).view(np.int64)
    exponent = fields >> _FIELD
    exponent -= _BIAS + keep - 1
    exponent += cut
    fields &= (1 << _FIELD) - 1
    fields |= 1 << _FIELD
    fields += 1 << (_FIELD - keep)
    fields >>= _FIELD + 1 - keep
    return fields, exponent


def fixed(product: I64Array, exponent: I64Array) -> I64Array:
    """Align product * 2^(exponent - 60) to units of 2^-36, rounding down.

    `product` lies in [2^60, 2^62). Exponents of 8 and more all count as 8: the result is then 256
    or more, which overflows (or vanishes) in everything made of it. A shift beyond 62 gives 0.
    """
    shift = np.subtract(24, exponent)
    np.maximum(shift, 16, out=shift)
    np.minimum(shift, 63, out=shift)
    return np.right_shift(product, shift, out=shift)


def apply_sign(value: I64Array, negative: I64Array) -> I64Array:
    """Negate in place where `negative` is -1 (elsewhere it is 0)."""
    value ^= negative
    value -= negative
    return value


def sign_of(x: I32Array) -> I64Array:
    """Give -1 where the sign bit is set, else 0."""
    return (x >> 31).astype(np.int64)


def pack(value: I64Array, exponent: I64Array | int) -> I32Array:
    """Round value * 2^exponent to float32: once, to nearest even, into subnormals and infinity.

    `value` lies in [0, 2^53) and the exponent in [-1022, 900].
    """
    field = np.asarray(exponent + np.int64(_BIAS))
    field <<= _FIELD
    exact = value.astype(np.float64)
    exact *= field.view(np.float64)
    return exact.astype(np.float32).view(np.int32)


def copy_sign(result: I32Array, x: I32Array) -> I32Array:
    """Give `result`, which has none, the sign of x, in place."""
    result |= x & np.int32(-(2**31))
    return result


def settle_nan(result: I32Array, invalid: np.ndarray) -> I32Array:
    """Put the canonical NaN where `invalid` is true, in place."""
    if invalid.any():
        np.putmask(result, invalid, CANONICAL_NAN)
    return result


def is_nan(x: I32Array) -> np.ndarray:
    """Tell which lanes are NaN."""
    return np.isnan(floats(x))
