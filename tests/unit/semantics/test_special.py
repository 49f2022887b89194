"""Transcendental instructions: special values, exact results, error in ulp, and frozen bits."""

import math
import zlib
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from sim.semantics import execute

INF = math.inf
NAN = math.nan
TINY = 2.0**-149
SMALLEST = 2.0**-126
LARGEST = (2 - 2.0**-23) * 2.0**127
# What each function may err in a sample, in ulp: a little above the worst of docs/accuracy.md.
BOUNDS = {
    "exp": 0.5005,
    "log": 0.5070,
    "log2": 0.5070,
    "log10": 0.5070,
    "sin": 0.5090,
    "cos": 0.5090,
    "tanh": 0.5010,
    "sigmoid": 0.5020,
    "erf": 0.5030,
    "rsqrt": 0.5050,
    "recip": 0.5020,
    "pow": 0.5060,
}
UNARY = [name for name in BOUNDS if name != "pow"]


def f32(numbers: list[float]) -> np.ndarray:
    """Make an array of float32 from numbers that it holds."""
    array = np.array(numbers, np.float32)
    assert all(math.isnan(n) or float(a) == n for a, n in zip(array, numbers, strict=True))
    return array


def run(name: str, *operands: np.ndarray) -> np.ndarray:
    """Execute on float32 arrays."""
    return execute(f"{name}.f32", [x.view(np.int32) for x in operands]).view(np.float32)


def call(name: str, *operands: float) -> float:
    """Execute on numbers that float32 holds."""
    return float(run(name, *(f32([x]) for x in operands))[0])


def same(a: float, b: float) -> bool:
    """Tell whether two numbers are equal, sign of zero included, or both NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


SPECIAL = [
    ("exp", [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (NAN, NAN), (TINY, 1), (-TINY, 1)]),
    ("exp", [(LARGEST, INF), (-LARGEST, 0.0), (88.75, INF), (-104.0, 0.0), (-103.0, TINY)]),
    ("log", [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (NAN, NAN), (-TINY, NAN)]),
    ("log", [(-1.0, NAN), (1.0, 0.0), (-LARGEST, NAN)]),
    ("log2", [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (NAN, NAN), (-TINY, NAN)]),
    ("log2", [(1.0, 0.0), (2.0**24, 24), (SMALLEST, -126), (TINY, -149), (0.5, -1)]),
    ("log10", [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (NAN, NAN), (-TINY, NAN)]),
    ("log10", [(1.0, 0.0), (10.0, 1), (1e10, 10)]),
    ("sin", [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]),
    ("sin", [(TINY, TINY), (-TINY, -TINY), (SMALLEST, SMALLEST), (2.0**-13, 2.0**-13)]),
    ("cos", [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (NAN, NAN), (TINY, 1), (-TINY, 1)]),
    ("tanh", [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (TINY, TINY)]),
    ("tanh", [(-TINY, -TINY), (LARGEST, 1), (-LARGEST, -1), (9.25, 1), (-SMALLEST, -SMALLEST)]),
    ("sigmoid", [(0.0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0), (NAN, NAN), (TINY, 0.5)]),
    ("sigmoid", [(LARGEST, 1), (-LARGEST, 0.0), (-103.0, TINY), (-104.0, 0.0), (17.5, 1)]),
    ("erf", [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (TINY, TINY)]),
    ("erf", [(LARGEST, 1), (-LARGEST, -1), (4.0, 1), (3.9375, 1), (-4.0, -1)]),
    ("rsqrt", [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, NAN), (NAN, NAN), (-TINY, NAN)]),
    ("rsqrt", [(-1.0, NAN), (1.0, 1), (-LARGEST, NAN)]),
    ("recip", [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN), (TINY, INF)]),
    ("recip", [(-TINY, -INF), (2.0**-128, INF), (2.0**127, 2.0**-127)]),
]


@pytest.mark.parametrize(("name", "table"), SPECIAL)
def test_special_values(name: str, table: list[tuple[float, float]]) -> None:
    for operand, want in table:
        got = call(name, operand)
        assert same(got, want), f"{name}({operand}) = {got}, not {want}"


def test_powers_of_two_are_exact() -> None:
    for k in range(-149, 128):
        assert call("pow", 2.0, float(k)) == 2.0**k
        assert call("pow", 0.5, float(-k)) == 2.0**k
        assert call("recip", 2.0**k) == (2.0**-k if k > -128 else INF)
        if k % 2 == 0:
            assert call("rsqrt", 2.0**k) == 2.0 ** -(k // 2)
    assert call("pow", 2.0, 128.0) == INF
    assert call("pow", 2.0, -150.0) == 0


def test_identities() -> None:
    rng = np.random.default_rng(21)
    x = np.abs(rng.integers(0, 0x7F800000, 20000, dtype=np.uint32).view(np.float32))
    one = np.ones_like(x)
    np.testing.assert_array_equal(run("pow", x, one), x)
    np.testing.assert_array_equal(run("pow", -x, one), -x)
    np.testing.assert_array_equal(run("pow", x, 0 * x), one)
    np.testing.assert_array_equal(run("pow", one, x), one)
    for name in ("sin", "tanh", "erf", "recip"):
        np.testing.assert_array_equal(run(name, -x), -run(name, x))
    np.testing.assert_array_equal(run("cos", -x), run("cos", x))


def test_small_whole_powers_are_exact() -> None:
    for base, power in product(range(-12, 13), range(-6, 7)):
        if base == 0 or abs(base) ** abs(power) >= 2**24 or (power < 0 and base & (base - 1)):
            continue
        if base < 0 or power >= 0 or base & (base - 1) == 0:
            assert call("pow", float(base), float(power)) == float(base) ** power


def test_bounds_are_kept() -> None:
    x = np.arange(0x3C000000, 0x43000000, 97, dtype=np.int64).astype(np.int32).view(np.float32)
    for name in ("tanh", "erf", "sin", "cos"):
        assert np.abs(run(name, x)).max() <= 1
    assert run("sigmoid", x).max() <= 1
    assert run("sigmoid", -x).min() >= 0


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid"])
def test_monotone_into_saturation(name: str) -> None:
    """Every float32 of the last stretch before the function becomes constant."""
    start, stop = {"exp": (88, 89), "tanh": (8.5, 9.25), "sigmoid": (16, 18)}[name]
    first, last = (int(np.float32(v).view(np.int32)) for v in (start, stop))
    result = run(name, np.arange(first, last + 1, dtype=np.int32).view(np.float32))
    assert (np.diff(result[np.isfinite(result)]) >= 0).all()


POW_CORNERS = [0.0, TINY, SMALLEST, 0.25, 0.5, 1 - 2.0**-24, 1.0, 1 + 2.0**-23, 1.5, 2.0, 2.5, 3.0]
POW_CORNERS += [4.0, 127.0, 128.0, 149.0, 150.0, 2.0**23 + 1, 2.0**24 - 1, 2.0**24, 2.0**24 + 2]
POW_CORNERS += [2.0**25, 2.0**60, LARGEST, INF]
POW_CORNERS += [-x for x in POW_CORNERS] + [NAN]


def test_pow_corners(reference: ModuleType) -> None:
    """All pairs of corners against C's pow in float64, which IEEE 754 settles."""
    x, y = (
        np.array(column, np.float32)
        for column in zip(*product(POW_CORNERS, POW_CORNERS), strict=True)
    )
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64))
        rounded = want.astype(np.float32)
    got = run("pow", x, y)
    settled = np.isnan(want) | np.isinf(rounded) | (rounded == 0)
    for i in np.flatnonzero(settled):
        assert same(float(got[i]), float(rounded[i])), f"pow({x[i]}, {y[i]}) = {got[i]}"
    assert reference.ulp_errors(got[~settled], want[~settled]).max() <= BOUNDS["pow"]


def sample(name: str, rng: np.random.Generator) -> np.ndarray:
    """Draw float32 of all kinds, and densely where the functions bend."""
    every = rng.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    bend = np.ldexp(rng.uniform(-1, 1, 100_000), rng.integers(-24, 8, 100_000))
    near_one = 1 + np.ldexp(rng.uniform(-1, 1, 50_000), -rng.integers(0, 24, 50_000))
    subnormal = rng.integers(1, 1 << 23, 20_000, dtype=np.uint32).view(np.float32)
    multiples = rng.integers(1, 1 << 20, 50_000) * (math.pi / 2)
    parts = [every, bend, near_one, subnormal, -subnormal, multiples]
    values = np.concatenate([part.astype(np.float32) for part in parts])
    return np.abs(values) if name in {"log", "log2", "log10", "rsqrt", "pow"} else values


@pytest.mark.parametrize("name", UNARY)
def test_error_of_a_sample(name: str, reference: ModuleType) -> None:
    x = sample(name, np.random.default_rng(22))
    with np.errstate(all="ignore"):
        x = x[reference.REFERENCES[name].domain(x)]
    errors = reference.ulp_errors(run(name, x), reference.double_result(name, [x]))
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS[name], f"{name}({float(x[worst]).hex()}): {errors[worst]} ulp"


def test_error_of_sampled_powers(reference: ModuleType) -> None:
    rng = np.random.default_rng(23)
    x = sample("pow", rng)
    x = x[np.isfinite(x) & (x > 0) & (x != 1)]
    target = rng.uniform(-150, 150, x.size)
    y = np.clip(target / np.log2(x.astype(np.float64)), -1e38, 1e38).astype(np.float32)
    errors = reference.ulp_errors(run("pow", x, y), reference.double_result("pow", [x, y]))
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS["pow"], f"pow({x[worst]}, {y[worst]}): {errors[worst]} ulp"


@pytest.mark.parametrize("name", UNARY)
def test_float64_is_a_fit_reference(name: str, reference: ModuleType) -> None:
    """The fast reference agrees with 300-bit arithmetic far below the errors measured with it."""
    x = sample(name, np.random.default_rng(24))[::1301]
    with np.errstate(all="ignore"):
        x = x[reference.REFERENCES[name].domain(x)]
    result = run(name, x)
    errors = reference.ulp_errors(result, reference.double_result(name, [x]))
    for operand, got, error in zip(x, result, errors, strict=True):
        exact = reference.exact_error(name, [float(operand)], float(got))
        assert abs(error - exact) < 1e-6, operand


HARD_ANGLES = [
    16367173 * 2.0**72,  # the binary32 number closest to a multiple of pi / 2
    LARGEST,
    2.0**127,
    float(np.float32(math.pi)),
    float(np.float32(math.pi / 2)),
    float(np.float32(3 * math.pi)),
    float(np.float32(1e22)),
    2.0**100,
]


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_hard_angles(name: str, reference: ModuleType) -> None:
    for angle in HARD_ANGLES:
        operand = float(np.float32(angle))
        assert reference.exact_error(name, [operand], call(name, operand)) <= 0.55, angle


FROZEN = {
    "exp": 0x8E907BF3,
    "log": 0x38F66FE8,
    "log2": 0xE63D8A9A,
    "log10": 0x6E0DA1BD,
    "sin": 0xEA9095FF,
    "cos": 0x75BEFEF6,
    "tanh": 0x49F990AC,
    "sigmoid": 0xA580FB1B,
    "erf": 0xB539B0D9,
    "rsqrt": 0x1D64B7DE,
    "recip": 0xC631EE45,
    "pow": 0xF5A8BD9F,
}


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_bits_are_the_same_everywhere(name: str) -> None:
    """A checksum over fixed patterns: no machine and no NumPy may change a bit."""
    count = np.arange(1 << 17, dtype=np.uint32)
    x = (count * np.uint32(0x9E3779B1)).view(np.int32)
    y = count * np.uint32(0x85EBCA6B) & np.uint32(0x87FFFFFF)
    y = (y + np.uint32(0x3E000000)).view(np.int32)
    operands = [x & 0x7FFFFFFF, y] if name == "pow" else [x]
    result = execute(f"{name}.f32", operands)
    assert zlib.crc32(result.astype("<i4").tobytes()) == FROZEN[name]
