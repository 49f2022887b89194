"""The report: what was covered of the hardware, in Markdown and as annotated sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rtl_models.coverage.bins import Bin
from rtl_models.coverage.data import Point
from rtl_models.coverage.lines import Share, line_counts, shares, total, untoggled
from rtl_models.coverage.waivers import TOGGLES_PERCENT, Waived

WANTED_PERCENT = 95.0
LARGEST = 25
"""Groups of signals that never toggled, in the summary."""


@dataclass(frozen=True)
class Coverage:
    """Everything measured: points with their counts, bins with theirs, and what is waived."""

    points: Mapping[Point, int]
    bins: Mapping[Bin, int]
    waived: Waived

    def lines(self) -> dict[str, Share]:
        """Return the lines that ran by file; waived ones do not count."""
        return {
            file: Share(sum(map(bool, left)), len(left))
            for file, counts in line_counts(self.points).items()
            if (left := [n for at, n in counts.items() if (file, at) not in self.waived.lines])
        }

    def holes(self) -> list[tuple[str, int]]:
        """Return the lines that did not run and are not waived."""
        return sorted(
            (file, line)
            for file, counts in line_counts(self.points).items()
            for line, count in counts.items()
            if not count and (file, line) not in self.waived.lines
        )

    def bin_holes(self) -> list[Bin]:
        """Return the bins that were not hit and are not waived."""
        return [b for b, n in self.bins.items() if not n and bin_key(b) not in self.waived.bins]

    def few_toggles(self) -> dict[str, Share]:
        """Return the files with too few toggles and no reason for them."""
        return {
            file: share
            for file, share in sorted(shares(self.points, "toggle").items())
            if share.percent < TOGGLES_PERCENT and file not in self.waived.toggles
        }


def bin_key(what: Bin) -> str:
    """Return the name of a bin in a waiver."""
    return f"{what.group}: {what.name}"


def summary(coverage: Coverage, sources: Path, preface: str) -> str:
    """Return the report as Markdown; `preface` says how the report was made."""
    lines, branches = coverage.lines(), shares(coverage.points, "branch")
    toggles = shares(coverage.points, "toggle")
    unhit = len(coverage.bin_holes())
    needed = len(coverage.bins) - len(coverage.waived.bins)
    hit = Share(needed - unhit, needed)
    return "".join(
        line + "\n"
        for line in (
            "# Coverage of the hardware",
            "",
            *preface.splitlines(),
            "",
            "| | covered |",
            "|---|---|",
            f"| lines | {total(lines)}, {len(coverage.waived.lines)} waived |",
            f"| branches, waived ones included | {total(branches)} |",
            f"| toggles | {total(toggles)} |",
            f"| functional bins | {hit}, {len(coverage.waived.bins)} waived |",
            "",
            "## Files",
            "",
            "| file | lines | branches | toggles |",
            "|---|---|---|---|",
            *(
                f"| `{file}` | {_cell(lines, file)} | {_cell(branches, file)} "
                f"| {_cell(toggles, file)} |"
                for file in sorted({*lines, *branches, *toggles})
            ),
            "",
            *_lines_missed(coverage, sources),
            *_toggles_missed(coverage),
            *_bins(coverage),
            *_waivers(coverage),
        )
    )


def _cell(files: Mapping[str, Share], file: str) -> str:
    return str(files[file]) if file in files else "–"


def _lines_missed(coverage: Coverage, sources: Path) -> Iterator[str]:
    yield "## Lines that did not run"
    yield ""
    holes = coverage.holes()
    for file, line in holes:
        text = (sources / file).read_text(encoding="utf-8").splitlines()[line - 1].strip()
        yield f"- `{file}`: `{text}`"
    if not holes:
        yield "None."
    yield ""


def _toggles_missed(coverage: Coverage) -> Iterator[str]:
    groups = untoggled(coverage.points)
    yield "## Signals that did not toggle"
    yield ""
    yield f"{groups.total()} edges of {len(groups)} signals; the largest groups:"
    yield ""
    yield "| file | signal | edges that never occurred |"
    yield "|---|---|---|"
    largest = sorted(groups.items(), key=lambda item: (-item[1], item[0]))[:LARGEST]
    for (file, signal), count in largest:
        yield f"| `{file}` | `{signal}` | {count} |"
    yield ""
    for file, share in coverage.few_toggles().items():
        yield f"- `{file}` needs tests or a reason: {share} of its toggles"
    for file, reason in sorted(coverage.waived.toggles.items()):
        yield f"- `{file}`: {reason.strip()}"
    yield ""


def _bins(coverage: Coverage) -> Iterator[str]:
    groups: dict[str, list[Bin]] = defaultdict(list)
    for b in coverage.bins:
        groups[b.group].append(b)
    holes = set(coverage.bin_holes())
    yield "## Functional coverage"
    yield ""
    yield "| what | bins hit | not hit | waived |"
    yield "|---|---|---|---|"
    for group, bins in groups.items():
        hit = sum(coverage.bins[b] > 0 for b in bins)
        missed = sum(b in holes for b in bins)
        yield f"| {group} | {Share(hit, len(bins))} | {missed} | {len(bins) - hit - missed} |"
    yield ""
    if holes:
        yield "Not hit:"
        yield ""
    for group, bins in groups.items():
        missing = [b.name for b in bins if b in holes]
        if missing:
            yield f"- {group}: {'; '.join(missing)}"
    yield ""


def _waivers(coverage: Coverage) -> Iterator[str]:
    yield "## Waived"
    yield ""
    reasons: dict[str, list[str]] = defaultdict(list)
    for (file, _), reason in sorted(coverage.waived.lines.items()):
        reasons[reason].append(f"`{file}`")
    for name, reason in coverage.waived.bins.items():
        reasons[reason].append(name)
    for reason, where in reasons.items():
        lines = [f"{w} × {n}" if n > 1 else w for w, n in Counter(where).items()]
        yield f"- {reason.strip()}: {', '.join(lines)}"
    if not reasons:
        yield "Nothing."
    for text in coverage.waived.stale:
        yield f"- stale, it has run: {text}"


def annotate(coverage: Coverage, sources: Path, folder: Path) -> None:
    """Write every source with the count of each line in front, `%` where it did not run."""
    for file, counts in line_counts(coverage.points).items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = []
        for number, text in enumerate((sources / file).read_text("utf-8").splitlines(), 1):
            mark, count = " ", ""
            if number in counts:
                count = str(counts[number])
                waived = (file, number) in coverage.waived.lines
                mark = " " if counts[number] else "w" if waived else "%"
            rows.append(f"{mark}{count:>12}  {text}".rstrip() + "\n")
        path.write_text("".join(rows), encoding="utf-8")
