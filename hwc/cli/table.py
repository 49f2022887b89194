"""Formats text in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Yield one line per row, in padded columns; columns listed in `right` are right-aligned."""
    width: dict[int, int] = {}
    for row in rows:
        for column, cell in enumerate(row):
            width[column] = max(width.get(column, 0), len(cell))
    for row in rows:
        cells = (
            cell.rjust(width[c]) if c in right else cell.ljust(width[c])
            for c, cell in enumerate(row)
        )
        yield "  ".join(cells).rstrip()
