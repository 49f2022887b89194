"""Maps a circuit to the cells of an FPGA (Lattice ECP5) with Yosys.

`python -m rtl_models.synthesis.lattice TOP NETLIST OPTIONS FILE...` is the process that does it. It
reads files in Verilog (`.v`) and in Yosys' own format (`.il`), parts before wholes, and leaves
NETLIST in JSON. OPTIONS are those of `synth_lattice`, in one word.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# How ABC makes look-up tables: three rounds, of which the best counts, instead of one. They take
# longer and find fewer levels and 2 % fewer tables in a whole machine. A wire takes about as many
# picoseconds as on a placed circuit; by default it takes a third, which makes look-up tables too
# cheap against carries.
SETTINGS = {
    "synth_lattice.abc9.W": "900",
    "abc9.script": "+&scorr; &sweep; &if {C} {W} {D}; &save; "
    "&st; &syn2; &if {W} {D} {R} -v; &save; &load; "
    "&st; &if -g -K 6; &dch -f; &if {W} {D} {R} -v; &mfs; &save; &load; "
    "&st; &if -g -K 6; &synch2; &if {W} {D} {R} -v; &mfs; &save; &load; &mfs",
}

# A `case` does not become a memory: the RTL says what is one.
# Wires lose their names when look-up tables are made: flip-flops take the names of their wires.
MAP = """
proc -norom
synth_lattice -family ecp5 -top {top} {options} -run begin:map_luts
rename -wire t:TRELLIS_FF
synth_lattice -family ecp5 -top {top} {options} -run map_luts:
setattr -unset src -unset hdlname a:*
setattr -mod -unset src -unset hdlname a:*
"""

# Without the multiplexers after look-up tables, which tie two, four or eight of them together: a
# machine that fills most of the device then has no groups that only fit where much is free.
WHOLE = "-nowidelut"


def main(arguments: list[str]) -> int:
    """Synthesise; see above."""
    # Imported here, as the caller asks first whether it is there. It has no types.
    yosys: Any = import_module("pyosys.libyosys")
    top, netlist, options, *files = arguments
    design = yosys.Design()
    for name, value in SETTINGS.items():
        design.scratchpad_set_string(name, value)
    for file in files:
        # A whole has its parts as black boxes, which are read already.
        reader = "read_verilog" if Path(file).suffix == ".v" else "read_rtlil -nooverwrite"
        yosys.run_pass(f"{reader} {file}", design)
    for command in MAP.format(top=top, options=options).split("\n")[1:-1]:
        yosys.run_pass(command, design)
    yosys.run_pass(f"write_json {netlist}", design)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
