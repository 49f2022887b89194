"""docs/tracing.md names every cause that a trace can show, with the counter that it adds up to."""

import re
from pathlib import Path

from hwc.runtime.trace.recorder import INTERVAL, LIMIT
from isa.load import load

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tracing.md").read_text()


def test_every_stall_is_in_the_table():
    named = set(re.findall(r"^\| `stall.*?` \|[^|]*\| `(\w+)` \|", PAGE, re.M))
    assert named == {name for name in load().counters if "_stall" in name}


def test_the_numbers_are_those_of_the_code():
    assert f"more than {LIMIT:,} slices" in PAGE
    assert f"each interval of {INTERVAL} cycles" in PAGE
