"""Skips tests where the tools that they need are not there."""

from __future__ import annotations

import pytest

from rtl_models.simulation.build import missing_tools


def need_tools(*tools: str) -> None:
    """Skip the test that runs unless there are those tools, by default all that builds need."""
    missing = missing_tools(tools) if tools else missing_tools()
    if missing:
        pytest.skip(f"this needs {', '.join(missing)}")
