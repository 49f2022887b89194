"""What the host sends for a call of each named program; writes the generated parts of a page.

    python tests/bench/packets.py            # print the tables
    python tests/bench/packets.py --write    # renew docs/packet.md

A test compares the page with what this makes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from bench.programs import PROGRAMS, Shape, named

import hwc
from hwc.package import BufferRef, Dispatch
from hwc.runtime.program import Program
from hwc.runtime.steps import packet
from hwc.shapes.steps import Dim
from isa.disasm import disassemble
from isa.dispatch import VERSION_WORDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "packet.md"
TARGET = "accel"
EXAMPLE = "exp of a column"
WORD_BYTES = 8


def dispatches(program: Program, shapes: Sequence[Shape]) -> tuple[Dispatch, ...]:
    """Return what a call with these shapes starts."""
    return program.package.link(program.plan(program.symbols(shapes)))


def words_of(program: Program, shapes: Sequence[Shape]) -> dict[str, int]:
    """Count the words of all packets of a call by their kind, and the words of the programs."""
    given = {s.result for s in program.package.shape_program.steps if isinstance(s, Dim)}
    kinds = ("version", "address", "given", "derived", "program")
    count: dict[str, int] = {kind: 0 for kind in kinds}
    for dispatch in dispatches(program, shapes):
        count["version"] += VERSION_WORDS
        count["program"] += len(dispatch.words)
        for parameter in dispatch.parameters:
            if isinstance(parameter, BufferRef):
                count["address"] += 1
            else:
                count["given" if parameter.name in given else "derived"] += 1
    return count


def table() -> str:
    """Write the words and bytes of each named program at its reported sizes."""
    rows = [
        "| program | shapes | plan | version | addresses | sizes of arguments | derived sizes "
        "| bytes of the packet | of the static program | bytes of machine code |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for of in PROGRAMS:
        shapes = of.shapes()
        program = hwc.compile(of.text(), TARGET)
        static = words_of(hwc.compile(of.text(shapes), TARGET), shapes)
        count = words_of(program, shapes)
        machine_code = count.pop("program") * WORD_BYTES
        static.pop("program")
        plan = program.plan(program.symbols(shapes))
        names = [c.alternatives[n].name for c, n in zip(program.package.choices, plan, strict=True)]
        cells = [
            of.name,
            " ".join("x".join(map(str, shape)) for shape in shapes),
            ", ".join(names) or "–",
            *map(str, count.values()),
            str(sum(count.values()) * WORD_BYTES),
            str(sum(static.values()) * WORD_BYTES),
            str(machine_code),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def example() -> str:
    """Write the program and the packet of one call, every word of them."""
    of = named(EXAMPLE)
    shapes = of.shapes()
    program = hwc.compile(of.text(), TARGET)
    symbols = program.symbols(shapes)
    (dispatch,) = dispatches(program, shapes)
    addresses = {
        name: 0x10000 * (1 + i) for i, name in enumerate(sorted(dispatch.buffers, key=_order))
    }
    sizes = " and ".join("x".join(map(str, shape)) for shape in shapes)
    lines = [
        f"{of.meaning} on `{TARGET}`, for {sizes}. The packet, with buffers at addresses chosen "
        "for the example:",
        "",
        "| word | bytes in memory | parameter | meaning |",
        "|--:|---|---|---|",
    ]
    values = packet(dispatch, addresses, symbols)
    meanings = ["version of the instruction set"]
    for parameter in dispatch.parameters:
        if isinstance(parameter, BufferRef):
            meanings.append(f"address of the buffer `{parameter.name}`")
        else:
            meanings.append(f"size `{parameter.name}` = {symbols[parameter.name]}")
    for number, (value, meaning) in enumerate(zip(values, meanings, strict=True)):
        stored = np.array([value], "<u8").tobytes().hex(" ")
        name = f"p{number - VERSION_WORDS}" if number >= VERSION_WORDS else ""
        lines.append(f"| {number} | `{stored}` | {name} | {meaning} |")
    lines += ["", "The program, each word a little-endian number of 64 bits:", "", "```text"]
    for word, text in zip(dispatch.words, disassemble(dispatch.words).splitlines(), strict=True):
        lines.append(f"{word:016x}  {text}")
    return "\n".join([*lines, "```"])


def _order(name: str) -> tuple[int, str]:
    """Inputs first, then intermediates, then outputs."""
    kinds = ("input", "constants", "intermediate", "output")
    return next(i for i, kind in enumerate(kinds) if name.startswith(kind)), name


def replaced(page: str) -> str:
    """The page with its generated parts renewed."""
    for name, text in (("example", example()), ("bytes", table())):
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        page, count = re.subn(
            pattern, lambda m, t=text: f"{m[1]}\n{t}\n\n{m[2]}", page, count=1, flags=re.DOTALL
        )
        assert count == 1, f"docs/packet.md has lost its part '{name}'"
    return page


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(example(), table(), sep="\n\n")
