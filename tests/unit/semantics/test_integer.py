"""Integer instructions against plain Python integers."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from sim.semantics import execute

VALUES = [0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 100, -100, 127, 128, -128, -129, 255, 256]
VALUES += [32767, 32768, -32768, -32769, 65535, 65536, 0x5555_5555, -0x5555_5556, 0x1234_5678]
VALUES += [2**31 - 1, -(2**31), 2**31 - 2, -(2**31) + 1, 2**30, -(2**30)]
AMOUNTS = [*range(35), 63, 64, 255, 256, -1, -31, -32, 2**31 - 1, -(2**31)]


def signed(value: int, bits: int) -> int:
    """Wrap an integer to a signed type."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int = 32) -> int:
    """Read a signed number's bits as unsigned."""
    return value & ((1 << bits) - 1)


def divide(a: int, b: int) -> int:
    """Divide toward zero, with the machine's answers where there is none."""
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return signed(-quotient if (a < 0) != (b < 0) else quotient, 32)


def floor_divide(a: int, b: int) -> int:
    """Divide, rounding down."""
    return signed(a // b, 32) if b else -1


def ceil_divide(a: int, b: int) -> int:
    """Divide, rounding up."""
    return signed(-(-a // b), 32) if b else -1


def remainder(a: int, b: int) -> int:
    """Take the remainder of the division toward zero; by 0 it is all that is divided."""
    rest = abs(a) % abs(b) if b else abs(a)
    return signed(-rest if a < 0 else rest, 32)


def rounding_shift(a: int, b: int) -> int:
    """Shift right by an unsigned amount, adding the last bit shifted out."""
    amount = unsigned(b)
    return a if amount == 0 else (a >> min(amount, 64)) + (a >> min(amount - 1, 64) & 1)


def leading_zeros(a: int) -> int:
    """Count the leading zeros of 32 bits."""
    return 32 - unsigned(a).bit_length()


def multiply_shift(a: int, b: int, c: int) -> int:
    """Multiply, round and shift; the sum wraps at 64 bits."""
    shift = c & 63
    return signed(signed(a * b + (1 << shift >> 1), 64) >> shift, 32)


REFERENCE: dict[str, Callable[..., int]] = {
    "mov": lambda a: a,
    "not": lambda a: ~a,
    "clz.i32": leading_zeros,
    "max.i32": max,
    "min.i32": min,
    "maxu.i32": lambda a, b: max(a, b, key=unsigned),
    "minu.i32": lambda a, b: min(a, b, key=unsigned),
    "gtu.i32": lambda a, b: int(unsigned(a) > unsigned(b)),
    "geu.i32": lambda a, b: int(unsigned(a) >= unsigned(b)),
    "ctz.i32": lambda a: (unsigned(a) & -unsigned(a)).bit_length() - 1 if a else 32,
    "popcount.i32": lambda a: bin(unsigned(a)).count("1"),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq.i32": lambda a, b: int(a == b),
    "ne.i32": lambda a, b: int(a != b),
    "gt.i32": lambda a, b: int(a > b),
    "ge.i32": lambda a, b: int(a >= b),
    "div.i32": divide,
    "divfloor.i32": floor_divide,
    "divceil.i32": ceil_divide,
    "rem.i32": remainder,
    "divu.i32": lambda a, b: floor_divide(unsigned(a), unsigned(b)),
    "divceilu.i32": lambda a, b: ceil_divide(unsigned(a), unsigned(b)),
    "remu.i32": lambda a, b: remainder(unsigned(a), unsigned(b)),
    "sra.i32": lambda a, b: a >> min(unsigned(b), 64),
    "srar.i32": rounding_shift,
    "sext.i8": lambda a: signed(a, 8),
    "sext.i16": lambda a: signed(a, 16),
    "sel": lambda a, b, c: b if a else c,
    "mulsh.i32": multiply_shift,
}
for _bits in (8, 16, 32):
    REFERENCE |= {
        f"add.i{_bits}": lambda a, b, n=_bits: signed(a + b, n),
        f"sub.i{_bits}": lambda a, b, n=_bits: signed(a - b, n),
        f"mul.i{_bits}": lambda a, b, n=_bits: signed(a * b, n),
        f"abs.i{_bits}": lambda a, n=_bits: signed(abs(signed(a, n)), n),
        f"shl.i{_bits}": lambda a, b, n=_bits: signed(a << min(unsigned(b), 64), n),
        f"srl.i{_bits}": lambda a, b, n=_bits: signed(unsigned(a, n) >> min(unsigned(b), 64), n),
    }
UNARY = {"mov", "not", "clz.i32", "sext.i8", "sext.i16", "abs.i8", "abs.i16", "abs.i32"}
UNARY |= {"ctz.i32", "popcount.i32"}
SHIFTS = {name for name in REFERENCE if name.startswith(("sh", "sr"))}
BINARY = set(REFERENCE) - UNARY - SHIFTS - {"sel", "mulsh.i32"}


def check(name: str, cases: list[tuple[int, ...]]) -> None:
    """Compare one instruction with its reference on many operand tuples."""
    columns = [np.array(column, np.int64).astype(np.int32) for column in zip(*cases, strict=True)]
    expected = np.array([REFERENCE[name](*case) for case in cases], np.int64)
    got = execute(name, columns).astype(np.int64)
    wrong = np.flatnonzero(got != expected)
    assert not wrong.size, (name, cases[wrong[0]], got[wrong[0]], expected[wrong[0]])


def random_values(count: int, seed: int) -> list[int]:
    """Draw 32-bit numbers of every magnitude."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-(2**31), 2**31, count) >> rng.integers(0, 32, count)
    return [int(v) for v in values]


@pytest.mark.parametrize("name", sorted(UNARY))
def test_unary(name: str) -> None:
    check(name, [(v,) for v in VALUES + random_values(2000, 1) + list(range(-70000, 70000, 7))])


@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary(name: str) -> None:
    random = list(zip(random_values(2000, 2), random_values(2000, 3), strict=True))
    check(name, list(product(VALUES, VALUES)) + random)


@pytest.mark.parametrize("name", sorted(SHIFTS))
def test_shifts(name: str) -> None:
    check(name, list(product(VALUES + random_values(50, 4), AMOUNTS)))


def test_select() -> None:
    check("sel", [(c, 17, -4) for c in VALUES])


def test_multiply_shift() -> None:
    check("mulsh.i32", list(product(VALUES[::2] + [-(2**31)], VALUES, [*range(64), 64, -1])))


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_every_pair_of_i8(name: str) -> None:
    a, b = np.meshgrid(np.arange(-128, 128), np.arange(-128, 128))
    wide = {"add": a + b, "sub": a - b, "mul": a * b}[name]
    expected = (wide + 128) % 256 - 128
    got = execute(f"{name}.i8", [a.astype(np.int32), b.astype(np.int32)])
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["shl.i8", "srl.i8"])
def test_every_i8_by_every_amount(name: str) -> None:
    check(name, list(product(range(-128, 128), [*range(34), -1])))


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("div.i32", (7, 0), -1),
        ("div.i32", (-7, 0), -1),
        ("div.i32", (0, 0), -1),
        ("div.i32", (-(2**31), -1), -(2**31)),
        ("div.i32", (-7, 2), -3),
        ("srar.i32", (3, 1), 2),
        ("srar.i32", (-3, 1), -1),
        ("srar.i32", (-1, 33), 0),
        ("srar.i32", (-(2**31), 32), 0),
        ("abs.i8", (-128,), -128),
        ("abs.i32", (-(2**31),), -(2**31)),
        ("mulsh.i32", (2**31 - 1, 2**31 - 1, 31), 2**31 - 2),
        ("mulsh.i32", (-(2**31), -(2**31), 63), -1),
        ("mulsh.i32", (3, 5, 64), 15),
        ("mulsh.i32", (1, 2**30, 32), 0),
        ("mulshd.i32", (1, 2**30, 32), 1),
        ("mulshd.i32", (-1, 2**30, 32), 0),
        ("mulshd.i32", (1, 2**29, 31), 0),
        ("mulhu.i32", (-1, 1), 0),
        ("mulhu.i32", (-1, -1), -1),
        ("mulhu.i32", (-(2**31), 2**31 - 1), 2**30 - 1),
        ("shrw.i32", (1, 0, 32), 1),
        ("shrw.i32", (0, -1, 31), 2),
        ("shrw.i32", (-1, -1, 63), 0),
        ("shrw.i32", (5, -7, 0), -7),
        ("addsat.i8", (100, 100), 127),
        ("addsat.i8", (-(2**31), -1), -128),
        ("addsat.i16", (2**31 - 1, 1), 2**15 - 1),
        ("addsatu.i8", (200, 55), -1),
        ("addsatu.i8", (-1, 0), 0),
        ("addsatu.i16", (2**31 - 1, 2**31 - 1), -1),
        ("subsat.i8", (0, -128), 127),
        ("subsat.i8", (-1, 2**31 - 1), -128),
        ("subsat.i16", (2**31 - 1, -(2**31)), 2**15 - 1),
        ("clz.i32", (0,), 32),
    ],
)
def test_promised_results(name: str, operands: tuple[int, ...], expected: int) -> None:
    assert execute(name, [np.array(v, np.int32) for v in operands]) == expected
