"""The transcendentals once more, one point at a time, in Python integers of stated widths.

Written from the stages as they are documented, the way a pipeline would do them. Every value is
checked against the width it is given there, so nothing can hide in an overflow; NumPy must give the
same bits.
"""

from collections.abc import Callable

import numpy as np
import pytest

from sim.semantics import execute, tables

ONE = 1 << 36
NAN = 0x7FC00000
INF = 0x7F800000
ZERO, BEYOND = -400, 400
LOW29 = (1 << 29) - 1


def wide(value: int, bits: int) -> int:
    """Check that a value's magnitude has at most `bits` bits."""
    assert abs(value).bit_length() <= bits, (value, bits)
    return value


def unpack(pattern: int) -> tuple[int, int]:
    """Split a magnitude into significand and exponent."""
    field, low = pattern >> 23 & 255, pattern & 0x7FFFFF
    if field == 255:
        return 1 << 23, BEYOND
    if field:
        return low | 1 << 23, field - 127
    if low == 0:
        return 1 << 23, ZERO
    shift = 24 - low.bit_length()
    return low << shift, -126 - shift


def pack(value: int, exponent: int) -> int:
    """Round value * 2^exponent to float32 bits, to nearest even."""
    if value == 0:
        return 0
    top = max(value.bit_length() - 1 + exponent, -126)
    drop = top - 23 - exponent
    if drop <= 0:
        kept = value << -drop
    else:
        kept, rest, half = value >> drop, value & ((1 << drop) - 1), 1 << (drop - 1)
        kept += rest > half or (rest == half and kept & 1)
    return min(kept + (top + 126 << 23), INF)


def cubic(table: tables.Table, segment: int, offset: int, bits: int) -> int:
    """Evaluate one segment by Horner's scheme."""
    assert 0 <= offset < 1 << bits
    c0, c1, c2, c3 = (int(column[segment]) for column in table.columns)
    value = wide(c3, 17)
    for coefficient, width in ((c2, 23), (c1, 31), (c0, 40)):
        value = wide((value * offset >> bits) + coefficient, width)
    return value


def normalise(value: int, keep: int) -> tuple[int, int]:
    """Round half up to `keep` significant bits; returns them and the exponent of their unit."""
    drop = value.bit_length() - keep
    return (value + (1 << drop >> 1) >> drop, drop) if drop >= 0 else (value << -drop, drop)


def align(product: int, exponent: int, negative: bool) -> int:
    """Stage X's alignment to units of 2^-36, with the sign put on."""
    assert 60 <= product.bit_length() - 1 < 62 or product == 1 << 62
    magnitude = product >> min(max(24 - exponent, 16), 63)
    return -magnitude if negative else magnitude


def exp2(t: int) -> tuple[int, int]:
    """Stage E."""
    f = t & (ONE - 1)
    return t >> 36, wide(cubic(tables.exp2_table(), f >> 29, f & LOW29, 29), 37)


def binary_logarithm(mantissa: int, exponent: int) -> tuple[int, int]:
    """Stage L: a value and its fraction bits."""
    segment, offset = mantissa >> 15 & 255, mantissa & 0x7FFF
    ratio = cubic(tables.log2_table(), segment, offset, 15)
    if segment >= tables.LOG2_FOLD:
        whole, z = exponent + 1, mantissa - (1 << 24)
    else:
        whole, z = exponent, 2 * mantissa - (1 << 24)
    product = wide(wide(z, 23) * ratio, 63)
    return (product, 63) if whole == 0 else ((whole << 45) + (product >> 18), 45)


def one_plus(whole: int, power: int) -> tuple[int, int]:
    """Stage D."""
    total = (power >> max(-whole, 0)) + (ONE >> max(whole, 0))
    exponent = max(whole, 0)
    return (total >> 1, exponent + 1) if total >= 2 * ONE else (total, exponent)


def inverse(total: int) -> int:
    """Stage R after D."""
    return cubic(tables.quotient_table(), total >> 29 & 127, total & LOW29, 29)


def is_nan(pattern: int) -> bool:
    """Tell whether a pattern is NaN."""
    return pattern & 0x7FFFFFFF > INF


def exp(x: int) -> int:
    """e^x."""
    mantissa, exponent = unpack(x)
    whole, power = exp2(align(mantissa * wide(tables.LOG2_E, 38), exponent, bool(x >> 31)))
    return pack(power, whole - 36)


def sigmoid(x: int) -> int:
    """1 / (1 + e^-x)."""
    mantissa, exponent = unpack(x)
    total, up = one_plus(*exp2(align(mantissa * tables.LOG2_E, exponent, not x >> 31)))
    return pack(inverse(total), -36 - up)


def tanh(x: int) -> int:
    """Tanh x."""
    mantissa, exponent = unpack(x)
    if exponent < -1:
        argument = wide(mantissa << 11 >> -2 - exponent, 35)
        segment = tables.RECIPROCAL_SEGMENTS + (argument >> 29)
        ratio = cubic(tables.quotient_table(), segment, argument & LOW29, 29)
        return pack(wide(mantissa * ratio, 61) >> 8, exponent - 51) | x & 1 << 31
    total, up = one_plus(*exp2(align(mantissa * tables.LOG2_E, exponent + 1, False)))
    return pack(ONE - (inverse(total) >> up - 1), -36) | x & 1 << 31


def log(x: int) -> int:
    """Ln x."""
    return logarithm(x, tables.LN2_32, 32)


def log2(x: int) -> int:
    """Log2 x."""
    return logarithm(x, 1 << 31, 31)


def log10(x: int) -> int:
    """Log10 x."""
    return logarithm(x, tables.LOG10_2, 33)


def logarithm(x: int, factor: int, fraction: int) -> int:
    """Log2 x times a factor."""
    if x & 0x7FFFFFFF == 0:
        return INF | 1 << 31
    if x >> 31:
        return NAN
    if x == INF:
        return INF
    value, unit = binary_logarithm(*unpack(x))
    if value == 0:
        return 0
    digits, scale = normalise(abs(value), 31)
    product = wide(digits * wide(factor, 32), 63)
    return pack(product >> 10, scale - unit - fraction + 10) | (value < 0) << 31


def power(x: int, y: int) -> int:
    """x^y."""
    magnitude, y_magnitude = x & 0x7FFFFFFF, y & 0x7FFFFFFF
    if y_magnitude == 0 or x == 0x3F800000:
        return 0x3F800000
    if is_nan(x) or is_nan(y):
        return NAN
    y_mantissa, y_exponent = unpack(y)
    below = 23 - y_exponent  # bits of the significand after the point
    whole = below <= 0 or (below < 24 and y_mantissa & ((1 << below) - 1) == 0)
    odd = whole and 0 <= below < 24 and y_mantissa >> below & 1
    if x >> 31 and 0 < magnitude < INF and not whole:
        return NAN
    mantissa, exponent = unpack(x)
    value, unit = binary_logarithm(mantissa, exponent)
    if value == 0:
        t = 0
    else:
        digits, scale = normalise(abs(value), 38)
        scale = 200 if abs(exponent) == BEYOND else scale - unit + 37
        t = align(wide(digits, 39) * y_mantissa, scale + y_exponent, (value < 0) != bool(y >> 31))
    n, fraction = exp2(t)
    return pack(fraction, max(n, -512) - 36) | (x & 1 << 31 if odd else 0)


def recip(x: int) -> int:
    """1 / x."""
    mantissa, exponent = unpack(x)
    value = cubic(tables.quotient_table(), mantissa >> 16 & 127, mantissa & 0xFFFF, 16)
    return pack(value, -36 - exponent) | x & 1 << 31


def rsqrt(x: int) -> int:
    """1 / sqrt(x)."""
    if x >> 31 and x & 0x7FFFFFFF:
        return NAN
    mantissa, exponent = unpack(x)
    segment = (exponent & 1) << 6 | mantissa >> 17 & 63
    value = cubic(tables.root_table(), segment, mantissa & 0x1FFFF, 17)
    return pack(value, -36 - (exponent >> 1)) | x & 1 << 31


def erf(x: int) -> int:
    """Erf x."""
    mantissa, exponent = unpack(x)
    if exponent > 1:
        return 0x3F800000 | x & 1 << 31
    argument = wide(mantissa << 13 >> 1 - exponent, 37)
    ratio = cubic(tables.erf_table(), argument >> 29, argument & LOW29, 29)
    return pack(wide(mantissa * ratio, 61) >> 8, exponent - 51) | x & 1 << 31


def sine(x: int, quadrant: int) -> int:
    """Sin(|x| + quadrant * pi / 2)."""
    if x & 0x7FFFFFFF == INF:
        return NAN
    mantissa, exponent = unpack(x)
    shift = max(-1 - exponent, 0)
    low, middle, high = (int(limb[max(exponent, -1) + 1]) for limb in tables.angle_windows())
    window = wide(low | middle << 26 | high << 56, 88)
    turns = mantissa * window >> 26 & ((1 << 62) - 1)
    turn = quadrant + (turns >> 60 if shift == 0 else 0)
    fraction = turns & ((1 << 60) - 1)
    r = fraction >> shift
    if turn & 1:
        r = fraction = ~r & ((1 << 60) - 1)
    factor, scale = normalise(fraction, 31)
    ratio = cubic(tables.sine_table(), r >> 53, r >> 24 & LOW29, 29)
    product = wide(wide(factor, 32) * wide(ratio + 16 >> 5, 32), 63)
    scale += -60 - 31 + 10 - (0 if turn & 1 else shift)
    return pack(product >> 10, scale) | (turn & 2) << 30


def sin(x: int) -> int:
    """Sin x."""
    result = sine(x, 0)
    return result if result == NAN else result ^ x & 1 << 31


def cos(x: int) -> int:
    """Cos x."""
    return sine(x, 1)


UNARY: list[Callable[[int], int]] = [
    exp,
    sigmoid,
    tanh,
    log,
    log2,
    log10,
    recip,
    rsqrt,
    erf,
    sin,
    cos,
]
CORNERS = [0, 1, 2, 0x7FFFFF, 0x800000, 0x3EFFFFFF, 0x3F000000, 0x3F800000, 0x3F7FFFFF, 0x3F800001]
CORNERS += [0x3FB504F3, 0x3FB504F4, 0x3F350000, 0x3F34FFFF, 0x40000000, 0x407FFFFF, 0x40800000]
CORNERS += [0x42B17217, 0x42B17218, 0x43800000, 0x4B800000, 0x7F7FFFFF, INF, INF + 1, NAN]
CORNERS += [c | 1 << 31 for c in CORNERS]


def patterns(count: int, seed: int) -> np.ndarray:
    """Draw bit patterns: at random, of middle exponents, from 1/4 to 2, and around one."""
    rng = np.random.default_rng(seed)
    every = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    middle = rng.integers(0x39000000, 0x44000000, count, dtype=np.uint32)
    near = 0x3F800000 + rng.integers(-(1 << 23), 1 << 23, count) // (
        1 << rng.integers(0, 24, count)
    )
    unit = rng.integers(0x3E800000, 0x40000000, count, dtype=np.uint32)
    sign = rng.integers(0, 2, 3 * count).astype(np.uint32) << 31
    both = np.concatenate([middle, unit, near.astype(np.uint32)]) | sign
    return np.concatenate([np.array(CORNERS, np.uint32), every, both])


@pytest.mark.parametrize("function", UNARY)
def test_unary(function: Callable[[int], int]) -> None:
    x = patterns(3000, 31)
    got = execute(f"{function.__name__}.f32", [x.view(np.int32)]).view(np.uint32)
    for operand, result in zip(x.tolist(), got.tolist(), strict=True):
        want = NAN if is_nan(operand) else function(operand)
        assert result == want, f"{function.__name__}({operand:08x}) = {result:08x}, not {want:08x}"


def test_pow() -> None:
    x, y = patterns(4000, 32), np.random.default_rng(33).permutation(patterns(4000, 34))
    corners = np.array(CORNERS, np.uint32)
    base = np.concatenate([x, np.repeat(corners, corners.size)])
    exponent = np.concatenate([y, np.tile(corners, corners.size)])
    got = execute("pow.f32", [base.view(np.int32), exponent.view(np.int32)]).view(np.uint32)
    for a, b, result in zip(base.tolist(), exponent.tolist(), got.tolist(), strict=True):
        want = power(a, b)
        assert result == want, f"pow({a:08x}, {b:08x}) = {result:08x}, not {want:08x}"
