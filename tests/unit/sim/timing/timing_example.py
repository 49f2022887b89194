"""Writes the generated parts of docs/timing.md: the constants and the worked example.

    python tests/unit/sim/timing/timing_example.py --write

The test compares the page with what this makes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from dispatch import host

from isa.asm import assemble
from isa.load import load
from sim import decode
from sim.timing import kernel_time, load_cycles, setup_cycles
from sim.timing.body import body_time, phases_of
from sim.timing.bursts import requests
from sim.timing.packed_walk import PackedWalk

PAGE = Path(__file__).resolve().parents[4] / "docs" / "timing.md"

PROGRAM = """\
base s0, f32, rank=3, p0, +0
size s0, 0, p3
size s0, 1, #3
size s0, 2, #21
base s1, f32, rank=3, p1, +0
size s1, 0, p3
size s1, 1, #1
size s1, 2, #21
base o0, f32, rank=3, p2, +0
size o0, 0, p3
size o0, 1, #3
size o0, 2, #21
loop copies=2
mul.f32 v0, s0, s1
tanh.f32 t0, v0
add.f32 o0, t0, s0
end
halt"""
PARAMETERS = [0x30004, 0x31010, 0x32004, 5]


def constants() -> str:
    """The table of constants."""
    rows = ["| constant | value | meaning |", "|---|---|---|"]
    for constant in load().constants.values():
        unit = "" if constant.unit == "cycles" else f" {constant.unit}"
        rows.append(f"| `{constant.name}` | {constant.value}{unit} | {constant.meaning} |")
    return "\n".join(rows)


def table(names: list[str], columns: list[list[int]]) -> str:
    """A table with one row for each strip."""
    rows = ["| " + " | ".join(["s", *names]) + " |", "|" + "--:|" * (len(names) + 1)]
    for strip, values in enumerate(zip(*columns, strict=True)):
        rows.append("| " + " | ".join(map(str, (strip, *values))) + " |")
    return "\n".join(rows)


def example() -> str:
    """The worked example in full."""
    h = host("tiny")
    h.memory.view(0x30000, 0x4000)[:] = 0
    trace = []
    run = h.run(PROGRAM, PARAMETERS, trace=trace)
    assert run.fault is None, run.fault
    target, constants = h.target, load().timing
    words = assemble(PROGRAM)
    program = decode.Program(target, words, PARAMETERS, h.window)
    advance = decode.advance(program, 0)
    kernel = advance.kernel
    assert kernel is not None
    counters = run.counters
    loaded = load_cycles(target, [(0x1000, len(words)), (0x21000, 1 + len(PARAMETERS))])
    setup = setup_cycles(target, advance.decoded, advance.inputs, advance.outputs)
    begin = loaded + advance.words * constants.word + setup
    time = kernel_time(target, kernel)
    lines = [
        f"On `{target.name}` (L = {target.lanes}, vlen = {target.vlen}, A = {target.axi_bytes}, "
        f"burst_beats = {target.burst_beats}, memory_latency = {target.memory_latency}, "
        f"g = {target.burst_gap}, ring_capacity = {target.ring_capacity}), with the packet "
        f"{load().version}, {', '.join(hex(p) if p > 9 else str(p) for p in PARAMETERS)}:",
        "",
        *("    " + line for line in PROGRAM.splitlines()),
        "",
        f"Program and packet are there at {loaded}; {advance.words} configuration words and set-up "
        f"({advance.decoded} words of the body with `end`, {len(advance.inputs)} inputs, "
        f"{len(advance.outputs)} output, rank {len(kernel.iteration)}) take "
        f"{advance.words * constants.word} + {setup}. The engines start at {begin} and end "
        f"{time['cycles']} later, and the program with them: {counters['cycles']} cycles. Times "
        "below count from the start of the engines.",
        "",
    ]
    strips = counters["strips"]
    times = {(r.engine, r.stream, r.strip): r for r in trace if r.phase == 0}
    ports = {(r.engine, r.phase, r.strip): r for r in trace}
    starts = [times["fetch", 0, s].start - begin for s in range(strips)]
    requested = np.zeros(strips, dtype=int)
    stream_tables = []
    for stream in kernel.inputs:
        walk = PackedWalk.of(target, kernel, stream)
        pattern, asks = walk.pattern, walk.strips(0, strips)
        reads = requests(target, asks.segments)
        levels = [f"{n}{k}={v}" for k in range(len(pattern.data))
                  for n, v in (("rep", pattern.repeats[k]), ("dat", pattern.data[k]))]  # fmt: skip
        offset = np.where(reads.words > 0, requested + reads.last, 0)
        data, now = [], 0
        for s in range(strips):
            lag = offset[s] + target.memory_latency + constants.read_return
            now = max(
                now, starts[s] + (int(lag) if reads.words[s] else constants.empty_strip_ready)
            )
            data.append(now)
        requested = requested + reads.cost
        units = [times["broadcast", stream.code, s] for s in range(strips)]
        needed = pattern.needed(
            np.minimum(np.arange(1, strips + 1) * target.vlen, kernel.points) - 1
        )
        stream_tables += [
            f"{stream}: {', '.join(levels)}; h = {pattern.held}, H = {pattern.block_elements}, "
            f"U = {pattern.unit_points}, R = {pattern.run_elements}"
            + (f", C = {pattern.cut_points}." if pattern.held else ", no cuts."),
            "",
            table(
                ["need", "fill", "free", "words", "cost", "offset", "cuts", "D", "B0", "B1"],
                [
                    needed.tolist(), asks.fill.tolist(), asks.free.tolist(), reads.words.tolist(),
                    reads.cost.tolist(), offset.tolist(), asks.cuts.tolist(), data,
                    [u.start - begin for u in units], [u.end - begin for u in units],
                ],
            ),
            "",
        ]  # fmt: skip
    lines += stream_tables
    names, columns = [], []
    for engine, phase, letter in (
        ("fetch", 0, "F"), ("lane", 0, "A"), ("special", 0, "X"), ("lane", 1, "A"),
        ("store", 0, "S"),
    ):  # fmt: skip
        records = [ports[engine, phase, s] for s in range(strips)]
        suffix = f"_{phase}" if engine in ("lane", "special") else ""
        names += [f"{letter}0{suffix}", f"{letter}1{suffix}"]
        columns += [[r.start - begin for r in records], [r.end - begin for r in records]]
        if (engine, phase) == ("lane", 1):
            names.append("W")
            points = [min(target.vlen, kernel.points - s * target.vlen) for s in range(strips)]
            phases = phases_of(kernel.body)
            done = [body_time(target, phases, kernel.lanes, n).phases[1].results for n in points]
            columns.append([r.end - begin + d for r, d in zip(records, done, strict=True)])
    lines += [
        "Fetch, vector pipe (E is A1_1) and store:",
        "",
        table(names, columns),
        "",
        "Counters:",
        "",
    ]
    lines.append(", ".join(f"`{name}` {value}" for name, value in counters.items()) + ".")
    return "\n".join(lines)


def replaced(page: str) -> str:
    """The page with its generated parts renewed."""
    for name, text in (("constants", constants()), ("example", example())):
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        page, count = re.subn(
            pattern, lambda m, t=text: f"{m[1]}\n{t}\n\n{m[2]}", page, count=1, flags=re.DOTALL
        )
        assert count == 1, f"docs/timing.md has lost its part '{name}'"
    return page


if __name__ == "__main__":
    page = replaced(PAGE.read_text())
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page)
    elif page != PAGE.read_text():
        sys.exit("docs/timing.md is not up to date: run with --write")
