"""The target of a pass: a `Target`, or a name or path from the command line."""

from __future__ import annotations

from isa.target import Target, load_target


def as_target(given: str | Target) -> Target:
    """Return the target itself, or load the target with this name or from this path."""
    return given if isinstance(given, Target) else load_target(given)
