"""The register block of the host, its package and its manual, from core/host_registers.rdl.

Needs the packages systemrdl-compiler and peakrdl-regblock.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode
from systemrdl.rdltypes.builtin_enums import OnWriteType

from isa.gen.names import generated
from isa.load import load
from rtl_models.sources import SOURCES

SOURCE = SOURCES / "core" / "host_registers.rdl"
MODULE = "host_registers"
PACKAGE = "host_registers_pkg"
_GENERATED = generated("rtl_models/core/host_registers.rdl")

HEADER = f"""\
// Registers of the host.
// {_GENERATED}

// The generator writes for all that a register may be, not for these registers alone.
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
// verilator lint_off MULTIDRIVEN
"""
FOOTER = """
// verilator lint_on MULTIDRIVEN
// verilator lint_on UNUSEDPARAM
// verilator lint_on UNUSEDSIGNAL
"""

# What is decoded of a request, and its name after the register.
_REQUEST = {
    "cpuif_req_masked": "request_valid",
    "cpuif_req_is_wr": "request_is_wr",
    "cpuif_addr": "request_addr",
    "cpuif_wr_data": "request_wr_data",
    "cpuif_wr_biten": "request_wr_biten",
}
_REQUEST_REGISTERS = """\
    // A request is decoded in the cycle after it is chosen.
    logic request_valid;
    logic request_is_wr;
    logic [$bits(cpuif_addr)-1:0] request_addr;
    logic [$bits(cpuif_wr_data)-1:0] request_wr_data;
    logic [$bits(cpuif_wr_biten)-1:0] request_wr_biten;
    always_ff @(posedge clk or negedge arst_n) begin
        if(~arst_n) begin
            request_valid <= '0;
        end else begin
            request_valid <= cpuif_req_masked;
        end
    end
    always_ff @(posedge clk) begin
        request_is_wr <= cpuif_req_is_wr;
        request_addr <= cpuif_addr;
        request_wr_data <= cpuif_wr_data;
        request_wr_biten <= cpuif_wr_biten;
    end

"""

MANUAL_HEADER = f"""\
# Host registers

<!-- {_GENERATED} -->

Every register has 64 bits, on an AXI4-Lite port of 64 bits. Bits that no field covers read 0. An
access to another offset, and a write to a register that is only read, is answered with SLVERR and
has no effect. A field that is only read shows the machine's state. What a start and a reset do:
[Between runs](architecture.md#between-runs).
"""


def description() -> AddrmapNode:
    """The registers as they are described."""
    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(SOURCE))
    return compiler.elaborate(parameters={"COUNTERS": len(load().counters)}).top


def manual() -> str:
    """Text of docs/host_registers.md: the registers for whoever writes a driver."""
    return "\n".join([MANUAL_HEADER, *_registers(), "", *_counters(), ""])


def _registers() -> Iterator[str]:
    yield "| offset | register | bits | field | access | reset | meaning |"
    yield "|--:|---|--:|---|---|--:|---|"
    for register in description().children():
        assert isinstance(register, RegNode)
        offset, name = f"{register.raw_address_offset:#05x}", f"`{register.inst_name}`"
        if register.is_array:
            offset, name = f"{offset} + 8·i", f"`{register.inst_name}[i]`"
        for field in register.fields():
            yield f"| {offset} | {name} {_field(field)}"
            offset = name = ""


def _field(field: FieldNode) -> str:
    bits = str(field.high) if field.high == field.low else f"{field.high}..{field.low}"
    access = "read and write" if field.is_sw_writable else "read"
    if field.get_property("onwrite") is OnWriteType.woclr:
        access = "read, write 1 to clear"
    reset = field.get_property("reset") if field.is_sw_writable else "–"
    meaning = " ".join(str(field.get_property("desc")).split())
    return f"| {bits} | `{field.inst_name}` | {access} | {reset} | {meaning} |"


def _counters() -> Iterator[str]:
    yield "The counters; `docs/timing.md` defines them:"
    yield ""
    yield "| i | counter | counts |"
    yield "|--:|---|---|"
    for number, (name, counter) in enumerate(load().counters.items()):
        yield f"| {number} | `{name}` | {counter.meaning} |"


def modules() -> dict[str, str]:
    """Texts of the SystemVerilog module and of its package, by name."""
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            description(),
            folder,
            cpuif_cls=AXI4Lite_Cpuif_flattened,
            module_name=MODULE,
            package_name=PACKAGE,
            default_reset_activelow=True,
            default_reset_async=True,
            err_if_bad_addr=True,
            err_if_bad_rw=True,
            retime_read_fanin=True,
            retime_read_response=True,
        )
        texts = {
            name: (Path(folder) / f"{name}.sv").read_text(encoding="utf-8")
            for name in (MODULE, PACKAGE)
        }
    texts[MODULE] = _with_registered_requests(texts[MODULE])
    return {name: HEADER + "\n" + text + FOOTER for name, text in texts.items()}


def _with_registered_requests(text: str) -> str:
    """Put a register between the choice of a request and the decoding of its address.

    The generator has an option for a register in answers, but none for one in requests.
    """
    before, address_decode, after = text.partition("    // Address Decode\n")
    assert address_decode, "the generator decodes addresses elsewhere"
    for name, new in _REQUEST.items():
        assert re.search(rf"\b{name}\b", before) and re.search(rf"\b{name}\b", after), name
        after = re.sub(rf"\b{name}\b", new, after)
    # The line above the heading belongs to it.
    before, rule, dashes = before.rpartition("    //--")
    return before + _REQUEST_REGISTERS + rule + dashes + address_decode + after
