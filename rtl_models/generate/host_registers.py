"""The register block of the host, its package and its manual, from core/host_registers.rdl.

Needs the packages systemrdl-compiler and peakrdl-regblock.
"""

from __future__ import annotations

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


MANUAL_HEADER = f"""\
# Host registers

<!-- {_GENERATED} -->

Every register has 64 bits, on an AXI4-Lite port of 64 bits. Bits that no field covers read 0. An
access to another offset, and a write to a register that is only read, is answered with SLVERR and
has no effect. What a start and a reset do: [Between runs](architecture.md#between-runs).
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
    yield "| offset | register | bits | field | access | meaning |"
    yield "|--:|---|--:|---|---|---|"
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
    meaning = " ".join(str(field.get_property("desc")).split())
    return f"| {bits} | `{field.inst_name}` | {access} | {meaning} |"


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
        return {
            name: HEADER + "\n" + (Path(folder) / f"{name}.sv").read_text(encoding="utf-8") + FOOTER
            for name in (MODULE, PACKAGE)
        }
