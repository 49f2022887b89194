"""What a module has to reach, which modules do not yet, and the report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isa.strict_yaml import read
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.nextpnr import Placed
from rtl_models.synthesis.place import SPEEDS, Clocked
from rtl_models.synthesis.run import SynthesisError

SLOWEST = SPEEDS[0]
LEAST_MHZ = 95.0
"""What every module has to reach at the slowest speed grade."""
_SPREAD = 0.1
"""By how much a figure may differ from what is written down: a small change moves the placement."""
_KEYS = ["mhz", "reason"]


@dataclass(frozen=True)
class Waiver:
    """A module that is known to be too slow."""

    mhz: Mapping[str, float]
    """By target, at the slowest speed grade."""
    reason: str


def load_waivers(path: Path) -> dict[str, Waiver]:
    """Read a file of waivers, by module.

    Raises:
        SynthesisError: it has unknown or missing keys, or values of another kind.
    """
    document = read(path, SynthesisError)
    data = document.data
    if not isinstance(data, dict) or list(data) != ["modules"]:
        raise SynthesisError(f"{path}: error: expected the key `modules`, nothing else")
    found: dict[str, Waiver] = {}
    for module, entry in (data["modules"] or {}).items():
        where = f"{document.where(('modules', module))}: error: the waiver of `{module}`"
        if not isinstance(entry, dict) or sorted(entry) != _KEYS:
            raise SynthesisError(f"{where} has the keys {', '.join(_KEYS)}, and no others")
        mhz, reason = entry["mhz"], entry["reason"]
        if not isinstance(reason, str) or not reason.strip():
            raise SynthesisError(f"{where} needs a reason")
        if not isinstance(mhz, dict) or not all(type(m) in (int, float) for m in mhz.values()):
            raise SynthesisError(f"{where} gives `mhz` as a number for each target")
        found[module] = Waiver({str(target): float(m) for target, m in mhz.items()}, reason)
    return found


def clock_faults(
    target: str, modules: Mapping[str, Clocked], waivers: Mapping[str, Waiver]
) -> Iterator[str]:
    """Yield what is wrong with the modules of a target, one line each.

    That is a module that is too slow without a waiver or has become slower than it, and a waiver
    that is needed no more, or whose figure is too low.
    """
    for module, clocked in modules.items():
        mhz = clocked.speeds[SLOWEST].mhz
        known = waivers[module].mhz.get(target) if module in waivers else None
        said = f"{target}: error: {module} reaches {mhz} MHz at speed grade {SLOWEST}"
        if known is None:
            if mhz is not None and mhz < LEAST_MHZ:
                yield f"{said}, expected {LEAST_MHZ:g}"
        elif mhz is None or mhz >= LEAST_MHZ:
            yield f"{said}: remove its waiver"
        elif mhz < known * (1 - _SPREAD):
            yield f"{said}, and reached {known:g} before"
        elif mhz > known * (1 + _SPREAD):
            yield f"{said}: write that in its waiver, which says {known:g}"
    for module, waiver in waivers.items():
        if module not in modules and target in waiver.mhz:
            yield f"{target}: error: the waiver of {module} is of a module that is not placed"


@dataclass(frozen=True)
class TargetClock:
    """The modules of a target by name, slowest first, and the whole machine if it was placed."""

    target: str
    modules: Mapping[str, Clocked]
    whole: Clocked | None


def by_module(placed: Iterable[Clocked], netlists: Mapping[str, Netlist]) -> dict[str, Clocked]:
    """Return placed circuits by the names of their modules, slowest first."""

    def order(clocked: Clocked) -> tuple[float, str]:
        mhz = clocked.speeds[SLOWEST].mhz
        return float("inf") if mhz is None else mhz, netlists[clocked.name].module

    return {netlists[c.name].module: c for c in sorted(placed, key=order)}


def clock_report(
    targets: Sequence[TargetClock], waivers: Mapping[str, Waiver], preface: str
) -> str:
    """Return the report; `preface` says how the report was made."""
    lines = ["# The clock of the hardware", "", *preface.splitlines(), ""]
    head = [f"MHz, speed {speed}" for speed in SPEEDS]
    head += ["LUTs", "flip-flops", "block RAMs", "multipliers"]
    head += [f"slowest path at speed {SLOWEST}: from", "to"]
    for target in targets:
        lines += [f"## Target {target.target}", ""]
        lines += [f"| module | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
        if target.whole is not None:
            lines.append(_row("**machine with all parts**", target.whole.speeds))
        for module, clocked in target.modules.items():
            late = "\\*" * (module in waivers and target.target in waivers[module].mhz)
            lines.append(_row(f"`{module}`{late}", clocked.speeds))
        lines.append("")
    reasons = [
        (module, w) for module, w in waivers.items() if any(t.target in w.mhz for t in targets)
    ]
    if reasons:
        lines += [f"## Modules below {LEAST_MHZ:g} MHz", "", "| module | why |", "|---|---|"]
        lines += [f"| `{module}` | {waiver.reason} |" for module, waiver in reasons]
        lines.append("")
    return "\n".join(lines)


def _row(title: str, speeds: Mapping[int, Placed]) -> str:
    slow = speeds[SLOWEST]
    cells = [_mhz(speeds[speed].mhz) for speed in SPEEDS]
    cells += [str(n) for n in (slow.luts, slow.flip_flops, slow.block_rams, slow.multipliers)]
    cells += [f"`{slow.start}` | `{slow.end}`" if slow.mhz is not None else "– | –"]
    return f"| {title} | {' | '.join(cells)} |"


def _mhz(mhz: float | None) -> str:
    return "–" if mhz is None else f"{mhz:.1f}"
