"""Shared by all tests: hypothesis, reproducible and without time limits; counts at the end."""

from hypothesis import settings
from lockstep.counts import pytest_sessionfinish, pytest_terminal_summary, pytest_testnodedown

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary", "pytest_testnodedown"]

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("default")
