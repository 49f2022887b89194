"""The stages that the transcendental instructions are built from, in integers.

Each stage is a fixed number of multiplications, shifts and additions, so a pipeline can take a new
point every cycle. A function begins with `formats.unpack` and ends with `formats.scaled`, whose
result is then rounded once; no stage knows a format. Here `a >> n` on a signed number rounds down.

Everything here works on arrays and on single numbers (`one_or_many`). A stage changes only its own
values in place, or values that its caller no longer needs.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.formats import FRACTION_BITS, PACK_BITS
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import I64Array, entry, wide_integer
from sim.semantics.tables import FACTOR_BITS, Table

UNIT_BITS = 36
"""Fraction bits of most values: the unit of most tables is 2^-36."""

OFFSET_BITS = 29
"""Bits of an offset inside a segment, for the tables whose argument has that many."""

EXCESS_BITS = (FRACTION_BITS + 1) + (UNIT_BITS + 1) - PACK_BITS
"""By how many bits a significand times a table value is wider than `scaled` takes."""

PRODUCT_BITS = FRACTION_BITS + FACTOR_BITS
"""Fraction bits of a significand times a factor, which `fixed` takes."""


def offset_bits(segments: int) -> int:
    """Count the fraction bits of a significand below those that choose one of `segments`."""
    return FRACTION_BITS - (segments.bit_length() - 1)


def low_bits(bits: int) -> int:
    """Return a mask of the lowest `bits` bits."""
    return (1 << bits) - 1


def polynomial(table: Table, index: I64Array, offset: I64Array, bits: int) -> I64Array:
    """Evaluate segment `index` of a table at d = offset / 2^bits, in the table's unit.

    Horner's scheme, each product shifted back by `bits` (at most 29) before the next coefficient
    is added. The products have 17 + 29, 23 + 29 and 31 + 29 bits at most.
    """
    c0, c1, c2, c3 = table.columns
    value = entry(c3, index)
    value *= offset
    value >>= bits
    value += entry(c2, index)
    value *= offset
    value >>= bits
    value += entry(c1, index)
    value *= offset
    value >>= bits
    value += entry(c0, index)
    return value


def fixed(product: I64Array, exponent: I64Array) -> I64Array:
    """Align product * 2^(exponent - PRODUCT_BITS) to units of 2^-36, rounding down.

    `product` lies in [2^PRODUCT_BITS, 2^(PRODUCT_BITS + 2)). Exponents of 8 and more all count as
    8: the result is then 256 or more, which overflows (or vanishes) in everything made of it. A
    shift beyond 62 gives 0.
    """
    shift = np.maximum(PRODUCT_BITS - UNIT_BITS - exponent, PRODUCT_BITS - UNIT_BITS - 8)
    return product >> np.minimum(shift, 63)


def apply_sign(value: I64Array, negative: I64Array) -> I64Array:
    """Negate in place where `negative` is -1; elsewhere it is 0."""
    value ^= negative
    value -= negative
    return value


def sign_of(x: I32Array) -> I64Array:
    """Return -1 where the sign bit is set, else 0."""
    return wide_integer(x >> 31)
