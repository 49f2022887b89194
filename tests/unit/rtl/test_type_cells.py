"""The bench of what each element type costs: how a type is left out, and how a row is made."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from isa.gen.sv_package import sv_package
from isa.load import load

BENCH = Path(__file__).resolve().parents[2] / "bench" / "type_cells.py"
_spec = importlib.util.spec_from_file_location("type_cells", BENCH)
assert _spec is not None
assert _spec.loader is not None
bench = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bench)


def test_a_type_that_is_left_out_is_nowhere_in_the_package():
    whole, without = (sv_package(isa) for isa in (load(), bench.without(load(), ["f16"])))
    assert "TypeF16" in whole
    assert "TypeF16" not in without
    assert "TypeBf16" in without
    assert "NarrowFractionBits = 10;" in whole
    assert "NarrowFractionBits = 3;" in without  # of f8e4m3: bf16 has as many exponents as f32


def test_the_package_of_a_machine_with_the_types_of_a_lane_alone():
    names = {name for types in bench.LEFT_OUT for name in types}
    assert set(load().types) - names == {"i32", "f32"}
    text = sv_package(bench.without(load(), names))
    assert "code == TypeI32 || code == TypeF32;" in text


def test_a_row_gives_what_is_saved_per_lane():
    whole = {"lane": (900, 40), "stream": (80, 10), "walk": (20, 6)}
    rest = {"lane": (700, 40), "stream": (60, 8), "walk": (24, 6)}
    row = bench.row(["f16", "bf16"], whole, rest, lanes=4)
    assert row == "| f16, bf16 | 54 | 21.6 % | 0 | `lane` 50, `stream` 5 |\n"
