"""Shared by all tests: hypothesis, reproducible and without time limits; counts; progress.

Every compilation of the tests verifies the module between passes, in processes of their own too.
"""

import os

import pytest
from hypothesis import settings
from lockstep.counts import pytest_sessionfinish, pytest_terminal_summary, pytest_testnodedown

from hwc.pipeline import VERIFY_EACH
from isa import progress

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary", "pytest_testnodedown"]

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("default")

os.environ[VERIFY_EACH] = "1"


@pytest.fixture
def tasks_at_once(monkeypatch):
    """Let observers be told of tasks without a delay, see `isa.progress`."""
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "PERIOD", 0.0)


@pytest.fixture
def told(tasks_at_once):
    """What observers are told, at once: for each time, each task's name, done, of and unit."""
    found = []

    def observe(tasks):
        found.append([(task.name, task.done, task.of, task.unit) for task in tasks])

    progress.observe(observe)
    yield found
    progress.ignore(observe)
