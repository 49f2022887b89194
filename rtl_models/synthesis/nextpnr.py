"""Reads what nextpnr says of a circuit that it has placed: its clock, slowest path and cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rtl_models.synthesis.ring import INSIDE, port_of

_CLOCKED = "posedge "
NUMBERED = re.compile(r"(?:\[\d+\])?\\TRELLIS_FF(?:_\d+)?$|(?:\.\d+)+$")
"""What follows the name in a cell: the bit of a register, the part of a memory or multiplier."""


@dataclass(frozen=True)
class Placed:
    """A placed circuit at one speed grade, without the ring around it."""

    mhz: float | None
    """The fastest clock; None if no path goes from a register to a register."""
    start: str
    end: str
    """The register, memory or port at each end of the slowest path; empty if it is not known."""
    luts: int
    """Look-up tables, those in carry chains and in small memories included."""
    flip_flops: int
    block_rams: int
    multipliers: int
    seed: int = 1
    """The seed of the placement."""
    expected: float | None = None
    """What nextpnr expected `mhz` to be, before routing."""

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return asdict(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Placed:
        """Return the circuit that `as_json` gave."""
        return Placed(**value)


def read_report(report: Mapping[str, Any], cells: Iterable[str]) -> Placed:
    """Return what a report (`--report`) says of a circuit whose cells have these names."""
    start = end = ""
    mhz = None
    for clocks in report["critical_paths"]:
        if clocks["from"].startswith(_CLOCKED) and clocks["from"] == clocks["to"]:
            steps = clocks["path"]
            start, end = (_holder(side["cell"]) for side in (steps[0]["from"], steps[-1]["to"]))
            mhz = round(1000 / sum(step["delay"] for step in steps), 1)
    used = {kind: kinds["used"] for kind, kinds in report["utilization"].items()}
    around = sum(port_of(NUMBERED.sub("", cell)) is not None for cell in cells)
    return Placed(
        mhz,
        start,
        end,
        used["TRELLIS_COMB"],
        used["TRELLIS_FF"] - around,
        used["DP16KD"],
        used["MULT18X18D"],
    )


_ESTIMATE = re.compile(r"Max frequency for clock\b.*?: ([\d.]+) MHz")
_USED = re.compile(r"Info:\s+(\w+):\s+(\d+)/\s*(\d+)")


def read_expected(log: str) -> float | None:
    """Return the clock in MHz that a log gives first, before routing, from the lengths of wires."""
    clock = _ESTIMATE.search(log)
    return round(float(clock[1]), 1) if clock else None


def read_log(log: str) -> str:
    """Return what a log says of a run that was ended: cells, the clock if estimated, the step."""
    said: list[str] = []
    used = {kind: f"{number} of {of}" for kind, number, of in _USED.findall(log)}
    if "TRELLIS_COMB" in used:
        said.append(f"LUTs: {used['TRELLIS_COMB']}, flip-flops: {used['TRELLIS_FF']}")
    clocks = _ESTIMATE.findall(log)
    if clocks:
        said.append(f"estimated clock: {clocks[-1]} MHz")
    # A router writes a table of its progress, which says nothing by itself.
    lines = [line for line in log.splitlines() if line.startswith("Info:") and "|" not in line]
    if lines:
        said.append(f"last step: {lines[-1].removeprefix('Info:').strip()}")
    return "; ".join(said) or "nothing"


def _holder(cell: str) -> str:
    """Return the register, memory or port that a cell is a part of."""
    name = NUMBERED.sub("", cell)
    return port_of(name) or name.removeprefix(f"{INSIDE}.")
