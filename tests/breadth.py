"""Which random tests only `make test-breadth` runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def breadth(values: Iterable[Any]) -> list[Any]:
    """Mark values of a parameter: more of the same, for hours."""
    return [pytest.param(value, marks=pytest.mark.breadth) for value in values]
