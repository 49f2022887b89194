"""Floating-point formats: how a float is unpacked, rounded and packed.

A lane holds a float of any type as binary32, the format `LANE`: every number of a narrower format
is a number of binary32 as well. An instruction of a type takes such lanes and rounds its result
once, to the format of the type. Every NaN result is `CANONICAL_NAN`.

`unpack` reads lanes, and `FloatFormat.round` is the only rounding to a float. float64 serves as a
container whose fields are read and written: every number put into it is exact.
In memory a float has the bits of its own format: `FloatFormat.lanes` reads them, and
`FloatFormat.bits` gives them back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isa
from sim.semantics.lanes import LANE_BITS, I32Array
from sim.semantics.one_or_many import (
    F32Array,
    F64Array,
    I64Array,
    fields_of,
    float_with,
    floats,
    wide_float,
)


@dataclass(frozen=True)
class FloatFormat:
    """A binary format: a sign, `exponent_bits` and `fraction_bits`.

    `infinite` formats are those of IEEE 754: the largest exponent stands for infinities and NaNs.
    Others have no infinities, and only the largest exponent with the largest fraction is a NaN.
    """

    exponent_bits: int
    fraction_bits: int
    infinite: bool = True

    @property
    def bias(self) -> int:
        """The difference between the exponent field and the exponent."""
        return (1 << self.exponent_bits - 1) - 1

    @property
    def max_exponent(self) -> int:
        """Exponent of the largest finite number."""
        return self.bias if self.infinite else self.bias + 1

    @property
    def min_exponent(self) -> int:
        """Exponent of the least normal number."""
        return 1 - self.bias

    @property
    def largest(self) -> float:
        """The largest finite number."""
        last_bit = 2.0**-self.fraction_bits
        return (2 - (last_bit if self.infinite else 2 * last_bit)) * 2.0**self.max_exponent

    @property
    def beyond(self) -> int:
        """Bits for numbers that are too large: infinity, or NaN where there is no infinity."""
        exponent = ((1 << self.exponent_bits) - 1) << self.fraction_bits
        return exponent if self.infinite else exponent | (1 << self.fraction_bits) - 1

    @property
    def canonical_nan(self) -> int:
        """Bits of the quiet NaN with a clear sign and an empty payload."""
        return self.beyond | 1 << self.fraction_bits - 1

    def lanes(self, bits: NDArray[Any]) -> I32Array:
        """Return the lanes of numbers and NaNs of this format, given as unsigned integers."""
        return bits.view(np.int32) if self == LANE else _lanes_of(self).take(bits)

    def bits(self, lanes: I32Array) -> I32Array:
        """Return lanes in this format, in the low bits: the inverse of `lanes`.

        If a lane is not a number of this format, the fraction bits that do not fit are cut off, and
        a number that is too large becomes `beyond`. A NaN stays a NaN.
        """
        if self == LANE:
            return lanes
        pattern = lanes.view(np.uint32)
        magnitude = (pattern & np.uint32(0x7FFFFFFF)).astype(np.int32)
        exponent = np.maximum(magnitude >> LANE.fraction_bits, 1)
        dropped = LANE.fraction_bits - self.fraction_bits
        rebias = LANE.bias - self.bias
        normal = (magnitude >> dropped) - np.int32(rebias << self.fraction_bits)
        leading = np.int32(1 << LANE.fraction_bits)
        hidden = np.where(magnitude >= leading, leading, np.int32(0))
        significand = (magnitude & (leading - 1)) | hidden
        below = rebias + 1 - exponent
        shift = np.clip(dropped + below, 0, LANE.fraction_bits + 1)
        result = np.where(below > 0, significand >> shift, normal)
        result = np.minimum(result, np.int32(self.beyond))
        # A NaN keeps the bits of its fraction that fit, unless they would all be 0.
        payload = magnitude >> dropped & ((1 << self.fraction_bits) - 1)
        payload = np.where(payload == 0, np.int32(self.canonical_nan), payload)
        nan = magnitude > np.int32(LANE.beyond)
        result = np.where(nan, np.int32(self.beyond) | payload, result)
        sign = pattern >> LANE_BITS - 1 << self.exponent_bits + self.fraction_bits
        return result | sign.astype(np.int32)

    def round(self, exact: NDArray[Any]) -> F32Array:
        """Round numbers to this format: once, to nearest even, into subnormals.

        `exact` is int32, float32 or float64. A number that is too large becomes infinite, or NaN
        where the format has no infinity. NaN gives some NaN; the sign of a zero is kept. The result
        may be `exact` itself.
        """
        if self is LANE or self == LANE:
            return exact.astype(np.float32, copy=False)
        wide = exact.astype(np.float64)
        # |wide| is in [2^(e - 1), 2^e); for a subnormal number the last bit counts, not the first.
        _, e = np.frexp(wide)
        last_bit = np.maximum(e - 1, self.min_exponent) - self.fraction_bits
        rounded = np.ldexp(np.rint(np.ldexp(wide, -last_bit)), last_bit)
        beyond = np.copysign(np.inf if self.infinite else np.nan, rounded)
        return np.where(np.abs(rounded) > self.largest, beyond, rounded).astype(np.float32)


FORMATS: Mapping[str, FloatFormat] = MappingProxyType(
    {
        type_.name: FloatFormat(type_.exponent_bits, type_.fraction_bits, type_.infinite)
        for type_ in isa.load().types.values()
        if type_.kind == "float"
    }
)
"""The format of every float type by the type's name."""

LANE = FORMATS["f32"]
"""The format in which a lane holds a float of any type."""


@cache
def _lanes_of(format_: FloatFormat) -> I32Array:
    """Return the lane of every bit pattern of a format narrower than a lane."""
    width = 1 + format_.exponent_bits + format_.fraction_bits
    patterns = np.arange(1 << width, dtype=np.int64)
    magnitude = patterns & ((1 << width - 1) - 1)
    exponent = magnitude >> format_.fraction_bits
    fraction = magnitude & ((1 << format_.fraction_bits) - 1)
    significand = fraction + (np.minimum(exponent, 1) << format_.fraction_bits)
    power = np.maximum(exponent, 1) - format_.bias - format_.fraction_bits
    exact = np.ldexp(significand.astype(np.float64), power)
    number = np.where(magnitude >= format_.beyond, 0.0, exact).astype(np.float32).view(np.int32)
    # Infinities and NaNs keep their fraction.
    special = LANE.beyond | fraction << LANE.fraction_bits - format_.fraction_bits
    result = np.where(magnitude >= format_.beyond, special, number).astype(np.int32)
    np.bitwise_or(result, SIGN, out=result, where=patterns >> width - 1 != 0)
    result.flags.writeable = False
    return result


CANONICAL_NAN = LANE.canonical_nan
"""Lane of every NaN that a float instruction returns."""

SIGN = np.int32(-(1 << LANE_BITS - 1))
"""Lane with the sign bit alone."""

INFINITE_EXPONENT = 400
"""Exponent that `unpack` gives for infinity.

The exponent is far outside the lanes' format, so most functions need no special case: their result
for 2^400 rounds to the right infinity, zero or one.
"""

ZERO_EXPONENT = -INFINITE_EXPONENT
"""Exponent that `unpack` gives for zero."""

FRACTION_BITS = LANE.fraction_bits
"""Fraction bits of a lane's float, and of the significand that `unpack` gives."""

_WIDE_FRACTION, _WIDE_BIAS = 52, 1023
"""Fraction bits and bias of float64."""

PACK_BITS = _WIDE_FRACTION + 1
"""Bits of the largest integer that `scaled` takes."""


def canonical(result: F32Array) -> I32Array:
    """Return the lanes of a freshly computed float result, with every NaN made canonical.

    The result is changed in place. Its minimum is a NaN if and only if some element is a NaN, so
    the common case takes one pass and no temporary.
    """
    result = np.asarray(result)
    lanes = result.view(np.int32)
    if result.size and (least := np.minimum.reduce(result, axis=None)) != least:
        np.putmask(lanes, np.isnan(result), CANONICAL_NAN)
    return lanes


def unpack(x: I32Array) -> tuple[I64Array, I64Array]:
    """Split |x| into a significand M and an exponent e: |x| = M * 2^(e - FRACTION_BITS).

    Subnormal numbers are normalised: M has FRACTION_BITS + 1 bits and its top bit is set. Zero
    gives the M of 1 and `ZERO_EXPONENT`, infinity the same M and `INFINITE_EXPONENT`, NaN anything.
    """
    wide = fields_of(np.abs(wide_float(floats(x))))
    exponent = (wide >> _WIDE_FRACTION) - _WIDE_BIAS
    exponent = np.minimum(np.maximum(exponent, ZERO_EXPONENT), INFINITE_EXPONENT)
    leading = 1 << FRACTION_BITS
    wide >>= _WIDE_FRACTION - FRACTION_BITS
    wide &= leading - 1
    wide |= leading
    return wide, exponent


def normalise(value: I64Array, bits: int) -> tuple[I64Array, I64Array]:
    """Bring a number of [0, 2^63) to `bits` significant bits (at most 42), rounded half up.

    Returns A and k with value ~ A * 2^k, A in [2^(bits - 1), 2^bits] (the upper end when rounding
    carries). Zero gives some A and k < -1000.
    """
    # Numbers of more than 53 bits lose 10 bits first, which are below the bit that decides.
    long = (value >> _WIDE_FRACTION + 1) != 0
    cut = long * np.int64(10)
    fields = fields_of(wide_float(value >> cut))
    exponent = (fields >> _WIDE_FRACTION) - (_WIDE_BIAS + bits - 1)
    exponent += cut
    fields &= (1 << _WIDE_FRACTION) - 1
    fields |= 1 << _WIDE_FRACTION
    fields += 1 << (_WIDE_FRACTION - bits)
    fields >>= _WIDE_FRACTION + 1 - bits
    return fields, exponent


def scaled(value: I64Array, exponent: I64Array) -> F64Array:
    """Return value * 2^exponent, which float64 holds exactly.

    `value` lies in [0, 2^PACK_BITS) and the exponent in [-1022, 900].
    """
    return wide_float(value) * float_with(exponent + _WIDE_BIAS << _WIDE_FRACTION)


_CHUNK = 16384
"""Points processed at a time: the temporaries of one chunk stay in a core's cache."""


def in_chunks(
    function: Callable[..., I32Array], format_: FloatFormat, a: I32Array, *rest: I32Array
) -> I32Array:
    """Apply a function of one-dimensional lanes to lanes of broadcasting shapes."""
    shape, operands = a.shape, (a, *rest)
    if any(operand.shape != shape for operand in rest):
        shape = np.broadcast_shapes(*(operand.shape for operand in operands))
        operands = [np.broadcast_to(operand, shape) for operand in operands]
    flat = [operand.reshape(-1) for operand in operands]
    if flat[0].size <= _CHUNK:
        return function(format_, *flat).reshape(shape)
    result = np.empty(flat[0].size, np.int32)
    for start in range(0, result.size, _CHUNK):
        stop = start + _CHUNK
        result[start:stop] = function(format_, *(operand[start:stop] for operand in flat))
    return result.reshape(shape)
