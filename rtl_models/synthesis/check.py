"""What must not be in the result: latches, memories that are flip-flops, outputs made of inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.parameters import Parameters
from rtl_models.synthesis.paths import ends_of_inputs

# Cells that are memories, of one read port and at most one write port: words and bits of a word by
# their parameters, and whether reads have a register, as block memories need.
_MEMORIES = {
    "ram_1w1r": (lambda p: (p["Words"], p["Granules"] * p["GranuleBits"]), True),
    "rom": (lambda p: (p["Rows"], p["data_t"]), True),
    "fifo": (lambda p: (p["Depth"], p["data_t"]), False),
    # Two entries are in registers.
    "shift_queue": (lambda p: (p["Depth"] - 2, p["data_t"]), False),
}
# Modules that keep what they have in such a cell.
_KEEPERS = (
    "axi_read_master",
    "image_memory",
    "landing_buffer",
    "output_buffer",
    "register_file",
    "shape_unit",
    "special_argument",
    "special_cubic",
    "stream_ring",
    "stream_table",
)


def faults(netlists: Mapping[str, Netlist], parameters: Mapping[str, Parameters]) -> Iterator[str]:
    """Yield what is wrong, one line each."""
    for netlist in netlists.values():
        for kind, number in sorted(netlist.other.items()):
            what = "latches" if "LATCH" in kind else f"cells {kind} that are not gates"
            yield f"{netlist.path}: error: {netlist.module} has {number} {what}"
        if netlist.module in _MEMORIES:
            yield from _memory_faults(netlist, parameters[netlist.name])
        parts = [netlists[part.circuit] for part in netlist.parts]
        if netlist.module in _KEEPERS and not any(part.memories for part in parts):
            yield (
                f"{netlist.path}: error: {netlist.module} is to keep its data in a memory "
                f"({', '.join(_MEMORIES)}), but has {netlist.flip_flops} bits of flip-flops"
            )


def port_faults(top: str, netlists: Mapping[str, Netlist]) -> Iterator[str]:
    """Yield the outputs of a circuit that gates alone make of an input, which AXI forbids."""
    for port, ends in ends_of_inputs(top, netlists).items():
        for output in sorted(name for circuit, name in ends if not circuit):
            yield f"{top}: error: no register is between the input {port} and the output {output}"


def _memory_faults(netlist: Netlist, parameters: Parameters) -> Iterator[str]:
    size, registered = _MEMORIES[netlist.module]
    words, bits = size(parameters)
    if words == 1:
        return  # is a register
    wanted = f"a memory of {words} x {bits} bits{' with a registered read port' * registered}"
    if len(netlist.memories) != 1:
        made = f"{len(netlist.memories)} memories and {netlist.flip_flops} bits of flip-flops"
    else:
        (memory,) = netlist.memories
        # Columns of constants that do not differ are wires.
        same = memory.bits == bits or (memory.write_ports == 0 and memory.bits < bits)
        ports = memory.read_ports == 1 and memory.write_ports <= 1
        if memory.words == words and same and ports and memory.registered >= registered:
            return
        made = f"{memory.words} x {memory.bits} bits with {memory.write_ports} write and "
        made += f"{memory.read_ports}{' registered' * memory.registered} read ports"
    yield f"{netlist.path}: error: {netlist.module} is meant as {wanted}, but became {made}"
