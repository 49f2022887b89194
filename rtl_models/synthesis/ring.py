"""A circuit with a register at every bit of its ports: its paths are between two clock edges."""

from __future__ import annotations

from rtl_models.synthesis.netlist import Netlist

RING = "ring"
"""The module around the circuit."""
INSIDE = "u_inside"
"""The circuit in it."""
CLOCK, RESET = "clk_i", "rst_ni"
_CLOCKS = {CLOCK: CLOCK, RESET: RESET, "clk": CLOCK, "arst_n": RESET}
"""Ports of circuits that are clock or reset; the last two are those of generated registers."""
_SUFFIX = "_ring_q"


def ring(circuit: Netlist) -> str:
    """Return the Verilog of the module; clock and reset go straight into the circuit."""
    passed = [name for name in _CLOCKS if name in circuit.inputs]
    inputs = {n: len(bits) for n, bits in circuit.inputs.items() if n not in passed}
    outputs = {n: len(bits) for n, bits in circuit.outputs.items()}
    ports = [f"input {CLOCK}", f"input {RESET}"]
    ports += [f"input [{bits - 1}:0] {name}" for name, bits in inputs.items()]
    ports += [f"output [{bits - 1}:0] {name}" for name, bits in outputs.items()]
    lines = [f"module {RING} (", *(f"  {port}," for port in ports[:-1]), f"  {ports[-1]}", ");"]
    for name, bits in (inputs | outputs).items():
        lines.append(f"  reg [{bits - 1}:0] {name}{_SUFFIX};")
    for name, bits in outputs.items():
        lines.append(f"  wire [{bits - 1}:0] {name}_inside;")
        lines.append(f"  assign {name} = {name}{_SUFFIX};")
    lines.append(f"  always @(posedge {CLOCK}) begin")
    lines += [f"    {name}{_SUFFIX} <= {name};" for name in inputs]
    lines += [f"    {name}{_SUFFIX} <= {name}_inside;" for name in outputs]
    lines.append("  end")
    pins = [f".{name}({_CLOCKS[name]})" for name in passed]
    pins += [f".{name}({name}{_SUFFIX})" for name in inputs]
    pins += [f".{name}({name}_inside)" for name in outputs]
    lines += [f"  \\{circuit.name} {INSIDE} (", ",\n".join(f"    {pin}" for pin in pins), "  );"]
    return "\n".join([*lines, "endmodule", ""])


def port_of(register: str) -> str | None:
    """Return the port whose register in the ring has this name, None if it is no such register."""
    return register[: -len(_SUFFIX)] if register.endswith(_SUFFIX) else None
