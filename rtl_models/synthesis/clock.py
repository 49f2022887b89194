"""What a module has to reach, and the report of the clock in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.nextpnr import Placed
from rtl_models.synthesis.place import LEAST_MHZ, LEAST_MHZ_OF_MACHINE, SEEDS, SPEEDS, Clocked

SLOWEST = SPEEDS[0]


def clock_faults(clock: TargetClock) -> Iterator[str]:
    """Yield what is too slow in a target, one line each."""
    for module, clocked in clock.modules.items():
        yield from _too_slow(f"{clock.target}: error: {module}", clocked, LEAST_MHZ)
    if clock.whole is not None:
        yield from _too_slow(
            f"{clock.target}: error: the machine, before routing,",
            clock.whole,
            LEAST_MHZ_OF_MACHINE,
        )
        if clock.whole.late:
            yield f"{clock.target}: error: the machine: {clock.whole.late}"


def _too_slow(who: str, clocked: Clocked, least: Mapping[int, float]) -> Iterator[str]:
    for speed, placed in clocked.speeds.items():
        wanted = least[speed]
        if placed.mhz is not None and placed.mhz < wanted:
            yield f"{who} reaches {placed.mhz} MHz at speed grade {speed}, expected {wanted:g}"


@dataclass(frozen=True)
class TargetClock:
    """The modules of a target by name, slowest first, and the whole machine if it was placed.

    `larger` are the modules that were placed as their parts only.
    """

    target: str
    modules: Mapping[str, Clocked]
    whole: Clocked | None
    larger: Sequence[str] = ()


def by_module(placed: Iterable[Clocked], netlists: Mapping[str, Netlist]) -> dict[str, Clocked]:
    """Return placed circuits by the names of their modules, slowest first."""

    def order(clocked: Clocked) -> tuple[float, str]:
        mhz = clocked.speeds[SLOWEST].mhz
        return float("inf") if mhz is None else mhz, netlists[clocked.name].module

    return {netlists[c.name].module: c for c in sorted(placed, key=order)}


def clock_report(targets: Sequence[TargetClock], preface: str) -> str:
    """Return the report; `preface` says how the report was made."""
    lines = ["# The clock of the hardware", "", *preface.splitlines(), ""]
    head = [f"MHz, speed {speed}" for speed in SPEEDS]
    head += ["LUTs", "flip-flops", "block RAMs", "multipliers"]
    head += [f"slowest path at speed {SLOWEST}: from", "to"]
    for target in targets:
        lines += [f"## Target {target.target}", ""]
        lines += [f"| module | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
        if target.whole is not None and SLOWEST in target.whole.speeds:
            lines.append(_row("**machine with all parts, not routed**", target.whole.speeds))
        lines += [_row(f"`{module}`", c.speeds) for module, c in target.modules.items()]
        lines.append("")
        if target.larger:
            names = ", ".join(f"`{module}`" for module in target.larger)
            lines += [f"Too large, and placed as their parts only: {names}.", ""]
        if target.modules:
            lines += [_expected(target.modules.values()), ""]
        if target.whole is not None and target.whole.late:
            lines += [f"The machine with all parts: {target.whole.late}.", ""]
    return "\n".join(lines)


def _expected(modules: Iterable[Clocked]) -> str:
    """Say how far what nextpnr expects before routing is from what is routed."""
    ratios = sorted(
        placed.mhz / placed.expected
        for clocked in modules
        for placed in clocked.speeds.values()
        if placed.mhz is not None and placed.expected
    )
    if not ratios:
        return "No module has a path between registers."
    return (
        f"Routed modules have {ratios[0]:.2f} to {ratios[-1]:.2f} times the clock that nextpnr "
        f"expected before routing, {median(ratios):.2f} times in the median."
    )


def _row(title: str, speeds: Mapping[int, Placed]) -> str:
    slow = speeds[SLOWEST]
    cells = [_mhz(speeds.get(speed)) for speed in SPEEDS]
    cells += [str(n) for n in (slow.luts, slow.flip_flops, slow.block_rams, slow.multipliers)]
    known = slow.mhz is not None and slow.start
    cells += [f"`{slow.start}` | `{slow.end}`" if known else "– | –"]
    return f"| {title} | {' | '.join(cells)} |"


def _mhz(placed: Placed | None) -> str:
    if placed is None or placed.mhz is None:
        return "–"
    return f"{placed.mhz:.1f}{f' (seed {placed.seed})' if placed.seed != SEEDS[0] else ''}"
