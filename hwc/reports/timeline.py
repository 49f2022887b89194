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

LONGEST_AVERAGE = 4
"""Maximum intervals over which work and waits are averaged.

If intervals and strips are about as long, some intervals have more of a strip than others, and an
engine that works steadily would look as if it did not. So a share is averaged over whole strips."""

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
    kernels_left_out: int = 0

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
    else:
        found.kernels_left_out = len(spans)
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


@dataclass
class _Piece:
    """A strip, or a wait between strips, with the cycles of each kind in it.

    `ends_strip` says that the engine works once on each strip between two such pieces; `is_first`
    that a kernel begins.
    """

    begin: int
    end: int
    cycles: dict[str, float]
    ends_strip: bool
    is_first: bool


def _pieces(slices: Sequence[Slice]) -> list[_Piece]:
    """Return the pieces of an engine's track, in order."""
    pieces: list[_Piece] = []
    work: Slice | None = None
    is_first = True
    for one in slices:
        cycles = one.end - one.begin
        if _is_work(one):
            work = one
            # The lanes and the special functions may work on a strip in several phases.
            ends = one.args.get("phase", 0) == 0
            pieces.append(_Piece(one.begin, one.end, {BUSY: cycles}, ends, is_first))
            is_first = False
        elif work is not None and work.begin <= one.begin < work.end:
            # It is not known where in the work on merged strips an engine waited.
            counts = pieces[-1].cycles
            counts[BUSY] -= cycles
            if _is_wait(one):
                counts[_cause(one)] = counts.get(_cause(one), 0) + cycles
        elif _is_wait(one):
            pieces.append(_Piece(one.begin, one.end, {_cause(one): cycles}, False, is_first))
        else:
            is_first = True
    return pieces


def _averaged(pieces: Sequence[_Piece], interval: float) -> Iterator[_Piece]:
    """Yield the pieces in groups of whole strips that are at least as long as an interval."""
    group: list[_Piece] = []
    for piece in pieces:
        is_apart = bool(group) and piece.begin - group[-1].end > interval
        if is_apart or piece.is_first:
            yield from _joined(group, interval)
            group = []
        group.append(piece)
        if piece.ends_strip and piece.end - group[0].begin >= interval:
            yield from _joined(group, interval)
            group = []
    yield from _joined(group, interval)


def _joined(group: Sequence[_Piece], interval: float) -> Iterator[_Piece]:
    """Yield the pieces as one, unless that one would be long."""
    if not group or group[-1].end - group[0].begin > LONGEST_AVERAGE * interval:
        yield from group
        return
    cycles: dict[str, float] = defaultdict(float)
    for piece in group:
        for kind, count in piece.cycles.items():
            cycles[kind] += count
    yield _Piece(group[0].begin, group[-1].end, cycles, True, group[0].is_first)


def _counts(slices: Sequence[Slice], interval: float) -> list[dict[str, float]]:
    """Return, for each interval, the cycles that an engine was busy or waited, by cause."""
    counts: list[dict[str, float]] = [defaultdict(float) for _ in range(INTERVALS)]
    for piece in _averaged(_pieces(slices), interval):
        for kind, cycles in piece.cycles.items():
            _spread(counts, kind, piece, cycles, interval)
    return counts


def _spread(
    counts: Sequence[dict[str, float]], kind: str, piece: _Piece, cycles: float, interval: float
) -> None:
    """Spread cycles evenly over the intervals that a piece touches."""
    length = piece.end - piece.begin
    if not length or not cycles:
        return
    last = min(len(counts) - 1, int((piece.end - 1) / interval))
    for number in range(int(piece.begin / interval), last + 1):
        begin, end = number * interval, (number + 1) * interval
        inside = min(end, piece.end) - max(begin, piece.begin)
        counts[number][kind] += cycles * inside / length


def _text(counts: dict[str, float], interval: float) -> str:
    most = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{kind} {100 * cycles / interval:.0f} %" for kind, cycles in most]
    return ", ".join(parts) or "idle"
