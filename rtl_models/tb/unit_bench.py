"""Bench of the arithmetic units: builds one, plays operand sets into it, compares with golden.

Operand sets and golden results go to a file, which `sv/unit_bench.sv` plays, one set a cycle.
`unit_testbench.py` is the part that runs inside the RTL simulator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

import isa
import sim.semantics
from rtl_models.tb import verilator
from rtl_models.tb.vectors import Operands

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rtl_models"
BUILD = ROOT / "build" / "rtl_units"
BENCH = SOURCES / "tb" / "sv" / "unit_bench.sv"
PACKAGES = (SOURCES / "pkg" / "hwc_isa_pkg.sv", SOURCES / "pkg" / "hwc_vector_pkg.sv")

REGISTER_STAGES = 2
"""Cycles of a unit's latency that are not its own: operands are read, the result is written."""

_RECORD = np.dtype([(field, np.uint32) for field in ("opcode", "a", "b", "c", "expected")])
_VALID = 1 << 31
_IDLE_SHARE = 1 / 16
"""Share of idle cycles among the operand sets."""


@dataclass(frozen=True)
class Unit:
    """An arithmetic unit, built: its module, the depth it was built with and where it lies."""

    module: str
    depth: int
    directory: Path


def build(module: str, unit: str, sources: Sequence[str] = ()) -> Unit:
    """Build `module`, which is `unit` of the instruction set, with the depth its latency leaves.

    `sources` are the packages and modules it needs besides those of all units.
    """
    depth = isa.load().units[unit].latency - REGISTER_STAGES
    directory = BUILD / f"{module}_{depth}"
    files = [_find(name) for name in (*sources, "delay_line", module)]
    verilator.provide()
    get_runner("verilator").build(
        sources=[BENCH.with_suffix(".vlt"), *PACKAGES, *files, BENCH],
        hdl_toplevel="unit_bench",
        parameters={"Depth": depth},
        defines={"UNIT": module},
        build_args=["--no-public-flat-rw", "-O3", "-Wall", "-j", "2"],
        timescale=("1ns", "1ps"),
        build_dir=directory,
        always=True,
    )
    return Unit(module, depth, directory)


def _find(module: str) -> Path:
    """Return the source file of a module."""
    (path,) = (
        path for room in ("pkg", "common", "vector") for path in SOURCES.glob(f"{room}/{module}.sv")
    )
    return path


def check(unit: Unit, operands: Mapping[str, Operands], seed: int) -> None:
    """Play all operand sets into the unit, mixed, and compare every result with golden.

    `operands` has the operand arrays of each instruction; `seed` orders them. Fails with the first
    difference.
    """
    path = unit.directory / "vectors.bin"
    _write(path, operands, seed)
    print(f"seed {seed}")
    results = get_runner("verilator").test(
        hdl_toplevel="unit_bench",
        hdl_toplevel_lang="verilog",
        test_module="rtl_models.tb.unit_testbench",
        build_dir=unit.directory,
        test_dir=unit.directory,
        plusargs=[f"+vectors={path}"],
        extra_env={"PYTHONPATH": str(ROOT)},
        seed=seed,
    )
    tests, failures = get_results(results)
    assert tests > 0
    assert failures == 0


def _write(path: Path, operands: Mapping[str, Operands], seed: int) -> None:
    """Write the records of all operand sets in random order, with idle cycles between."""
    instructions = isa.load().instructions
    parts = []
    for name, arrays in operands.items():
        part = np.zeros(len(arrays[0]), _RECORD)
        part["opcode"] = instructions[name].opcode | _VALID
        for field, array in zip("abc", arrays, strict=False):
            part[field] = array.view(np.uint32)
        part["expected"] = sim.semantics.execute(name, arrays).view(np.uint32)
        parts.append(part)
    generator = np.random.default_rng(seed)
    records = np.concatenate(parts)
    idle = records[generator.integers(0, len(records), int(len(records) * _IDLE_SHARE))]
    idle["opcode"] &= _VALID - 1
    records = np.concatenate([records, idle])
    generator.shuffle(records)
    records.view(np.uint32).astype(">u4").tofile(path)
