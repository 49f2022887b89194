"""Lines, bins and toggles that cannot be covered, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from isa.strict_yaml import read
from rtl_models.coverage.data import CoverageError
from rtl_models.coverage.lines import Share

ANYTHING = "..."
"""Stands for any text in the pattern of a line or bin."""
TOGGLES_PERCENT = 60.0
"""A file with less of its toggles covered needs tests, or a waiver."""

_KINDS = {
    "lines": ["file", "text", "reason"],
    "bins": ["text", "reason"],
    "toggles": ["file", "reason"],
}


@dataclass(frozen=True)
class Waiver:
    """A pattern of lines in files, and why they cannot be covered.

    Without `file` it is a pattern of bins, without `text` it is about toggles of the files.
    """

    file: str
    text: str
    reason: str

    def matches(self, text: str) -> bool:
        """Whether a line or a bin is meant; spaces around it do not matter."""
        first, *parts = self.text.split(ANYTHING)
        if not parts:
            return text.strip() == first
        rest = text.strip()
        if not rest.startswith(first):
            return False
        rest = rest[len(first) :]
        *middle, last = parts
        for part in middle:
            at = rest.find(part)
            if at < 0:
                return False
            rest = rest[at + len(part) :]
        return rest.endswith(last)


@dataclass(frozen=True)
class Waived:
    """Lines by file and number, bins, and files with few toggles, with their reasons.

    What is `stale` has run after all.
    """

    lines: Mapping[tuple[str, int], str]
    bins: Mapping[str, str]
    toggles: Mapping[str, str]
    stale: tuple[str, ...]


def load_waivers(path: Path) -> tuple[Waiver, ...]:
    """Read a waivers file.

    Raises:
        CoverageError: it has unknown or missing keys, or a waiver without a reason.
    """
    document = read(path, CoverageError)
    data = document.data
    if not isinstance(data, dict) or set(data) != _KINDS.keys():
        names = ", ".join(f"`{kind}`" for kind in _KINDS)
        raise CoverageError(f"{path}: error: expected the keys {names}, nothing else")
    found: list[Waiver] = []
    for kind, keys in _KINDS.items():
        for number, entry in enumerate(data[kind] or []):
            where = f"{document.where((kind, number))}: error: a waiver of `{kind}`"
            if not isinstance(entry, dict) or sorted(entry) != sorted(keys):
                raise CoverageError(f"{where} has the keys {', '.join(keys)}, and no others")
            given = {k: v if isinstance(v, list) else [v] for k, v in entry.items()}
            empty = [k for k in keys if not all(str(v or "").strip() for v in given[k] or [""])]
            if empty:
                raise CoverageError(f"{where} whose `{empty[0]}` is empty")
            file, reason = str(entry.get("file", "")), str(entry["reason"])
            found += [Waiver(file, str(text), reason) for text in given.get("text", [""])]
    return tuple(found)


def apply(
    waivers: Iterable[Waiver],
    lines: Mapping[str, Mapping[int, int]],
    sources: Path,
    bins: Mapping[str, int],
    toggles: Mapping[str, Share],
) -> Waived:
    """Find what is waived among the lines and bins that can be covered, given with their counts.

    `toggles` are the covered ones of each file.

    Raises:
        CoverageError: a waiver matches nothing: its line or bin has changed or is gone.
    """
    texts = {
        file: (sources / file).read_text(encoding="utf-8").splitlines() for file in sorted(lines)
    }
    waived_lines: dict[tuple[str, int], str] = {}
    waived_bins: dict[str, str] = {}
    waived_toggles: dict[str, str] = {}
    stale: list[str] = []
    for waiver in waivers:
        if not waiver.text:
            matched = [file for file in toggles if fnmatchcase(file, waiver.file)]
            waived_toggles |= dict.fromkeys(matched, waiver.reason)
            enough = [file for file in matched if toggles[file].percent >= TOGGLES_PERCENT]
            stale += [f"toggles of {file}: {toggles[file]}" for file in enough]
        elif waiver.file:
            matched = [
                (file, number)
                for file, counts in lines.items()
                if fnmatchcase(file, waiver.file)
                for number in counts
                if waiver.matches(texts[file][number - 1])
            ]
            waived_lines |= dict.fromkeys(matched, waiver.reason)
            stale += [
                f"{file}:{number}: {waiver.text}" for file, number in matched if lines[file][number]
            ]
        else:
            matched = [name for name in bins if waiver.matches(name)]
            waived_bins |= dict.fromkeys(matched, waiver.reason)
            stale += [f"bin {name}" for name in matched if bins[name]]
        if not matched:
            where = f" in {waiver.file}" if waiver.file else ""
            raise CoverageError(
                f"error: a waiver matches nothing{where}: {waiver.text}; mend or remove it"
            )
    return Waived(waived_lines, waived_bins, waived_toggles, tuple(sorted(stale)))
