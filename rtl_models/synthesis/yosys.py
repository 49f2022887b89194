"""Reads a design through slang and maps every module to gates with Yosys, each circuit once.

`python -m rtl_models.synthesis.yosys TOP FOLDER KEPT FILE...` is the process that does it, because
Yosys writes to the standard output and keeps what it has allocated. It leaves two files for every
circuit in FOLDER, named by its number: what was read, in Yosys' own format (`.il`), and the netlist
in JSON. A line that begins with `STEP` says how far it is. A circuit whose netlist is in KEPT is
not mapped again, and a new one is put there; `""` keeps none.
"""

# ruff: noqa: T201 -- a command of its own: it prints

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rtl_models.synthesis.share import share

STEP = "STEP"

MOST_ROUNDS = 1_000_000
"""Of all loops in a process, unrolled: each lane of a large target has some over a format."""

# As Yosys' `synth` does, with these differences. Memories stay what they are, a `case` does not
# become one, and no arithmetic is shared: the RTL says what is a memory and what is shared. ABC
# leaves out the proofs that two nets are the same, which take minutes on a multiplier, and what
# makes paths longer.
MAP = """
proc -noopt -norom
check -assert
opt_expr
opt_clean
opt -nodffe -nosdff
wreduce
peepopt
opt_clean
alumacc
opt
memory -nomap
opt_clean
opt -fast -full
techmap
opt -fast
abc -script +strash;balance;rewrite;balance;map
opt -fast
clean
"""


def main(arguments: list[str]) -> int:
    """Synthesise; see above."""
    # Imported here, as the caller asks first whether it is there. It has no types.
    yosys: Any = import_module("pyosys.libyosys")
    top, folder, kept, files = arguments[0], Path(arguments[1]), arguments[2], arguments[3:]
    listing, text = folder / "files.f", folder / "design.il"
    listing.write_text("\n".join(f'"{file}"' for file in files), encoding="utf-8")
    design = yosys.Design()
    for command in (
        f"read_slang --keep-hierarchy --no-proc --unroll-limit {MOST_ROUNDS} --top {top} "
        f"-f {listing}",
        f"hierarchy -check -top {top}",
        f"write_rtlil {text}",
    ):
        yosys.run_pass(command, design)
    circuits = share(text.read_text(encoding="utf-8"))
    for number, circuit in enumerate(circuits, 1):
        print(f"\n{STEP} {number} {len(circuits)} {circuit.name}", flush=True)
        text = folder / f"{number}.il"
        text.write_text(circuit.text, encoding="utf-8")
        netlist = folder / f"{number}.json"
        decides = f"{version('pyosys')}{MAP}{circuit.text}"
        known = Path(kept) / f"{hashlib.sha256(decides.encode()).hexdigest()}.json"
        if kept and known.exists():
            shutil.copyfile(known, netlist)
            continue
        # A design of its own: many passes take time for all that a design has.
        design = yosys.Design()
        yosys.run_pass(f"read_rtlil {text}", design)
        for command in MAP.split("\n")[1:-1]:
            yosys.run_pass(command, design)
        yosys.run_pass(f"write_json {netlist}", design)
        if kept:
            shutil.copyfile(netlist, folder / "kept")
            os.replace(folder / "kept", known)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
