"""Float instructions and conversions against exact rational arithmetic."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sim.semantics import execute

NAN = 0x7FC00000
INF = 0x7F800000
SIGN = 0x80000000
MAGNITUDES = [
    0x00000000,  # zero
    0x00000001,  # the smallest subnormal
    0x00000002,
    0x00000003,
    0x00400000,
    0x007FFFFF,  # the largest subnormal
    0x00800000,  # the smallest normal number
    0x00800001,
    0x00FFFFFF,
    0x1F800000,  # 2^-64: products reach the subnormal numbers
    0x1A3FFFFF,
    0x33000000,  # 2^-25, 2^-24 and their like: ties when added to 1
    0x33800000,
    0x33800001,
    0x34000000,
    0x34400000,
    0x3EFFFFFF,
    0x3F000000,  # one half
    0x3F000001,
    0x3F7FFFFF,
    0x3F800000,  # one
    0x3F800001,
    0x3FC00000,
    0x40200000,  # 2.5
    0x40490FDB,
    0x4AFFFFFF,  # 2^23 - 0.5
    0x4B000001,
    0x4B800000,  # 2^24
    0x4B800001,
    0x5F7FFFFF,
    0x5F800000,  # 2^64
    0x7F000000,
    0x7F7FFFFF,  # the largest number
    INF,
]
NANS = [NAN, NAN | SIGN, 0x7F800001, 0xFFA00000, 0x7FFFFFFF]
NUMBERS = MAGNITUDES + [m | SIGN for m in MAGNITUDES]
CORNERS = NUMBERS + NANS

HALVES = [n + 0.5 for n in range(-4, 5)]


def lanes(patterns: list[int]) -> np.ndarray:
    """Make lanes of bit patterns."""
    return np.array(patterns, np.uint32).view(np.int32)


def value(pattern: int) -> float:
    """Read a bit pattern as a number."""
    return float(lanes([pattern]).view(np.float32)[0])


def rounded(exact: Fraction, negative_zero: bool = False) -> int:
    """Round a rational number to float32's bits, to nearest even, with integers alone."""
    sign = SIGN if exact < 0 or (exact == 0 and negative_zero) else 0
    magnitude = abs(exact)
    if magnitude == 0:
        return sign
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, -126)
    scaled = magnitude / Fraction(2) ** (exponent - 23)
    # Python rounds a Fraction to the nearest whole number, ties to even.
    whole = round(scaled)
    return sign | min(whole + ((exponent + 126) << 23), INF)


def add(a: float, b: float) -> int:
    """Add exactly and round."""
    if math.isinf(a) or math.isinf(b):
        return bits(a + b)
    both_negative = math.copysign(1, a) < 0 and math.copysign(1, b) < 0
    return rounded(Fraction(a) + Fraction(b), both_negative)


def multiply(a: float, b: float) -> int:
    """Multiply exactly and round."""
    if math.isinf(a) or math.isinf(b):
        return bits(a * b)
    return rounded(Fraction(a) * Fraction(b), math.copysign(1, a) != math.copysign(1, b))


def divide(a: float, b: float) -> int:
    """Divide exactly and round."""
    negative = math.copysign(1, a) != math.copysign(1, b)
    if math.isinf(a) or b == 0:
        return NAN if math.isinf(b) or a == 0 else (INF | (SIGN if negative else 0))
    if math.isinf(b):
        return SIGN if negative else 0
    return rounded(Fraction(a) / Fraction(b), negative)


def square_root(pattern: int) -> int:
    """Take the root with integers and round: it never lies halfway between two numbers."""
    number = value(pattern)
    if number in {0, math.inf}:
        return pattern
    if number < 0:
        return NAN
    exact = Fraction(number) * 4**200
    root = math.isqrt(int(exact))
    return rounded(Fraction(2 * root + (root * root != exact), 2 * 2**200))


def fused(a: int, b: int, c: int) -> int:
    """Multiply and add exactly, then round; on bit patterns."""
    x, y, z = value(a), value(b), value(c)
    if not all(math.isfinite(number) for number in (x, y, z)):
        return bits(x * y + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    product_negative = math.copysign(1, x) != math.copysign(1, y)
    return rounded(exact, product_negative and math.copysign(1, z) < 0)


def step(a: float, b: float) -> int:
    """Take the remainder by b times the power of two that the step allows."""
    if math.isinf(a) or b == 0:
        return NAN
    if a == 0 or math.isinf(b):
        return bits(a)
    distance = math.frexp(a)[1] - math.frexp(b)[1]
    divisor = abs(Fraction(b)) * Fraction(2) ** max(distance - 31, 0)
    rest = abs(Fraction(a)) % divisor
    return rounded(-rest if a < 0 else rest, a < 0)


def bits(number: float) -> int:
    """Give the bits of a number that float32 holds, NaN canonical."""
    if math.isnan(number):
        return NAN
    return int(np.float32(number).view(np.uint32))


def order(number: float) -> tuple[float, float]:
    """Order numbers so that -0 comes before +0."""
    return number, math.copysign(1, number)


REFERENCE: dict[str, Callable[..., int]] = {
    "add.f32": add,
    "sub.f32": lambda a, b: add(a, -b),
    "mul.f32": multiply,
    "div.f32": divide,
    "remstep.f32": step,
    "max.f32": lambda a, b: bits(max(a, b, key=order)),
    "min.f32": lambda a, b: bits(min(a, b, key=order)),
    "eq.f32": lambda a, b: int(a == b),
    "ne.f32": lambda a, b: int(a != b),
    "gt.f32": lambda a, b: int(a > b),
    "ge.f32": lambda a, b: int(a >= b),
}
REFERENCE["copysign.f32"] = lambda a, b: bits(math.copysign(a, b))
REFERENCE |= {"maxn.f32": REFERENCE["max.f32"], "minn.f32": REFERENCE["min.f32"]}
COMPARISONS = {"eq.f32", "ne.f32", "gt.f32", "ge.f32"}


def expected(name: str, a: int, b: int) -> int:
    """Say what an instruction of two operands gives for two bit patterns."""
    x, y = value(a), value(b)
    if name in COMPARISONS or not (math.isnan(x) or math.isnan(y)):
        return REFERENCE[name](x, y)
    if name in {"maxn.f32", "minn.f32"} and math.isnan(x) != math.isnan(y):
        return b if math.isnan(x) else a
    if name == "copysign.f32" and not math.isnan(x):
        return (a & ~SIGN) | (b & SIGN)
    return NAN


def check(name: str, a: list[int], b: list[int]) -> None:
    """Compare an instruction with its reference, both in one array and lane by lane."""
    want = np.array([expected(name, *pair) for pair in zip(a, b, strict=True)], np.uint32)
    got = execute(name, [lanes(a), lanes(b)]).view(np.uint32)
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, f"{name} {a[wrong[0]]:08x} {b[wrong[0]]:08x}: {got[wrong[0]]:08x}"


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_corners(name: str) -> None:
    pairs = list(product(CORNERS, CORNERS))
    check(name, [a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("name", ["max.f32", "min.f32", "maxn.f32", "minn.f32"])
def test_corners_beside_a_single_number(name: str) -> None:
    for bound in CORNERS:
        for operands in ((CORNERS, [bound]), ([bound], CORNERS)):
            want = [expected(name, *pair) for pair in product(*operands)]
            got = execute(name, [lanes(operand) for operand in operands]).view(np.uint32)
            np.testing.assert_array_equal(got, np.array(want, np.uint32), str(bound))


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_random_patterns(name: str) -> None:
    rng = np.random.default_rng(11)
    a, b = rng.integers(0, 1 << 32, (2, 3000))
    # Half of the pairs get close exponents, where sums cancel and round.
    b[::2] = a[::2] ^ rng.integers(0, 1 << 25, 1500) ^ rng.integers(0, 2, 1500) << 31
    check(name, a.tolist(), b.tolist())


@pytest.mark.parametrize("name", ["add.f32", "sub.f32", "mul.f32"])
def test_a_million_pairs_against_float64(name: str) -> None:
    """float64 holds products exactly and is wide enough for sums to survive being rounded twice."""
    rng = np.random.default_rng(12)
    a, b = rng.integers(0, 1 << 32, (2, 1 << 20), dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        wide = {"add.f32": x + y, "sub.f32": x - y, "mul.f32": x * y}[name].astype(np.float32)
    want = np.where(np.isnan(wide), NAN, wide.view(np.int32))
    np.testing.assert_array_equal(execute(name, [a.view(np.int32), b.view(np.int32)]), want)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("abs.f32", lambda p: p & ~SIGN),
        ("neg.f32", lambda p: p ^ SIGN),
        ("ceil.f32", lambda p: whole(p, math.ceil)),
        ("floor.f32", lambda p: whole(p, math.floor)),
        ("trunc.f32", lambda p: whole(p, math.trunc)),
        ("roundeven.f32", lambda p: whole(p, round)),
        ("round.f32", lambda p: whole(p, half_away)),
        ("sqrt.f32", square_root),
    ],
)
def test_unary(name: str, function: Callable[[int], int]) -> None:
    rng = np.random.default_rng(13)
    patterns = CORNERS + [bits(h) for h in HALVES] + rng.integers(0, 1 << 32, 5000).tolist()
    want = [NAN if math.isnan(value(p)) else function(p) for p in patterns]
    got = execute(name, [lanes(patterns)]).view(np.uint32)
    np.testing.assert_array_equal(got, np.array(want, np.uint32))


def check_fused(cases: list[tuple[int, int, int]]) -> None:
    """Compare fma with its reference."""
    got = execute("fma.f32", [lanes(list(column)) for column in zip(*cases, strict=True)])
    for case, result in zip(cases, got.view(np.uint32).tolist(), strict=True):
        want = fused(*case)
        assert result == want, [f"{pattern:08x}" for pattern in (*case, result, want)]


def test_fused_corners() -> None:
    few = CORNERS[::2]
    check_fused(list(product(few, few, CORNERS)))


def test_fused_sums_that_cancel_or_lie_on_ties() -> None:
    rng = np.random.default_rng(18)
    a, b = rng.integers(0x2F000000, 0x4F000000, (2, 20000), dtype=np.uint32)
    near = (a.view(np.float32) * b.view(np.float32)).view(np.uint32).astype(np.int64)
    c = near + (rng.integers(-3, 4, 20000) << rng.integers(0, 31, 20000))
    c = np.clip(c, 0, INF - 1) ^ rng.integers(0, 2, 20000) << 31
    check_fused(list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True)))


def test_nine_steps_are_the_remainder_of_any_two_numbers() -> None:
    rng = np.random.default_rng(17)
    a, b = lanes(rng.integers(0, 1 << 32, (2, 20000)).ravel().tolist()).reshape(2, -1)
    a[:200], b[:200] = 0x7F7FFFFF, rng.integers(1, 40, 200)  # the farthest exponents
    with np.errstate(invalid="ignore"):
        want = np.fmod(a.view(np.float32), b.view(np.float32))
    got = a
    for _ in range(9):
        got = execute("remstep.f32", [got, b])
    np.testing.assert_array_equal(got.view(np.float32), want)
    assert not np.array_equal(execute("remstep.f32", [a, b]).view(np.float32), want, equal_nan=True)


def whole(pattern: int, function: Callable[[float], int]) -> int:
    """Apply a rounding to whole numbers; a zero has the operand's sign."""
    number = value(pattern)
    if math.isinf(number):
        return pattern
    return bits(float(function(number))) or pattern & SIGN


def half_away(number: float) -> int:
    """Round to the nearest whole number, halves away from zero."""
    magnitude = math.floor(abs(Fraction(number)) + Fraction(1, 2))
    return -magnitude if number < 0 else magnitude


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("f32_to_i8", -(2**7), 2**7 - 1),
        ("f32_to_i16", -(2**15), 2**15 - 1),
        ("f32_to_i32", -(2**31), 2**31 - 1),
        ("to_u32.f32", 0, 2**32 - 1),
    ],
)
def test_to_integer(name: str, low: int, high: int) -> None:
    limit = high + 1
    edges = [float(s * limit + d / 2) for s in (-1, 0, 1) for d in range(-6, 7)]
    rng = np.random.default_rng(14)
    patterns = CORNERS + [bits(float(np.float32(e))) for e in edges + HALVES]
    for edge in [bits(float(limit)), bits(float(-limit))]:
        patterns += range(edge - 40, edge + 40)
    patterns += rng.integers(0, 1 << 32, 5000).tolist()
    got = execute(name, [lanes(patterns)])
    results = got.view(np.uint32) if low == 0 else got
    for pattern, result in zip(patterns, results.tolist(), strict=True):
        number = value(pattern)
        if math.isnan(number):
            want = 0
        elif math.isinf(number):
            want = high if number > 0 else low
        else:
            want = max(low, min(high, round(Fraction(number))))
        assert result == want, f"{pattern:08x}"


def test_every_half_of_small_types() -> None:
    quarters = np.arange(-4 * 40000, 4 * 40000 + 1) / 4
    operand = quarters.astype(np.float32).view(np.int32)
    for width in (8, 16):
        limit = 2 ** (width - 1)
        # In units of a quarter all of them are whole: round to nearest even on integers.
        units = (quarters * 4).astype(np.int64)
        down, rest = units >> 2, units & 3
        nearest = down + (rest > 2) + ((rest == 2) & (down & 1 == 1))
        want = np.clip(nearest, -limit, limit - 1)
        np.testing.assert_array_equal(execute(f"f32_to_i{width}", [operand]), want)


def test_from_integer() -> None:
    rng = np.random.default_rng(15)
    numbers = [s * (2**k) + d for k in range(32) for s in (-1, 1) for d in range(-3, 4)]
    numbers += [(2**24 + n) << k for n in range(8) for k in range(7)]
    numbers += rng.integers(-(2**31), 2**31, 5000).tolist()
    numbers = [n for n in numbers if -(2**31) <= n < 2**31]
    want = np.array([rounded(Fraction(n)) for n in numbers], np.uint32)
    got = execute("i32_to_f32", [np.array(numbers, np.int64).astype(np.int32)])
    np.testing.assert_array_equal(got.view(np.uint32), want)


def test_from_unsigned_integer() -> None:
    rng = np.random.default_rng(16)
    numbers = [2**k + d for k in range(33) for d in range(-3, 4)]
    numbers += [(2**24 + n) << k for n in range(8) for k in range(8)]
    numbers += rng.integers(0, 2**32, 5000).tolist()
    numbers = [n for n in numbers if 0 <= n < 2**32]
    want = np.array([rounded(Fraction(n)) for n in numbers], np.uint32)
    got = execute("from_u32.f32", [lanes(numbers)])
    np.testing.assert_array_equal(got.view(np.uint32), want)


@pytest.mark.parametrize(
    ("name", "patterns", "want"),
    [
        ("div.f32", (0x3F800000, SIGN), INF | SIGN),
        ("div.f32", (SIGN, 0), NAN),
        ("div.f32", (INF, INF | SIGN), NAN),
        ("div.f32", (0x3F800000, INF | SIGN), SIGN),
        ("div.f32", (0x00000003, 0x40000000), 0x00000002),
        ("sqrt.f32", (SIGN,), SIGN),
        ("fma.f32", (0x3F800001, 0x3F7FFFFE, 0xBF800000), 0xA8800000),  # 1 - 2^-46, less 1
        ("fma.f32", (0x00000001, 0x3F000000, 0x00000001), 0x00000002),  # a tie of subnormals
        ("fma.f32", (0x4B800000, 0x00800000, SIGN), 0x0C800000),
        ("fma.f32", (INF, 0, NAN), NAN),
        ("fma.f32", (SIGN, 0x3F800000, SIGN), SIGN),
        ("fma.f32", (0x3F800000, 0x3F800000, 0xBF800000), 0),
        ("sqrt.f32", (0x80000001,), NAN),
        ("sqrt.f32", (0x00000001,), 0x1A3504F3),
        ("remstep.f32", (0xC0E00000, 0x40400000), 0xBF800000),  # -7 by 3
        ("remstep.f32", (0xC0C00000, 0x40400000), SIGN),
        ("remstep.f32", (0x3F800000, INF), 0x3F800000),
        ("round.f32", (0x3EFFFFFF,), 0),  # x + 1/2 would round to 1
        ("round.f32", (0xBF000000,), 0xBF800000),
        ("round.f32", (0x4B000001,), 0x4B000001),
        ("roundeven.f32", (0x3F000000,), 0),
        ("roundeven.f32", (0x3F000001,), 0x3F800000),
        ("roundeven.f32", (0xBFC00000,), 0xC0000000),
        ("trunc.f32", (0xBF7FFFFF,), SIGN),
        ("copysign.f32", (0x3F800000, 0xFFC00001), 0xBF800000),
        ("copysign.f32", (0xFFC00001, SIGN), NAN),
        ("copysign.f32", (INF | SIGN, 0), INF),
        ("max.f32", (0x00000000, SIGN), 0x00000000),
        ("max.f32", (SIGN, 0x00000000), 0x00000000),
        ("min.f32", (0x00000000, SIGN), SIGN),
        ("max.f32", (NAN, INF), NAN),
        ("maxn.f32", (0x7F800001, INF | SIGN), INF | SIGN),
        ("minn.f32", (0x3F800000, 0xFFFFFFFF), 0x3F800000),
        ("minn.f32", (0x7F800001, 0xFFFFFFFF), NAN),
        ("neg.f32", (0x7F800001,), NAN),
        ("abs.f32", (0xFFC00001,), NAN),
        ("mul.f32", (INF, SIGN), NAN),
        ("sub.f32", (INF, INF), NAN),
        ("add.f32", (0x00000001, 0x00000001), 0x00000002),
        ("mul.f32", (0x00800000, 0x3F000000), 0x00400000),
        ("add.f32", (0x3F800000, 0x33800000), 0x3F800000),
        ("add.f32", (0x3F800001, 0x33800000), 0x3F800002),
        ("ceil.f32", (0xBF000000,), SIGN),
        ("floor.f32", (0x3F7FFFFF,), 0x00000000),
        ("mov", (0x7F800001,), 0x7F800001),
    ],
)
def test_promised_results(name: str, patterns: tuple[int, ...], want: int) -> None:
    got = execute(name, [lanes([p]) for p in patterns])
    assert got.view(np.uint32)[0] == want


def test_select_keeps_nan_bits() -> None:
    got = execute("sel", [lanes([1, 0]), lanes([0x7F800001] * 2), lanes([0xFFFFFFFF] * 2)])
    assert got.view(np.uint32).tolist() == [0x7F800001, 0xFFFFFFFF]
