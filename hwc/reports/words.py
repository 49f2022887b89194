"""How pages write sizes, shares and long texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONGEST = 60
"""Maximum characters of a kernel's operators where they have to fit on a line."""


def by_x(sizes: Sequence[int]) -> str:
    """Return sizes as the command line writes them."""
    return "x".join(map(str, sizes)) or "scalar"


def short(text: str, longest: int = LONGEST) -> str:
    """Return a text, cut to `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def share(part: int, whole: int) -> str:
    """Return a part as a percentage of the whole."""
    if not part or not whole:
        return "0 %"
    percent = 100 * part / whole
    return f"{percent:.1f} %" if percent >= 0.05 else "< 0.1 %"


def left_out(kept: int, all_: int, what: str) -> Iterator[str]:
    """Yield a line that says how many items a page shows, unless it shows all."""
    if kept < all_:
        yield (
            f'<p class="left-out">These are the {kept:,} {what} with the most cycles, of {all_:,} '
            "in all.</p>"
        )
