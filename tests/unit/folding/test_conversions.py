"""Conversions of constants: every number of the small types, against NumPy and xDSL."""

import numpy as np
import pytest
from xdsl.dialects import builtin

from hwc.dialects.constant_types import NumberType, number_type
from hwc.folding.conversions import CONVERSIONS, can_convert, convert

F16, BF16 = number_type(builtin.f16), number_type(builtin.bf16)
F32, F64 = number_type(builtin.f32), number_type(builtin.f64)
E4M3 = number_type(builtin.Float8E4M3FNType())
E5M2 = number_type(builtin.Float8E5M2Type())
CAST = CONVERSIONS["tosa.cast"]
ALL = np.arange(1 << 16, dtype=np.uint16)


def integer(bits):
    return NumberType("integer", bits)


def doubles():
    """Random bits, and numbers around the limits of the narrower types."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 64, 20_000, np.uint64).view(np.float64)
    usual = rng.standard_normal(20_000) * 10.0 ** rng.integers(-48, 40, 20_000)
    limits = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 65536, 2.0**-25, 2.0**-24]
    ties = [1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 1 + 3 * 2.0**-24, 0.5, 1.5, 2.5, -0.5, -129.0]
    ties += [127.5, 128.5, 2.0**31 - 0.5, 2.0**31, 2.0**63, -(2.0**63), 1e-46, 3.4028236e38]
    return np.concatenate([bits, usual, limits, ties])


def assert_same_floats(bits, expected, target):
    """Same bits, and the canonical NaN for every NaN."""
    nan = np.isnan(expected)
    wanted = expected.view(bits.dtype)
    np.testing.assert_array_equal(bits[~nan], wanted[~nan])
    quiet = ((1 << target.exponent_bits) - 1) << target.fraction_bits | 1 << (
        target.fraction_bits - 1
    )
    assert set(bits[nan].tolist()) <= {quiet}


def test_f16_to_f32_is_exact():
    assert_same_floats(convert(ALL, F16, F32, CAST), ALL.view(np.float16).astype(np.float32), F32)


def test_bf16_to_f32_is_exact():
    expected = (ALL.astype(np.uint32) << 16).view(np.float32)
    assert_same_floats(convert(ALL, BF16, F32, CAST), expected, F32)


@pytest.mark.parametrize("kind", [builtin.Float8E4M3FNType(), builtin.Float8E5M2Type()])
def test_fp8_to_f32_is_exact(kind):
    bits = np.arange(256, dtype=np.uint8)
    expected = np.array(kind.unpack(bits.tobytes(), 256), np.float32)
    assert_same_floats(convert(bits, number_type(kind), F32, CAST), expected, F32)


@pytest.mark.parametrize("target", [F16, BF16, E5M2])
def test_what_a_narrow_float_holds_comes_back(target):
    bits = ALL[: 1 << target.bits].astype(f"u{target.bits // 8}")
    wide = convert(bits, target, F32, CAST)
    back = convert(wide, F32, target, CAST)
    number = ~np.isnan(wide.view(np.float32))
    np.testing.assert_array_equal(back[number], bits[number])


@pytest.mark.parametrize(("target", "dtype"), [(F32, np.float32), (F16, np.float16)])
def test_f64_is_rounded_once(target, dtype):
    values = doubles()
    with np.errstate(all="ignore"):
        expected = values.astype(dtype)
    assert_same_floats(convert(values.view(np.uint64), F64, target, CAST), expected, target)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("name", ["tosa.cast", "arith.fptosi", "arith.fptoui"])
def test_floats_to_integers_saturate(name, bits):
    values, how = doubles(), CONVERSIONS[name]
    signed = name != "arith.fptoui"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    with np.errstate(invalid="ignore"):
        whole = np.rint(values) if name == "tosa.cast" else np.trunc(values)
    expected = [
        0 if np.isnan(v) else low if v < low else high if v > high else int(v)
        for v in whole.tolist()
    ]
    got = convert(values.view(np.uint64), F64, integer(bits), how)
    assert got.tolist() == [e % (1 << bits) for e in expected]


@pytest.mark.parametrize("bits", [4, 48, 64])
def test_integers_keep_their_low_bits(bits):
    stored = next(size for size in (8, 64) if bits <= size)
    values = np.array([0, 1, -1, 5, -7, (1 << bits - 1) - 1, -(1 << bits - 1)], f"i{stored // 8}")
    given = values.view(f"u{stored // 8}")
    for target in (8, 16, 32):
        expected = [v % (1 << target) for v in values.tolist()]
        got = convert(given, integer(bits), integer(target), CAST)
        np.testing.assert_array_equal(got, np.array(expected, f"u{target // 8}"))
    np.testing.assert_array_equal(
        convert(given, integer(bits), F32, CAST).view(np.float32), values.astype(np.float32)
    )
    np.testing.assert_array_equal(convert(given, integer(bits), integer(1), CAST), values != 0)


def test_a_large_integer_is_rounded_once():
    values = np.array([2**63 - 1, 2**24 + 1, 2**53 + 1, -(2**62) - 2**38 - 1], np.int64)
    got = convert(values.view(np.uint64), integer(64), F32, CAST).view(np.float32)
    np.testing.assert_array_equal(got, np.array([2**63, 2**24, 2**53, -(2**62) - 2**39], "f4"))


def test_what_is_true_as_a_number():
    true = np.array([255, 0], np.uint8)
    expected_of = {"tosa.cast": [1, 0], "arith.uitofp": [1, 0], "arith.sitofp": [-1, 0]}
    for name, expected in expected_of.items():
        got = convert(true, integer(1), F16, CONVERSIONS[name]).view(np.float16)
        np.testing.assert_array_equal(got, expected)


def test_a_float_without_infinities_has_a_nan_beyond_its_largest_number():
    given = np.array([448.0, 464.0, 464.5, -500.0, np.inf, 0.0625], np.float32)
    got = convert(given.view(np.uint32), F32, E4M3, CAST)
    np.testing.assert_array_equal(got, np.array([0x7E, 0x7E, 0x7F, 0x7F, 0x7F, 0x18], np.uint8))


def test_nothing_is_rounded_twice():
    assert not can_convert(integer(64), BF16)
    assert can_convert(integer(64), F32)
    assert can_convert(integer(32), BF16)
    assert can_convert(E4M3, BF16)


def test_types_of_constants():
    assert number_type(builtin.IntegerType(65)) is None
    assert number_type(builtin.IntegerType(8, builtin.Signedness.UNSIGNED)) is None
    assert number_type(builtin.Float80Type()) is None
    assert number_type(builtin.IndexType()) is None
