"""docs/timing.md: its generated parts are current, and every constant of timing is in the text."""

import pytest
from timing_example import PAGE, PARAMETERS, PROGRAM, constants, example, replaced

from isa.load import load

# Constants that say what may be written in a program or a register, not when things happen.
NOT_TIMING = {"rank_max", "image_alignment", "table_entries"}


def test_generated_parts_are_current():
    page = PAGE.read_text()
    assert replaced(page) == page, "run: python tests/unit/sim/timing/timing_example.py --write"


def test_a_changed_number_is_noticed():
    page = PAGE.read_text()
    assert replaced(page.replace("`cycles` ", "`cycles` 1")) != page.replace(
        "`cycles` ", "`cycles` 1"
    )
    with pytest.raises(AssertionError, match="lost its part"):
        replaced(page.replace("<!-- end -->", ""))


@pytest.mark.parametrize("name", sorted(set(load().constants) - NOT_TIMING))
def test_every_constant_is_in_the_text(name):
    assert f"c.{name}" in PAGE.read_text()


@pytest.mark.parametrize("name", load().counters)
def test_every_counter_is_defined(name):
    assert f"`{name}`" in PAGE.read_text()


def test_the_example_shows_what_it_should():
    """Each kind of line that a reader may look for has a number in it."""
    text = example()
    assert len(PARAMETERS) == 4 and "loop" in PROGRAM and constants()
    assert "`cuts` 0" not in text and "h = 1" in text
