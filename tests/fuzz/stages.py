"""Text of the later stages, as `hwc compile --emit` writes it and people change it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from fuzz import mlir, packages
from fuzz.kinds import Defect, Kind
from fuzz.texts import FORMS, emitted, programs, random_stage

from hwc.errors import UserError
from hwc.package import Package

_LATER = re.compile(r"\b(?:kernel|strip|hwc)\.\w+|\battrs\b")
_AGAIN = ("linalg", "kernel", "vector")
"""The stages whose text `hwc compile` takes."""


@cache
def seeds() -> list[bytes]:
    """Return small programs in every form, and the tests' text of later stages."""
    found = [text for text in programs() if _LATER.search(text)]
    for program in packages.PROGRAMS:
        for form in FORMS:
            found += [emitted(program, form), emitted(program, form, generic=True)]
    return [text.encode() for text in found]


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Change a text, or a random program at a random stage."""
    text = random_stage(rng) if rng.random() < 0.08 else mlir.pick(rng, cases)
    return mlir.edited(rng, text, cases)


def play(case: bytes, pair: Any) -> str:
    """Compile a text; what the compiler writes of it at any stage becomes the same package."""
    package = mlir.compiled(case)
    if isinstance(package, str):
        return package
    text = mlir.text_of(case)
    taken = 0
    for stage in _AGAIN:
        try:
            again = emitted(text, stage)
        except UserError:  # the text is at a later stage already
            continue
        taken += 1
        other = mlir.compiled(again.encode())
        if isinstance(other, str):
            raise Defect(f"what --emit {stage} writes is {other}")
        if _without_places(other) != _without_places(package):
            raise Defect(f"what --emit {stage} writes becomes another package")
    return f"{taken} stages, {mlir.called(package, pair)}"


def _without_places(package: Package) -> Package:
    """Return the package without what tells its text from others: lines, columns, the digest."""
    steps = tuple(
        step if step.origin is None else replace(step, origin=replace(step.origin, location=""))
        for step in package.shape_program.steps
    )
    program = replace(package.shape_program, steps=steps)
    return replace(package, shape_program=program, source_digest="")


KIND = Kind("stage", seeds, draw, play)
