"""What the caller of the compiler says about a program beside its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Attributes that the compiler gives the function that it compiles; docs/shapes.md has them.

    `broadcast`, `ranks` and `conform` replace `hwc.broadcast`, `hwc.ranks` and `hwc.conform` unless
    they are None; the facts of `assume` are added to `hwc.assume`.
    """

    broadcast: str | None = None
    ranks: str | None = None
    assume: tuple[str, ...] = ()
    conform: str | None = None
