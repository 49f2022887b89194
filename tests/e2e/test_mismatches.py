"""Sizes that do not fit: hwc refuses what others compute silently, and the page lists it."""

import re
from pathlib import Path

import pytest
from bench.mismatches import (
    WANTED,
    judged,
    programs,
    refusals,
    show,
    through_iree,
    through_upstream,
    wrong,
)
from e2e.support.mlir_tools import MLIR_OPT

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "mismatches.md"
LOCATED = re.compile(r"-:\d+:\d+: error: '(tosa|arith)\.\w+'")
PROGRAMS = list(programs())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_every_call_is_refused_at_its_place(program):
    for shapes, message in zip(program.calls, refusals(program), strict=True):
        assert message is not None, f"{shapes} is taken"
        assert LOCATED.match(message), message


def test_the_page_lists_calls_of_these_programs():
    rows = [line.split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    listed = [(row[1], row[2]) for row in rows if row[0] != "| #"]
    assert len(listed) >= WANTED
    known = {(p.name, " with ".join(map(show, shapes))) for p in PROGRAMS for shapes in p.calls}
    assert set(listed) <= known


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("judge", [through_iree, through_upstream])
def test_others_compute_them_silently(judge):
    pytest.importorskip("iree.compiler")
    program = PROGRAMS[0]
    outcomes = judged(judge, program)
    assert outcomes[0] == (4,)
    words = [wrong(program, *pair) for pair in zip(program.calls, outcomes, strict=True)]
    assert words[:2] == ["gives 4, reads outside of %a", "gives 4, reads outside of %b"]
