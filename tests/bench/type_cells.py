"""Cells that each element type costs per lane, by leaving the type out of the hardware.

    python tests/bench/type_cells.py [--target tiny] [--write]

The machine of a target is synthesised as it is, and once more without each type: `hwc_isa_pkg.sv`
is generated from an instruction set that lacks the type's row, so that Yosys removes whatever only
this type needs. The difference is what the type costs. Gates of one type are often shared with
another, so that leaving out both saves more than the sum. i32 and f32 are the types of a lane and
cannot be left out. `--write` puts the table in docs/reports/type_cells.md. A synthesis takes about
80 s.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from hwc.files import write_text
from isa.gen.sv_package import sv_package
from isa.gen.sv_target import sv_target
from isa.load import load
from isa.model import BITS, Instruction, Isa
from isa.target import Target, load_target
from rtl_models.sources import SOURCES, TARGET_PACKAGE, modules, packages
from rtl_models.synthesis.report import instances
from rtl_models.synthesis.run import need_tools, synthesise

TOP = "machine"
ISA_PACKAGE = "hwc_isa_pkg.sv"
LEFT_OUT = (
    ("i1",),
    ("i8",),
    ("i16",),
    ("f16",),
    ("bf16",),
    ("f8e4m3",),
    ("f8e5m2",),
    ("i8", "i16"),
    ("f8e4m3", "f8e5m2"),
    ("f16", "bf16", "f8e4m3", "f8e5m2"),
)
OUTPUT = SOURCES.parent / "docs" / "reports" / "type_cells.md"
PREFACE = """\
# What each element type costs

Written by `python tests/bench/type_cells.py --write`: gates (Yosys' own, of two inputs, as in
[synthesis.md](synthesis.md)) and bits of flip-flops of the machine of `{target}`, per lane
({lanes} lanes), that are saved when the types are left out of the hardware. The machine with all
types has {gates:,} gates and {flip_flops:,} bits of flip-flops, which is {each:,} gates per lane.
Gates outside the lanes, in the streams for example, count as well. An operation that only one type
has stays, with its tables. Differences of a few hundred gates in all are noise, because Yosys then
shares other gates. i48 and i4 have no row: the machine stores them as i32 with i16, and as i8.

| types left out | gates per lane | share of the machine | flip-flops per lane | most of it in |
|---|---|---|---|---|
"""

Cells = Mapping[str, tuple[int, int]]
"""Gates and bits of flip-flops of all instances of each module, by the module's name."""


def main() -> int:
    """Synthesise, print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", default="tiny", help="name or file")
    parser.add_argument("--write", action="store_true", help=f"write {OUTPUT.name}")
    options = parser.parse_args()
    need_tools()
    target = load_target(options.target)
    whole = cells(target, load())
    gates, flip_flops = total(whole)
    text = PREFACE.format(
        target=target.name,
        lanes=target.lanes,
        gates=gates,
        flip_flops=flip_flops,
        each=gates // target.lanes,
    )
    for names in LEFT_OUT:
        text += row(names, whole, cells(target, without(load(), names)), target.lanes)
        print(text.splitlines()[-1], flush=True)
    if options.write:
        write_text(OUTPUT, text)
    return 0


def without(isa: Isa, names: Collection[str]) -> Isa:
    """Return an instruction set without some element types; it is of use for its package only.

    The instructions of these types go. The modules name every operation, so one that no other type
    has keeps its instructions, on bits.
    """
    types = {name: type_ for name, type_ in isa.types.items() if name not in names}
    kept = {name: i for name, i in isa.instructions.items() if not _types(i) & set(names)}
    operations = {i.operation for i in kept.values()}
    forms: set[tuple[str, str, str | None]] = set()
    for name, instruction in isa.instructions.items():
        if instruction.operation not in operations:
            on_bits = dataclasses.replace(
                instruction,
                type=BITS if instruction.type in names else instruction.type,
                result_type=BITS if instruction.result_type in names else instruction.result_type,
            )
            form = on_bits.operation, on_bits.type, on_bits.result_type
            if form not in forms:
                kept[name] = on_bits
            forms.add(form)
    return dataclasses.replace(
        isa,
        types=MappingProxyType(types),
        types_by_code=MappingProxyType({t.code: t for t in types.values()}),
        instructions=MappingProxyType(kept),
    )


def _types(instruction: Instruction) -> set[str | None]:
    return {instruction.type, instruction.result_type, *instruction.operand_types}


def cells(target: Target, isa: Isa) -> Cells:
    """Return the cells of the machine of a target with this instruction set."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder / TARGET_PACKAGE, sv_target(target))
        write_text(folder / ISA_PACKAGE, sv_package(isa))
        files = [
            folder / ISA_PACKAGE if file.name == ISA_PACKAGE else file
            for file in packages(folder / TARGET_PACKAGE)
        ]
        files += modules().values()
        netlists = synthesise(TOP, files, folder / "netlists", lambda _begun, _of: None)
    numbers = instances(TOP, netlists)
    gates: Counter[str] = Counter()
    flip_flops: Counter[str] = Counter()
    for circuit, netlist in netlists.items():
        gates[netlist.module] += numbers[circuit] * netlist.gates.total()
        flip_flops[netlist.module] += numbers[circuit] * netlist.flip_flops
    return {module: (gates[module], flip_flops[module]) for module in gates}


def total(found: Cells) -> tuple[int, int]:
    """Return the gates and the bits of flip-flops of all modules."""
    return sum(gates for gates, _ in found.values()), sum(bits for _, bits in found.values())


def row(names: Collection[str], whole: Cells, rest: Cells, lanes: int) -> str:
    """Return a row of the table: what is saved when these types are left out."""
    all_gates, all_bits = total(whole)
    gates, bits = total(rest)
    saved = {module: whole[module][0] - rest.get(module, (0, 0))[0] for module in whole}
    most = sorted((m for m in saved if saved[m] > 0), key=saved.__getitem__, reverse=True)[:3]
    where = ", ".join(f"`{module}` {saved[module] / lanes:.0f}" for module in most)
    share = round(100 * (all_gates - gates) / all_gates, 1) + 0  # no -0.0
    return (
        f"| {', '.join(names)} | {round((all_gates - gates) / lanes)} | {share:.1f} % "
        f"| {round((all_bits - bits) / lanes)} | {where or '–'} |\n"
    )


if __name__ == "__main__":
    sys.exit(main())
