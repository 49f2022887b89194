"""The definition of a sweep: a program, targets and shapes, and the chunks of points to time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hwc
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from hwc.sweeps.grid import Grid
from hwc.sweeps.variants import Variant
from isa.target import CONFIGS

CHUNK = 1000
"""Maximum points that a worker times at once: the work to repeat if the worker is killed."""

MOST_POINTS = 100_000_000

FORMAT = 2
"""The version of the manifest and of the table."""

_CODE = ("*.py", "*.yaml", "*.json")
_SHOWS = ("hwc/cli/", "hwc/pages/", "hwc/sweeps/page.py")
"""Code that shows results, but does not affect them."""


@dataclass(frozen=True)
class Job:
    """Everything that determines the table of a sweep.

    `code` is the digest of hwc itself: a changed compiler or timing model gives other numbers.
    """

    source: Source
    entry: str | None
    language: Language
    libraries: tuple[Source, ...]
    variants: tuple[Variant, ...]
    grid: Grid
    code: str

    @property
    def varied(self) -> tuple[str, ...]:
        """The keys of targets that are varied."""
        return tuple(self.variants[0].varied)

    @property
    def points(self) -> int:
        """The number of points: every shape on every target."""
        return len(self.variants) * len(self.grid)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks in the order of the table."""
        number = 0
        for variant in range(len(self.variants)):
            for first in range(0, len(self.grid), CHUNK):
                yield Chunk(number, variant, first, min(first + CHUNK, len(self.grid)))
                number += 1

    def manifest(self) -> dict[str, Any]:
        """Return what the folder of a sweep records, for people and to compare sweeps."""
        return {
            "format": FORMAT,
            "program": {
                "file": self.source.name,
                "digest": _digest(self.source.content),
                "entry": self.entry,
                "language": json.loads(json.dumps(asdict(self.language))),
                "libraries": [
                    {"file": library.name, "digest": _digest(library.content)}
                    for library in self.libraries
                ],
            },
            "targets": [
                {"target": v.base, "varied": dict(v.varied), "keys": dict(v.keys)}
                for v in self.variants
            ],
            "shapes": {
                "sizes": {name: list(values) for name, values in self.grid.sizes.items()},
                "layout": [list(shape) for shape in self.grid.layout],
            },
            "chunk": CHUNK,
            "hwc": {"version": hwc.__version__, "code": self.code},
        }


@dataclass(frozen=True)
class Chunk:
    """Points `first` to `end` - 1 of the grid on one target."""

    number: int
    variant: int
    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first

    @property
    def file(self) -> str:
        """The name of the file with its rows."""
        return f"{self.number:08}.parquet"


@cache
def code_digest() -> str:
    """Return a digest of the compiler, the timing model and the instruction set."""
    rooms = {Path(hwc.__file__).parent, CONFIGS.parent / "isa", CONFIGS.parent / "sim", CONFIGS}
    files = {
        path.relative_to(room.parent).as_posix(): path
        for room in rooms
        for pattern in _CODE
        for path in room.rglob(pattern)
    }
    digest = hashlib.sha256()
    for name in sorted(name for name in files if not name.startswith(_SHOWS)):
        digest.update(f"{name}\0".encode())
        digest.update(hashlib.sha256(files[name].read_bytes()).digest())
    return digest.hexdigest()


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
