"""Dynamic programs as packages, with materialised broadcasts, and in IREE, beside static ones.

    PYTHONPATH=.:tests python -m bench.comparison [--write] [--without-iree] [--targets accel ...]

For every named program (`bench.programs`) at its reported sizes:

- hwc: the package with every size dynamic, and the package that knows all sizes;
- materialised: every operand that broadcasts is copied to full size by a kernel of its own, and the
  rest is fused as in the static package, on the same simulator (`bench.materialise`);
- IREE: the same two texts, compiled for the processor of this computer (`bench.iree_program`).

Every result of the machine is compared with the static package's, bit by bit. `--write` writes
the tables and the picture to docs/reports; the picture needs matplotlib (`pip install -e
'.[bench]'`). Exit code 1 if a result differs."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.iree_program import IreeProgram
from bench.iree_program import measure as measure_iree
from bench.materialise import compile_materialised
from bench.programs import PROGRAMS, Named, Shape

import hwc
from hwc.runtime.program import Program, Result
from isa.target import Target, load_target

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "docs" / "reports" / "comparison.md"
PICTURE = REPORT.with_suffix(".svg")
TARGETS = ("accel", "tiny", "wide")
WORD_BYTES = 8


class Machine(NamedTuple):
    """A call of a package: what the machine counted, kernels that ran, bytes of machine code."""

    cycles: int
    moved: int
    kernels: int
    code_bytes: int


class Row(NamedTuple):
    """One program on one target."""

    program: Named
    dynamic: Machine
    static: Machine
    materialised: Machine


class IreeRow(NamedTuple):
    """One program in IREE."""

    program: Named
    dynamic: IreeProgram
    static: IreeProgram


def measure(program: Named, target: Target) -> Row:
    """Run a program in its three forms.

    Raises:
        ValueError: two of them give different bits.
    """
    shapes = program.shapes()
    static = program.text(shapes)
    arrays = program.arrays(shapes)
    forms = (
        hwc.compile(program.text(), target),
        hwc.compile(static, target),
        compile_materialised(static, target).program,
    )
    results = [form(*arrays) for form in forms]
    bits = {tuple(output.tobytes() for output in result.outputs) for result in results}
    if len(bits) != 1:
        raise ValueError(f"{program.name} on {target.name}: the results differ")
    return Row(program, *(_machine(f, r, shapes) for f, r in zip(forms, results, strict=True)))


def _machine(program: Program, result: Result, shapes: Sequence[Shape]) -> Machine:
    counters = result.counters
    moved = counters["bytes_read"] + counters["bytes_written"]
    plan = program.plan(program.symbols(shapes))
    kernels = sum(len(d.kernels) for d in program.package.link(plan))
    words = sum(len(k.words) for step in program.package.steps for k in step.kernels)
    return Machine(result.cycles, moved, kernels, WORD_BYTES * words)


def measure_in_iree(program: Named) -> IreeRow:
    """Compile a program with IREE, dynamic and static, and time both."""
    shapes = program.shapes()
    inputs = [  # IREE passes an i1 as a byte
        "x".join(map(str, (*shape, argument.type.replace("i1", "i8")))) + "=1"
        for argument, shape in zip(program.arguments, shapes, strict=True)
    ]
    forms = (measure_iree(text, inputs) for text in (program.text(), program.text(shapes)))
    return IreeRow(program, *forms)


# -- the report


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the first column is text, the others are numbers."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean, which is right for ratios."""
    logarithms = [math.log(v) for v in values]
    return math.exp(sum(logarithms) / len(logarithms))


def slowdown(row: Row) -> float:
    """Cycles of the dynamic package over those of the static one."""
    return row.dynamic.cycles / row.static.cycles


def copying(row: Row) -> float:
    """Cycles with materialised broadcasts over those of the dynamic package."""
    return row.materialised.cycles / row.dynamic.cycles


def in_iree(row: IreeRow) -> float:
    """Time of IREE's dynamic program over that of its static one."""
    return row.dynamic.microseconds / row.static.microseconds


def cycles_table(rows: Sequence[Row]) -> str:
    """Cycles of the three forms."""
    head = ["program", "shapes", "static", "dynamic", "dynamic / static", "materialised",
            "materialised / dynamic"]  # fmt: skip
    lines = [
        [
            r.program.name,
            " ".join("×".join(map(str, shape)) for shape in r.program.shapes()),
            *(f"{n:,}" for n in (r.static.cycles, r.dynamic.cycles)),
            f"{slowdown(r):.3f}",
            f"{r.materialised.cycles:,}",
            f"{copying(r):.2f}",
        ]
        for r in rows
    ]
    worst = f"{max(map(slowdown, rows)):.3f}", f"{max(map(copying, rows)):.2f}"
    means = f"{mean(map(slowdown, rows)):.3f}", f"{mean(map(copying, rows)):.2f}"
    lines.append(["**geometric mean**", "", "", "", means[0], "", means[1]])
    lines.append(["**largest**", "", "", "", worst[0], "", worst[1]])
    return table(head, lines)


def work_table(rows: Sequence[Row]) -> str:
    """Bytes over the bus, kernels that ran and bytes of machine code."""
    head = ["program", "bytes: static", "dynamic", "materialised", "materialised / dynamic",
            "kernels: static", "dynamic", "materialised", "code bytes: static", "dynamic",
            "materialised"]  # fmt: skip
    lines = []
    for r in rows:
        forms = r.static, r.dynamic, r.materialised
        moved = [f"{f.moved:,}" for f in forms]
        ratio = f"{r.materialised.moved / r.dynamic.moved:.2f}"
        kernels = [str(f.kernels) for f in forms]
        code = [f"{f.code_bytes:,}" for f in forms]
        lines.append([r.program.name, *moved, ratio, *kernels, *code])
    return table(head, lines)


def iree_table(rows: Sequence[IreeRow]) -> str:
    """Times, dispatches and sizes of IREE's programs."""
    head = ["program", "static µs", "dynamic µs", "dynamic / static", "dispatches: static",
            "dynamic", "code bytes: static", "dynamic", "dynamic / static"]  # fmt: skip
    lines = [
        [
            r.program.name,
            f"{r.static.microseconds:.1f}",
            f"{r.dynamic.microseconds:.1f}",
            f"{in_iree(r):.2f}",
            *(str(f.dispatches) for f in (r.static, r.dynamic)),
            *(f"{f.code_bytes:,}" for f in (r.static, r.dynamic)),
            f"{r.dynamic.code_bytes / r.static.code_bytes:.2f}",
        ]
        for r in rows
    ]
    code = mean(r.dynamic.code_bytes / r.static.code_bytes for r in rows)
    lines.append(["**geometric mean**", "", "", f"{mean(map(in_iree, rows)):.2f}", *[""] * 4,
                  f"{code:.2f}"])  # fmt: skip
    return table(head, lines)


def targets_table(rows: dict[str, Sequence[Row]]) -> str:
    """The ratios of every target."""
    head = ["target", "dynamic / static: mean", "largest", "materialised / dynamic: mean",
            "largest"]  # fmt: skip
    ratios: tuple[tuple[Callable[[Row], float], int], ...] = ((slowdown, 3), (copying, 2))
    lines = []
    for name, own in rows.items():
        line = [name]
        for ratio, digits in ratios:
            values = [ratio(row) for row in own]
            line += [f"{mean(values):.{digits}f}", f"{max(values):.{digits}f}"]
        lines.append(line)
    return table(head, lines)


INTRODUCTION = """\
# The price of not knowing the sizes

Written by `make comparison`. Each program of `tests/bench/programs.py` is compiled twice, with
every size dynamic and with every size known, and called with the same shapes. *Materialised* is
what upstream's lowering does, on the same machine: an operand that broadcasts is first copied to
full size, by one kernel for each operand. Everything else is fused and simulated as in the static
package, and the strategy is given its best case: no branch, and no copy that these shapes do not
need. IREE's dynamic and static programs run on the processor of the computer that wrote this
page, so only their ratio says something.

![Slowdown of dynamic programs against static ones](comparison.svg)

"""


def report(rows: dict[str, Sequence[Row]], iree: Sequence[IreeRow]) -> str:
    """Return the page."""
    first, own = next(iter(rows.items()))
    text = INTRODUCTION
    text += f"## Cycles on target {first}\n\n{cycles_table(own)}"
    text += f"\n## Every target\n\n{targets_table(rows)}"
    text += f"\n## Bytes moved, kernels and code on target {first}\n\n"
    text += "Code is the machine code of all plans of a package; kernels are those that ran.\n\n"
    text += work_table(own)
    if iree:
        text += "\n## IREE\n\n"
        text += "Processor time of one call on one thread; dispatches of the program; bytes of the "
        text += "module.\n\n"
        text += iree_table(iree)
    return text


def draw(rows: Sequence[Row], iree: Sequence[IreeRow], path: Path) -> None:
    """Draw the slowdown of each program against its static form, as bars."""
    import matplotlib as mpl  # noqa: PLC0415 - only the picture needs it

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "hwc", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the choice of the back end

    names = [row.program.name for row in rows]
    series: list[tuple[str, str, list[float]]] = [
        ("hwc: dynamic package / static package, cycles", "#2a7f62", [slowdown(r) for r in rows]),
        ("same machine: materialised broadcasts / static package, cycles", "#d98e04",
         [r.materialised.cycles / r.static.cycles for r in rows]),
    ]  # fmt: skip
    if iree:
        series.append(
            ("IREE on a CPU: dynamic / static, time", "#8a3b6b", [in_iree(r) for r in iree])
        )
    figure, axes = plt.subplots(figsize=(8, 0.42 * len(names) + 1.4))
    height = 0.8 / len(series)
    for number, (label, colour, values) in enumerate(series):
        places = [i + (number - (len(series) - 1) / 2) * height for i in range(len(names))]
        axes.barh(places, values, height, label=label, color=colour)
        for place, value in zip(places, values, strict=True):
            axes.text(value, place, f" {value:.2f}", va="center", fontsize=7)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(0.9, 1.5 * max(max(values) for _, _, values in series))
    axes.axvline(1, color="black", linewidth=0.8)
    ticks = [n for n in (1, 2, 5, 10, 20, 50, 100) if n <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()
    axes.set_xlabel(
        "times the static program (logarithmic); 1 is: not knowing the sizes costs nothing"
    )
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> int:
    """Measure everything; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compare dynamic programs with their rivals.")
    parser.add_argument("--targets", nargs="+", default=TARGETS, help="the first one is reported")
    parser.add_argument("--write", action="store_true", help="write docs/reports/comparison.*")
    parser.add_argument("--without-iree", action="store_true")
    args = parser.parse_args()
    rows: dict[str, list[Row]] = {}
    for name in args.targets:
        target = load_target(name)
        rows[name] = []
        for program in PROGRAMS:
            try:
                rows[name].append(measure(program, target))
            except ValueError as error:
                print(f"error: {error}")
                return 1
    iree = [] if args.without_iree else [measure_in_iree(program) for program in PROGRAMS]
    text = report({**rows}, iree)
    if args.write:
        REPORT.write_text(text, encoding="utf-8")
        draw(rows[args.targets[0]], iree, PICTURE)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
