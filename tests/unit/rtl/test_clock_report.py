"""The report of the clock: its text, what is too slow, and the report of the hardware as it is."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rtl_models.synthesis.__main__ import WHOLE
from rtl_models.synthesis.clock import TargetClock, by_module, clock_faults, clock_report
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.nextpnr import Placed
from rtl_models.synthesis.place import LEAST_MHZ, LEAST_MHZ_OF_MACHINE, SPEEDS, Clocked


def clocked(module: str, mhz: float | None) -> Clocked:
    placed = Placed(mhz, "a_q", "b_q", 10, 20, 1, 2)
    return Clocked(f"{module}$machine.u_{module}", {6: placed, 8: placed})


def test_what_is_too_slow():
    slow, fast = Placed(94.9, "a_q", "b_q", 1, 2, 0, 0), Placed(119.9, "a_q", "b_q", 1, 2, 0, 0)
    modules_of_tiny = {
        "walk": Clocked("walk", {6: slow, 8: fast}),
        "jump": Clocked("jump", {6: replace(slow, mhz=95.0), 8: replace(fast, mhz=120.0)}),
        "wires": clocked("wires", None),
    }
    assert list(clock_faults(TargetClock("tiny", modules_of_tiny, None))) == [
        "tiny: error: walk reaches 94.9 MHz at speed grade 6, expected 95",
        "tiny: error: walk reaches 119.9 MHz at speed grade 8, expected 120",
    ]
    whole = Clocked("machine", {6: replace(slow, mhz=59.9), 8: replace(fast, mhz=80.0)})
    assert list(clock_faults(TargetClock("tiny", {}, whole))) == [
        "tiny: error: the machine, before routing, reaches 59.9 MHz at speed grade 6, expected 60"
    ]


HEAD = """\
| module | MHz, speed 6 | MHz, speed 8 | LUTs | flip-flops | block RAMs | multipliers \
| slowest path at speed 6: from | to |"""


def test_the_report():
    late = clocked("late", 50.0)
    slow, fast = (replace(late.speeds[s], expected=e) for s, e in ((6, 40.0), (8, 50.0)))
    late = replace(late, speeds={6: slow, 8: replace(fast, seed=2)})
    every = [clocked("fast", None), clocked("quick", 200.0), late]
    placed = by_module(every, {c.name: Netlist(c.name) for c in every})
    whole = Clocked(
        "machine", {6: Placed(22.0, "", "", 9, 8, 7, 6), 8: Placed(33.3, "", "", 9, 8, 7, 6)}
    )
    targets = [
        TargetClock("tiny", placed, whole),
        TargetClock("accel", {}, None, ["machine", "pipe"]),
    ]
    text = clock_report(targets, "Preface.")
    assert (
        text
        == f"""\
# The clock of the hardware

Preface.

## Target tiny

{HEAD}
|---|---|---|---|---|---|---|---|---|
| **machine with all parts, not routed** | 22.0 | 33.3 | 9 | 8 | 7 | 6 | – | – |
| `late` | 50.0 | 50.0 (seed 2) | 10 | 20 | 1 | 2 | `a_q` | `b_q` |
| `quick` | 200.0 | 200.0 | 10 | 20 | 1 | 2 | `a_q` | `b_q` |
| `fast` | – | – | 10 | 20 | 1 | 2 | – | – |

Routed modules have 1.00 to 1.25 times the clock that nextpnr expected before routing, 1.12 \
times in the median.

## Target accel

{HEAD}
|---|---|---|---|---|---|---|---|---|

Too large, and placed as their parts only: `machine`, `pipe`.
"""
    )


REPORTS = Path(__file__).resolve().parents[3] / "docs" / "reports"
REACHED = re.compile(r"^\| (?:`(\w+)`|\*\*machine .*?) \| (\d\S*|–).*? \| (\d\S*|–)", re.MULTILINE)
"""A row of the clock's report: the module, none for a machine, and MHz at each speed grade."""
WITH_LOGIC = re.compile(r"^\| `(\w+)`[^|]* \| \d+ \| [1-9]", re.MULTILINE)
"""A row of the other report: a module, which has cells of its own."""


def of_target(report: str, target: str) -> str:
    """Return the first table of a target in a report, and the lines below it."""
    text = (REPORTS / report).read_text()
    return text.split(f"\n## Target {target}\n")[1].split("\n## ")[0].split("\n### Memories")[0]


@pytest.mark.parametrize("target", ["tiny", "accel"])
def test_the_report_of_the_hardware(target):
    """Every module with logic of its own is in it, and is fast enough."""
    text = of_target("clock.md", target)
    rows = REACHED.findall(text)
    for module, *reached in rows:
        for speed, mhz in zip(SPEEDS, reached, strict=True):
            least = LEAST_MHZ if module else LEAST_MHZ_OF_MACHINE
            assert mhz == "–" or float(mhz) >= least[speed], module
    assert any(not module for module, *_ in rows) == (target in WHOLE)
    (larger,) = re.findall(r"^Too large.*: (.*)\.$", text, re.MULTILINE)
    named = {module or "machine" for module, *_ in rows} | set(re.findall(r"`(\w+)`", larger))
    assert named == set(WITH_LOGIC.findall(of_target("synthesis.md", target)))
