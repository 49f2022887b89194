"""Bench of the arithmetic units: builds one, plays operand sets into it, compares with golden.

Operand sets and golden results go to a file, which `sv/unit_bench.sv` plays, one set a cycle.
`unit_testbench.py` is the part that runs inside the RTL simulator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

import isa
import sim.semantics
from isa.model import BITS, Instruction
from rtl_models.tb import bench
from rtl_models.tb.bench import Bench
from rtl_models.tb.vectors import Operands
from sim.semantics.formats import FORMATS

MODULES = {
    "alu": "alu",
    "divider": "div",
    "fp_convert": "cvt",
    "fp_fma": "fma",
    "int_mul": "mul",
    "special": "sfu",
}
"""Unit of the instruction set that each module is; `test_<module>.py` is its bench."""

REGISTER_STAGES = 2
"""Cycles of a unit's latency that are not its own: operands are read, the result is written."""

_RECORD = np.dtype([(field, np.uint32) for field in ("opcode", "a", "b", "c", "expected")])
_VALID = 1 << 31
_IDLE_SHARE = 1 / 16
"""Share of idle cycles among the operand sets."""


@dataclass(frozen=True)
class Unit:
    """An arithmetic unit, built: its name in the instruction set, and its bench."""

    name: str
    bench: Bench


def instructions(unit: str) -> list[Instruction]:
    """Return the instructions that a unit of the instruction set executes."""
    return [i for i in isa.load().instructions.values() if i.unit == unit]


def kind_of(instruction: Instruction) -> str:
    """Return the kind of an instruction's type, `bits` if it has none."""
    return BITS if instruction.type == BITS else isa.load().types[instruction.type].kind


def depth(module: str) -> int:
    """Return the depth that the unit's latency leaves."""
    return isa.load().units[MODULES[module]].latency - REGISTER_STAGES


def build(module: str) -> Unit:
    """Build the unit that is this module."""
    parameters = {"Depth": depth(module)}
    built = bench.build(
        "unit_bench", parts=[module], parameters=parameters, defines={"UNIT": module}
    )
    return Unit(MODULES[module], built)


def check(unit: Unit, operands: Mapping[str, Operands], seed: int) -> None:
    """Play all operand sets into the unit, mixed, and compare every result with golden.

    `operands` has the operand arrays of each instruction; `seed` orders them. Fails with the first
    difference, and if an instruction of the unit is missing.
    """
    missing = {i.name for i in instructions(unit.name)} - {
        n for n in operands if len(operands[n][0])
    }
    assert not missing, f"no operands for {sorted(missing)}"
    with TemporaryDirectory() as name:
        path = Path(name) / "vectors.bin"
        _write(path, operands, seed)
        unit.bench.run("unit_testbench", seed, path.parent, plusargs=[f"+vectors={path}"])


def _of_types(instruction: Instruction, operands: Operands) -> Operands:
    """Round every other operand set of floats to the formats of its types.

    A program should have no other numbers in its lanes, but nothing keeps it from having them.
    """

    def of_type(type_: str, lanes: NDArray[np.int32]) -> NDArray[np.int32]:
        if type_ not in FORMATS:
            return lanes
        result = lanes.copy()
        with np.errstate(all="ignore"):
            result[::2] = FORMATS[type_].round(lanes[::2].view(np.float32)).view(np.int32)
        return result

    return [
        of_type(type_, lanes)
        for type_, lanes in zip(instruction.operand_types, operands, strict=True)
    ]


def _write(path: Path, operands: Mapping[str, Operands], seed: int) -> None:
    """Write the records of all operand sets in random order, with idle cycles between."""
    instructions = isa.load().instructions
    parts = []
    for name, lanes in operands.items():
        arrays = _of_types(instructions[name], lanes)
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
