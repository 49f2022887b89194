"""What the caller of the compiler says about a program in addition to its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Attributes to set on the function being compiled; docs/shapes.md describes them.

    Unless they are None, `broadcast`, `ranks` and `conform` replace `hwc.broadcast`, `hwc.ranks`
    and `hwc.conform`. The facts in `assume` are added to `hwc.assume`.
    """

    broadcast: str | None = None
    ranks: str | None = None
    assume: tuple[str, ...] = ()
    conform: str | None = None
