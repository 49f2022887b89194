"""How much work a function does: a number that no noise of the machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls_in(function: Callable[[], object]) -> int:
    """How many functions, Python's and built-in ones, are called while `function` runs."""
    count = 0

    def notice(_frame: object, event: str, _what: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
