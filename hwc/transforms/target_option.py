"""The target of a pass: a `Target`, or what a command line gives for one."""

from __future__ import annotations

from isa.target import Target, load_target


def as_target(given: str | Target) -> Target:
    """Return the target itself, or the one with this name or in the file at this path."""
    return given if isinstance(given, Target) else load_target(given)
