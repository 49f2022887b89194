"""Every program of the compiler's tests, with several shapes, on three targets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from lockstep import cases, programs
from lockstep.support import TARGETS, machine

from hwc.errors import UserError
from hwc.package import Package
from isa.target import load_target

ROOM = 8
"""Programs of one file in one test."""
POINTS, LONG_POINTS = 1200, 4000
LONG_SHAPES = 2


def groups() -> dict[str, list[programs.Text]]:
    """Programs by the test that plays them."""
    by_file: dict[str, list[programs.Text]] = {}
    for text in programs.texts():
        by_file.setdefault(programs.file_of(text), []).append(text)
    return {
        f"{file} {first // ROOM}": found[first : first + ROOM]
        for file, found in by_file.items()
        for first in range(0, len(found), ROOM)
    }


GROUPS = groups()
MANY = [
    pytest.param(group, target, marks=() if (g + t) % len(TARGETS) == 0 else pytest.mark.breadth)
    for g, group in enumerate(GROUPS)
    for t, target in enumerate(TARGETS)
]
"""With many shapes, each group on one target; on the others where only breadth is wanted."""


@cache
def compiled(text: programs.Text, target: str) -> Package | None:
    """Its package; None if it is left out, for a documented reason."""
    try:
        return programs.package(text, target)
    except UserError:
        assert programs.left_out(programs.file_of(text)), f"{text.name} does not compile"
        return None


def play(target: str, group: str, kinds: list[str], points: int) -> None:
    """Play every program of a group with shapes of these kinds, and one that is refused."""
    for number, text in enumerate(GROUPS[group]):
        package = compiled(text, target)
        if package is None or not package.dispatches:
            continue
        turn = number + TARGETS.index(target)
        fixed = all(isinstance(n, int) for tensor in package.inputs for n in tensor.shape)
        # A long body takes long in hardware for every point.
        room = max(12, points * 40 // max(40, sum(len(d.words) for d in package.dispatches)))
        chosen = kinds[:1] if fixed else [kind or cases.KINDS[1 + turn % 3] for kind in kinds]
        for seed, kind in enumerate(chosen):
            rng = np.random.default_rng([number, seed, TARGETS.index(target)])
            shapes = cases.draw(package, machine(target).target, kind, rng, room)
            if shapes is None and kind == "random":
                known = text.shapes is not None or programs.file_of(text) in programs.FEW_SHAPES
                assert known, f"{text.name}: no shapes found"
                shapes = None if text.shapes is None else list(text.shapes)
            if shapes is None:
                continue
            cases.check(machine(target), text, package, shapes, seed)
            if not seed:
                wrong = cases.WRONG[turn % len(cases.WRONG)]
                cases.check(machine(target), text, package, shapes, turn, wrong)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", GROUPS)
def test_programs(target, group):
    play(target, group, ["random", ""], POINTS)


@pytest.mark.long
@pytest.mark.parametrize(("group", "target"), MANY)
def test_programs_with_many_shapes(target, group):
    play(target, group, [*cases.KINDS, *["random", "mixed"] * LONG_SHAPES], LONG_POINTS)


def test_what_is_left_out():
    """A file has a reason only if one of its programs needs it; `compiled` looks at the others."""
    assert len(programs.texts()) > 400
    for file, reason in programs.LEFT_OUT.items():
        own = [text for text in programs.texts() if programs.file_of(text) == file]
        assert any(compiled(text, "tiny") is None for text in own), file
        assert reason.strip()


def test_every_function_that_writes_a_program_is_known():
    functions = {name for name in programs.PROGRAMS_FROM_CODE if not name.endswith("(patterns)")}
    assert programs.functions_with_programs() == functions


def test_every_kind_of_shape_is_drawn():
    """For the programs of the end-to-end tests: all dynamic."""
    target = load_target("tiny")
    for name in ("add", "chain"):
        (text,) = [t for t in programs.texts() if t.name == f"e2e/programs/{name}.mlir"]
        package = programs.package(text, "tiny")
        drawn = {
            kind: cases.draw(package, target, kind, np.random.default_rng(2), 500)
            for kind in cases.KINDS
        }
        assert {n for shape in drawn["ones"] for n in shape} == {1}
        assert 0 in {n for shape in drawn["zero"] for n in shape}
        assert {n for shape in drawn["mixed"] for n in shape} <= {1, 2, 3, target.lanes + 1}
