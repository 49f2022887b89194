"""Formats: their limits, unpacking, and rounding to formats narrower than the lanes'."""

import math
from fractions import Fraction

import numpy as np
import pytest

import isa
from sim.semantics import formats
from sim.semantics.formats import FORMATS, LANE, FloatFormat

F16 = FloatFormat(exponent_bits=5, fraction_bits=10)
BF16 = FloatFormat(exponent_bits=8, fraction_bits=7)
E5M2 = FloatFormat(exponent_bits=5, fraction_bits=2)


def nearest(number: float, format_: FloatFormat) -> float:
    """Round a number to a format with rational arithmetic, to nearest even."""
    if not math.isfinite(number) or number == 0:
        return number
    exact = abs(Fraction(number))
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > exact
    least_normal = 2 - 2 ** (format_.exponent_bits - 1)
    unit = Fraction(2) ** (max(exponent, least_normal) - format_.fraction_bits)
    # Python rounds a Fraction to the nearest whole number, ties to even.
    magnitude = round(exact / unit) * unit
    overflow = Fraction(2) ** (2 ** (format_.exponent_bits - 1))
    return math.copysign(math.inf if magnitude >= overflow else float(magnitude), number)


def numbers(format_: FloatFormat) -> np.ndarray:
    """Give float64 around the limits and the ties of a format, and of every exponent."""
    rng = np.random.default_rng(21)
    exponents = rng.integers(format_.min_exponent - format_.fraction_bits - 3, 20, 4000)
    short = rng.integers(0, 1 << format_.fraction_bits + 3, 4000).astype(np.float64)
    ties = np.ldexp(short, exponents - format_.fraction_bits - 2)
    least = 2.0 ** (format_.min_exponent - format_.fraction_bits)
    edges = [format_.largest, 2.0**format_.max_exponent * 2, 2.0**format_.min_exponent, least]
    around = [edge * scale for edge in edges for scale in (0.5, 0.999, 1, 1.001, 1.5)]
    above = format_.largest + 2.0 ** (format_.max_exponent - format_.fraction_bits - 1)
    around += [above, np.nextafter(above, 0), np.nextafter(above, np.inf)]
    noise = rng.standard_normal(2000) * np.ldexp(1.0, rng.integers(-40, 20, 2000))
    every = np.concatenate([ties, around, noise, [0.0, np.inf]])
    return np.concatenate([every, -every])


def test_the_formats_are_the_float_types() -> None:
    types = {t.name for t in isa.load().types.values() if t.kind == "float"}
    assert set(FORMATS) == types


def test_limits() -> None:
    info = np.finfo(np.float32)
    assert (LANE.max_exponent, LANE.min_exponent, LANE.largest) == (127, -126, float(info.max))
    assert formats.CANONICAL_NAN == 0x7FC00000
    info = np.finfo(np.float16)
    assert (F16.max_exponent, F16.min_exponent, F16.largest) == (15, -14, float(info.max))
    assert F16.canonical_nan == 0x7E00
    assert BF16.canonical_nan == 0x7FC0
    assert BF16.largest == float.fromhex("0x1.fep127")


@pytest.mark.parametrize("format_", [LANE, F16, BF16, E5M2], ids=["f32", "f16", "bf16", "e5m2"])
def test_round(format_: FloatFormat) -> None:
    operands = numbers(format_)
    with np.errstate(all="ignore"):
        got = format_.round(operands)
    assert got.dtype == np.float32
    for number, result in zip(operands.tolist(), got.tolist(), strict=True):
        want = nearest(number, format_)
        assert (result, math.copysign(1, result)) == (want, math.copysign(1, want)), number.hex()


def test_round_to_half_precision_is_numpy_s() -> None:
    rng = np.random.default_rng(22)
    patterns = rng.integers(0, 1 << 32, 300_000, dtype=np.uint32).view(np.float32)
    near = (rng.standard_normal(300_000) * np.ldexp(1.0, rng.integers(-30, 17, 300_000))).astype(
        np.float32
    )
    for operands in (patterns[~np.isnan(patterns)], near):
        with np.errstate(all="ignore"):
            want = operands.astype(np.float16).astype(np.float32)
            got = F16.round(operands)
        np.testing.assert_array_equal(got.view(np.int32), want.view(np.int32))


def test_integers_are_rounded_once() -> None:
    """In float32 2^24 + 2^16 + 1 would be a tie of bf16, and go down to even."""
    above_tie = np.array([2**24 + 2**16 + 1], np.int32)
    assert BF16.round(above_tie).tolist() == [2.0**24 + 2.0**17]
    assert LANE.round(np.array([2**24 + 1, 2**24 + 3], np.int32)).tolist() == [2**24, 2**24 + 4]


def test_round_keeps_nan() -> None:
    for format_ in (LANE, F16):
        assert np.isnan(format_.round(np.array([np.nan]))).all()


def test_unpack() -> None:
    operands = np.array([1.0, -1.5, 0.0, np.inf, 2.0**-149, 2.0**-126, 3 * 2.0**-140], np.float32)
    significand, exponent = formats.unpack(operands.view(np.int32))
    one = 1 << 23
    assert significand.tolist() == [one, one * 3 // 2, one, one, one, one, one * 3 // 2]
    zero, infinite = formats.ZERO_EXPONENT, formats.INFINITE_EXPONENT
    assert exponent.tolist() == [0, 0, zero, infinite, -149, -126, -139]


@pytest.mark.parametrize("format_", [LANE, F16, BF16], ids=["f32", "f16", "bf16"])
def test_rounding_a_scaled_integer(format_: FloatFormat) -> None:
    rng = np.random.default_rng(23)
    value = rng.integers(0, 1 << 53, 3000)
    exponent = rng.integers(format_.min_exponent - 70, format_.max_exponent - 45, 3000)
    with np.errstate(all="ignore"):
        got = format_.round(formats.scaled(value, exponent))
    for v, e, result in zip(value.tolist(), exponent.tolist(), got.tolist(), strict=True):
        assert result == nearest(math.ldexp(v, e), format_), (v, e)
