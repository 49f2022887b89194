"""When each engine worked and waited: what a page draws from a trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hwc.runtime.trace import Slice, SliceTrack, Trace

MOST_SLICES = 1500
"""Maximum engine slices that a page draws one by one; above, it shows shares of intervals."""

INTERVALS = 400
"""Number of intervals, for each of which a page shows the share that an engine is busy."""

MOST_KERNELS = 300
"""Maximum kernel spans that a page draws: more would be narrower than a line."""

_OTHERS = ("steps", "sequencer", "kernels")
"""The tracks of a trace that do not belong to an engine."""

BUSY = "busy"


@dataclass
class Timeline:
    """What a page draws: bars, or shares of intervals if there would be too many bars.

    A bar is a track, a kind ("busy", or the cause of a wait), a begin, a length and a text.
    `shares` has a row for each track, with a value for each interval of `interval` cycles.
    """

    cycles: int
    tracks: list[str] = field(default_factory=list)
    bars: list[tuple[str, str, int, int, str]] = field(default_factory=list)
    kernels: list[tuple[str, int, int, str]] = field(default_factory=list)
    interval: float = 0.0
    shares: list[list[float]] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    merged: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return the data for the page's script."""
        return {
            "cycles": self.cycles,
            "tracks": self.tracks,
            "bars": self.bars,
            "kernels": self.kernels,
            "interval": self.interval,
            "shares": self.shares,
            "texts": self.texts,
        }


def timeline(trace: Trace, cycles: int) -> Timeline:
    """Return the parts of a trace that a page draws; `cycles` is the length of the call."""
    tracks = [track for track in trace.tracks if isinstance(track, SliceTrack)]
    found = Timeline(cycles, merged=trace.strips_merged)
    # An operator's slice encloses the slices of its kernels.
    rows = [track.slices for track in tracks if track.name == "kernels"]
    spans = [s for row in rows for s in row if "kernel" in s.args or "kernels" in s.args]
    if len(spans) <= MOST_KERNELS:
        for span in sorted(spans, key=lambda span: span.begin):
            row = f"kernels {'ab'[len(found.kernels) % 2]}"
            found.kernels.append((row, span.begin, span.end - span.begin, span.name))
    engines = [track for track in tracks if track.name not in _OTHERS]
    found.tracks = [track.name for track in engines]
    slices = sum(len(track.slices) for track in engines)
    if slices <= MOST_SLICES and trace.strips_merged == 1:
        for track in engines:
            found.bars += _bars(track)
        return found
    found.interval = max(1.0, cycles / INTERVALS)
    for track in engines:
        counts = _counts(track.slices, found.interval)
        found.shares.append([round(min(1.0, c.get(BUSY, 0) / found.interval), 3) for c in counts])
        found.texts.append([_text(c, found.interval) for c in counts])
    return found


def _is_work(one: Slice) -> bool:
    return one.name.startswith("strip")


def _is_wait(one: Slice) -> bool:
    return one.name.startswith("stall")


def _cause(wait: Slice) -> str:
    """Return what an engine waits for, as the counters name it."""
    return wait.name.partition(": ")[2] or "any"


def _bars(track: SliceTrack) -> Iterator[tuple[str, str, int, int, str]]:
    for one in track.slices:
        length = one.end - one.begin
        if _is_work(one):
            yield track.name, BUSY, one.begin, length, f"{one.name} of kernel {one.args['kernel']}"
        elif _is_wait(one):
            yield track.name, _cause(one), one.begin, length, ""


def _counts(slices: Sequence[Slice], interval: float) -> list[dict[str, float]]:
    """Return, for each interval, the cycles that an engine was busy or waited, by cause."""
    counts: list[dict[str, float]] = [defaultdict(float) for _ in range(INTERVALS)]
    work: Slice | None = None
    for one in slices:
        cycles = one.end - one.begin
        inside = work is not None and work.begin <= one.begin < work.end
        if _is_work(one):
            work = one
            _spread(counts, BUSY, one, cycles, interval)
        elif inside and work is not None:
            # It is not known where in the work on merged strips an engine waited.
            _spread(counts, BUSY, work, -cycles, interval)
            if _is_wait(one):
                _spread(counts, _cause(one), work, cycles, interval)
        elif _is_wait(one):
            _spread(counts, _cause(one), one, cycles, interval)
    return counts


def _spread(
    counts: Sequence[dict[str, float]], kind: str, one: Slice, cycles: int, interval: float
) -> None:
    """Spread cycles evenly over the intervals that a slice touches."""
    length = one.end - one.begin
    if not length:
        return
    last = min(len(counts) - 1, int((one.end - 1) / interval))
    for number in range(int(one.begin / interval), last + 1):
        begin, end = number * interval, (number + 1) * interval
        inside = min(end, one.end) - max(begin, one.begin)
        counts[number][kind] += cycles * inside / length


def _text(counts: dict[str, float], interval: float) -> str:
    most = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{kind} {100 * cycles / interval:.0f} %" for kind, cycles in most]
    return ", ".join(parts) or "idle"
