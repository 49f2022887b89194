"""The tables of the special functions as a SystemVerilog package, from the golden tables."""

from __future__ import annotations

from collections.abc import Sequence

from isa.gen.names import generated
from sim.semantics import tables
from sim.semantics.tables import Table

ENTRY_TABLES = (
    ("Log2", tables.log2_table),
    ("Erf", tables.erf_table),
    ("Sine", tables.sine_table),
    ("Root", tables.root_table),
)
"""The tables that share the first memory. Each starts at a multiple of its length."""


def _signed_bits(values: Sequence[int]) -> int:
    """Count the bits of the narrowest two's complement number that holds every value."""
    return 1 + max((value if value >= 0 else ~value).bit_length() for value in values)


def _widths(all_tables: Sequence[Table]) -> list[int]:
    """Return the bits of the coefficients c0 to c3 over all tables."""
    return [
        _signed_bits([int(value) for table in all_tables for value in table.columns[k]])
        for k in range(4)
    ]


def _rows(table: Table, widths: Sequence[int]) -> list[str]:
    """Return the segments as literals, c0 in the top bits."""
    total = sum(widths)
    literals: list[str] = []
    for coefficients in zip(*table.columns, strict=True):
        word = 0
        for value, width in zip(coefficients, widths, strict=True):
            word = word << width | (int(value) & ((1 << width) - 1))
        literals.append(f"{total}'h{word:0{-(-total // 4)}x}")
    return literals


def _array(name: str, kind: str, rows: Sequence[str], meaning: str) -> str:
    """Return a constant array, one element per line, the last one first."""
    body = ",\n".join(f"      {row}" for row in reversed(rows))
    return f"  // {meaning}\n  localparam {kind} {name} = {{\n{body}\n  }};\n"


def _constant(name: str, value: int, bits: int, meaning: str) -> str:
    """Return a constant with its meaning above it."""
    return f"  // {meaning}\n  localparam logic [{bits - 1}:0] {name} = {bits}'d{value};\n"


def special_tables() -> str:
    """Text of hwc_tables_pkg.sv."""
    exp2, quotient = tables.exp2_table(), tables.quotient_table()
    entries = [(name, make()) for name, make in ENTRY_TABLES]
    widths = _widths([exp2, quotient, *(table for _, table in entries)])
    fields = "\n".join(f"    logic signed [{width - 1}:0] c{k};" for k, width in enumerate(widths))
    rows: list[str] = []
    bases: list[str] = []
    for name, table in entries:
        assert len(rows) % table.segments == 0
        meaning = f"First row of {table.name}, units of 2^-{table.fraction}."
        bases.append(_constant(f"Entry{name}", len(rows), 10, meaning))
        rows += _rows(table, widths)
    window_bits = sum(tables.WINDOW_LIMBS)
    low, middle, high = tables.WINDOW_LIMBS[0], sum(tables.WINDOW_LIMBS[:2]), window_bits
    windows = [
        f"{high}'h{int(a) | int(b) << low | int(c) << middle:0{high // 4}x}"
        for a, b, c in zip(*tables.angle_windows(), strict=True)
    ]
    first = tables.WINDOW_FIRST
    sections = [
        "  // A segment of a table: c0 + d * (c1 + d * (c2 + d * c3)), nowhere negative.\n"
        f"  localparam int unsigned CubicBits = {widths[0]};  // of c0 and of every partial sum\n"
        f"  typedef struct packed {{\n{fields}\n  }} cubic_t;\n",
        _constant("Log2E", tables.LOG2_E, 38, "log2 e, units of 2^-37."),
        _constant("Ln2", tables.LN2_32, 32, "ln 2, units of 2^-32."),
        _constant("Log10Of2", tables.LOG10_2, 32, "log10 2, units of 2^-33."),
        _constant(
            "Log2Fold", tables.LOG2_FOLD, 10, "First segment of log2 that counts as below 1."
        ),
        _constant(
            "TanhFirst",
            tables.RECIPROCAL_SEGMENTS,
            10,
            "First row of tanh(x) / x in the quotients.",
        ),
        "".join(bases),
        _array(
            "EntryTable",
            f"cubic_t [{len(rows) - 1}:0]",
            rows,
            "log2(m) / (m - 1), erf(x) / x, sine ratio, 1 / root.",
        ),
        _array(
            "Exp2Table",
            f"cubic_t [{exp2.segments - 1}:0]",
            _rows(exp2, widths),
            "2^f, units of 2^-36.",
        ),
        _array(
            "QuotientTable",
            f"cubic_t [{quotient.segments - 1}:0]",
            _rows(quotient, widths),
            "1 / m, then tanh(x) / x, units of 2^-36.",
        ),
        f"  // Exponent of the first window; one bit of {window_bits} is worth 2^-86 quadrants.\n"
        f"  localparam int WindowFirst = {first};\n",
        _array(
            "AngleWindows",
            f"logic [{len(windows) - 1}:0][{window_bits - 1}:0]",
            windows,
            "2/pi * 2^(exponent - 23) modulo 4, by exponent.",
        ),
    ]
    return (
        "// Tables and constants of the special functions.\n"
        f"// {generated('sim/semantics/tables.py')}\n"
        "package hwc_tables_pkg;\n\n"
        "  // A package offers more than one design uses.\n"
        "  // verilator lint_off UNUSEDPARAM\n\n" + "\n".join(sections) + "\nendpackage\n"
    )
