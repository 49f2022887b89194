"""The tables of docs/ports.md have every port of the machine, with its direction and its width."""

from __future__ import annotations

import re
from pathlib import Path

from rtl_models.sources import modules

PAGE = Path(__file__).resolve().parents[3] / "docs" / "ports.md"
PORT = re.compile(r"^    (in|out)put +(\w+)(?: +\[([^]]*)\])? +(\w+?),?(?: +//.*)?$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| (in|out) \| ([^|]+) \|", re.MULTILINE)
TYPES = {"address_t": "`address_bits`", "word_t": "`axi_bits`", "strobe_t": "`axi_bits` / 8"}
WIDTHS = {"HostAddressBits-1": "9", "HostBits-1": "64", "HostBits/8-1": "8", "IdBits-1": "`IdBits`"}


def width(kind: str, highest: str | None) -> str:
    """The width of a port as the page writes it, from its type and its highest bit."""
    if highest is None:
        return TYPES.get(kind, "1")
    bit = highest.removesuffix(":0").strip()
    return str(int(bit) + 1) if bit.isdigit() else WIDTHS[bit]


def test_every_port_is_on_the_page():
    header = modules()["machine"].read_text(encoding="utf-8").partition(");\n")[0]
    ports = {m[4]: (m[1], width(m[2], m[3])) for m in PORT.finditer(header)}
    assert len(ports) == len(re.findall(r"^ +(?:in|out)put ", header, re.MULTILINE))
    assert {"clk_i", "host_aw_prot_i", "ar_cache_o", "b_id_i"} <= ports.keys()
    assert list(ports.items()) == [
        (name, (direction, bits)) for name, direction, bits in ROW.findall(PAGE.read_text("utf-8"))
    ]
