"""A trace: tracks of slices and of counters, as a viewer shows them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hwc.errors import UserError
from hwc.files import write_bytes


@dataclass(frozen=True)
class Slice:
    """Cycles `begin` to `end` (exclusive) of a track; an instant if they are equal."""

    name: str
    begin: int
    end: int
    args: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class SliceTrack:
    """Slices ordered by time, each before the slices within it."""

    name: str
    slices: Sequence[Slice]


@dataclass(frozen=True)
class CounterTrack:
    """Values by time; each value holds until the next one."""

    name: str
    unit: str
    samples: Sequence[tuple[int, int]]


Track: TypeAlias = SliceTrack | CounterTrack


@dataclass(frozen=True)
class Trace:
    """What happened in a call, in cycles since its first dispatch started.

    `program` and `device` name the program and the device that it ran on. A slice of an engine
    stands for `strips_merged` pieces of work, each on a strip. A value of a bus track is the number
    of bytes in `bus_interval` cycles. docs/tracing.md describes the tracks.
    """

    program: str
    device: str
    tracks: Sequence[Track]
    strips_merged: int
    bus_interval: int

    def __repr__(self) -> str:
        slices = sum(len(track.slices) for track in self.tracks if isinstance(track, SliceTrack))
        return (
            f"hwc.Trace: {self.program}, on the device {self.device}; {self.cycles:,} cycles, "
            f"{len(self.tracks)} tracks with {slices:,} slices; save(path) writes them for "
            "ui.perfetto.dev"
        )

    @property
    def cycles(self) -> int:
        """The cycles of the call, however few of its strips were traced."""
        steps = (track for track in self.tracks if track.name == "steps")
        ends = (one.end for track in steps if isinstance(track, SliceTrack) for one in track.slices)
        return max(ends, default=0)

    def to_bytes(self) -> bytes:
        """Return the trace in Perfetto's format; a nanosecond stands for a cycle.

        Raises:
            UserError: the library `perfetto` is missing.
        """
        from hwc.runtime.trace.perfetto import perfetto_bytes  # noqa: PLC0415 - an optional extra

        return perfetto_bytes(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace as a file that ui.perfetto.dev opens.

        Raises:
            UserError: the file cannot be written, or the library `perfetto` is missing.
        """
        content = self.to_bytes()
        try:
            write_bytes(path, content)
        except OSError as error:
            raise UserError(
                f"{os.fspath(path)}: error: cannot write: {error.strerror or error}"
            ) from error
