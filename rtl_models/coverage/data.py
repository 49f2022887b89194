"""Coverage data as a bench leaves it: Verilator's points and the counts of functional bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from isa.errors import UserError

_HEAD = "# SystemC::Coverage-3"


class CoverageError(UserError):
    """Coverage cannot be measured or reported."""


@dataclass(frozen=True)
class Point:
    """A point that Verilator counts, over all instances and parameters of its module.

    `kind` is line, branch or toggle; `what` the side of a branch, or a bit and its edge; `lines`
    are those that run when the point counts, none for the missing `else` of an `if`.
    """

    file: str
    line: int
    column: int
    kind: str
    what: str
    lines: tuple[int, ...]


def add_up(files: Iterable[Path]) -> Counter[str]:
    """Add up the counts of data files; points are left as they are written.

    Raises:
        CoverageError: a file is not Verilator's coverage data.
    """
    counts: Counter[str] = Counter()
    for path in files:
        with path.open(encoding="utf-8") as lines:
            if next(lines, "").rstrip("\n") != _HEAD:
                raise CoverageError(f"{path}: error: its first line is not {_HEAD}")
            for number, line in enumerate(lines, 2):
                point, mark, count = line.rpartition("' ")
                if not mark or not count.strip().isdecimal():
                    raise CoverageError(f"{path}:{number}: error: not a point of coverage data")
                counts[point] += int(count)
    return counts


def write_sum(counts: Mapping[str, int], path: Path) -> None:
    """Write what `add_up` has added up as one data file."""
    rows = (f"{point}' {count}\n" for point, count in counts.items())
    path.write_text("".join((f"{_HEAD}\n", *rows)), encoding="utf-8")


def parse_points(counts: Mapping[str, int], sources: Path) -> Counter[Point]:
    """Take points apart; file names become relative to `sources`, points outside are left out.

    Builds are shared by their content, so the paths may be of another checkout: a file belongs to
    `sources` if its path after a folder of the same name exists there.

    Raises:
        CoverageError: a point is not as Verilator writes it.
    """
    points: Counter[Point] = Counter()
    for text, count in counts.items():
        fields = dict(f.split("\2", 1) for f in text.split("\1")[1:] if "\2" in f)
        if not {"f", "l", "n", "t", "o"} <= fields.keys():
            raise CoverageError(f"error: not a point of coverage data: {text!r}")
        _, found, file = fields["f"].rpartition(f"/{sources.name}/")
        if found and (sources / file).is_file():
            point = Point(
                file,
                int(fields["l"]),
                int(fields["n"]),
                fields["t"],
                fields["o"],
                tuple(_span(fields.get("S", ""))),
            )
            points[point] += count
    return points


def merge_bins(files: Iterable[Path]) -> Counter[str]:
    """Add up counts of names, of lines `COUNT NAME`.

    Raises:
        CoverageError: a line is something else.
    """
    bins: Counter[str] = Counter()
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            count, _, name = line.partition(" ")
            if not count.isdecimal() or not name:
                raise CoverageError(f"{path}:{number}: error: expected a count and a name: {line}")
            # Verilog fills up the shorter text of a `?:` with spaces.
            bins[" ".join(name.split())] += int(count)
    return bins


def _span(text: str) -> Iterable[int]:
    """Lines of a text such as `4,6-8`."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
