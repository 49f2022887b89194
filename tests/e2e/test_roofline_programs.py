"""Compiled programs reach their shares of the roofline; `tests/bench` prints the table."""

import pytest
from bench.roofline_programs import PROGRAMS, TARGETS, rows


@pytest.mark.parametrize("target", TARGETS)
def test_every_program_reaches_its_share(target):
    measured = list(rows([target]))
    assert {program.name for program in PROGRAMS} <= {row.name for row in measured}
    assert [row for row in measured if not row.good] == []
