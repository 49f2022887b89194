"""The kinds of input that are fuzzed: how a case is made from earlier ones, and what it must keep.

A case is bytes, whatever its kind, so it can be kept as a file and played again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

Draw = Callable[[Random, Sequence[bytes]], bytes]
"""Makes a case from a source of randomness and the interesting cases so far."""


class Defect(Exception):  # noqa: N818 - what a case shows, beside a traceback
    """A case does something that no case may do; says what."""


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    `seeds` gives cases to begin with. `play(case, pair)` gives the case to hwc and returns what
    became of it, in words without numbers or names, so that cases with the same words took the same
    way. It raises `Defect`, or any exception that a user would see as a traceback. `pair` is None,
    or runs dispatches on simulator and hardware.
    """

    name: str
    seeds: Callable[[], list[bytes]]
    draw: Draw
    play: Callable[[bytes, Any], str]


def kinds() -> dict[str, Kind]:
    """Return every kind by name."""
    from fuzz import (  # noqa: PLC0415 - they import this module
        assembly,
        commands,
        flatbuffers,
        mlir,
        npy,
        packages,
        stages,
        targets,
        values,
    )

    rooms = (mlir, flatbuffers, stages, packages, assembly, commands, targets, npy, values)
    found = [room.KIND for room in rooms]
    return {kind.name: kind for kind in found}
