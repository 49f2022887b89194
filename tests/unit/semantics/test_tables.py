"""The tables: regenerated with mpmath, their error bounded, their widths as documented."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from sim.semantics import tables
from sim.semantics.stages import polynomial

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"
Number = Any  # mpmath has no types


def even(function: Callable[[Number], Number], start: float, end: float, count: int) -> list:
    """List (function, start, width) of equal segments."""
    width = mpmath.mpf(end - start) / count
    return [(function, start + i * width, width) for i in range(count)]


def log2_ratio(m: Number) -> Number:
    """log2(m) / (m - 1)."""
    return mpmath.log(m, 2) / (m - 1) if m != 1 else 1 / mpmath.ln(2)


def ratio(function: Callable[[Number], Number], slope: Callable[[], Number]) -> Callable:
    """function(x) / x, its limit at 0."""
    return lambda x: function(x) / x if x else slope()


def sine_ratio(r: Number) -> Number:
    """sin(r pi / 2) / r."""
    return mpmath.sin(r * mpmath.pi / 2) / r if r else mpmath.pi / 2


def inverse_root(m: Number) -> Number:
    """1 / sqrt(m)."""
    return 1 / mpmath.sqrt(m)


def segments() -> dict[str, list]:
    """Describe every table's segments, from mpmath's functions."""
    log2 = even(log2_ratio, 1, 2, 256)[:106] + even(log2_ratio, 0.5, 1, 256)[106:]
    erf = ratio(mpmath.erf, lambda: 2 / mpmath.sqrt(mpmath.pi))
    tanh = ratio(mpmath.tanh, lambda: mpmath.mpf(1))
    return {
        "exp2": even(lambda f: mpmath.mpf(2) ** f, 0, 1, 128),
        "log2": log2,
        "quotient": even(lambda m: 1 / m, 1, 2, 128) + even(tanh, 0, 0.5, 64),
        "root": even(inverse_root, 1, 2, 64) + even(inverse_root, 2, 4, 64),
        "sine": even(sine_ratio, 0, 1, 128),
        "erf": even(erf, 0, 4, 256),
    }


TABLES = {
    "exp2": tables.exp2_table,
    "log2": tables.log2_table,
    "quotient": tables.quotient_table,
    "root": tables.root_table,
    "sine": tables.sine_table,
    "erf": tables.erf_table,
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_coefficients_from_mpmath(name: str) -> None:
    table = TABLES[name]()
    with mpmath.workprec(200):
        rows = segments()[name]
        assert len(rows) == table.segments
        vandermonde = mpmath.matrix(
            [[mpmath.mpf(n) ** k / 4**k for k in range(4)] for n in (0, 1, 3, 4)]
        )
        inverse = vandermonde**-1
        for i, (function, start, width) in enumerate(rows):
            values = mpmath.matrix([function(start + width * n / 4) for n in (0, 1, 3, 4)])
            for k, c in enumerate(inverse * values):
                want = int(mpmath.floor(c * 2**table.fraction + mpmath.mpf(0.5)))
                assert int(table.columns[k][i]) == want, (name, i, k)


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("exp2", 4),
        ("log2", 4),
        ("quotient", 5.5),
        ("root", 18),
        ("sine", 4),
        ("erf", 9),
    ],
)
def test_error_of_the_evaluated_cubics(name: str, bound: float) -> None:
    """Interpolation and Horner's roundings together, in the table's unit."""
    table, bits = TABLES[name](), 20
    rows = segments()[name]
    offsets = [0, 1, 1 << 17, (1 << 19) - 1, 700001, 900000, (1 << 20) - 1]
    for offset in offsets:
        index = np.arange(table.segments)
        got = polynomial(table, index, np.full(table.segments, offset, np.int64), bits)
        with mpmath.workprec(100):
            for i, (function, start, width) in enumerate(rows):
                true = function(start + width * offset / 2**bits) * 2**table.fraction
                assert abs(true - int(got[i])) <= bound, (
                    name,
                    i,
                    offset,
                    float(true - int(got[i])),
                )


def test_windows_from_mpmath() -> None:
    low, middle, high = tables.angle_windows()
    assert len(low) == 127 + 2
    with mpmath.workprec(500):
        for i in range(len(low)):
            window = int(low[i]) | int(middle[i]) << 26 | int(high[i]) << 56
            whole = int(mpmath.floor(2 / mpmath.pi * mpmath.mpf(2) ** (i - 1 - 23 + 86)))
            assert window == whole % 2**88


def test_constants_from_mpmath() -> None:
    with mpmath.workprec(300):
        assert int(mpmath.nint(2**37 / mpmath.ln(2))) == tables.LOG2_E
        assert int(mpmath.nint(mpmath.ln(2) * 2**32)) == tables.LN2_32
        assert int(mpmath.nint(mpmath.log10(2) * 2**33)) == tables.LOG10_2
        assert abs(tables.LN2 - mpmath.ln(2) * tables.ONE) < 100
        assert abs(tables.PI_WIDE - mpmath.pi * tables.ONE**2) < 1000


def test_documented_widths() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| (\w+) \|.*\| ([\d ]+) \|$", text, re.MULTILINE))
    for name, table in TABLES.items():
        widths = [int(np.abs(column).max()).bit_length() for column in table().columns]
        assert [int(w) for w in documented[name].split()] == widths, name


def test_documented_errors_keep_the_promise() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    table = text.partition("<!-- measured: begin -->")[2].partition("<!-- measured: end -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[3:]]
    special = ["exp", "log", "log2", "log10", "sin", "cos", "tanh", "sigmoid", "erf", "rsqrt"]
    assert [row[0] for row in rows] == [*special, "recip", "pow"]
    for row in rows:
        assert max(float(row[k]) for k in (2, 4, 6)) < 0.51
        assert int(row[5].replace(",", "")) >= 2**24
