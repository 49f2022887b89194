"""Shared by the tests of the commands."""

from __future__ import annotations

import pytest
from lockstep.support import PROGRAMS, close_machines

import hwc


@pytest.fixture(scope="session", autouse=True)
def machines_end_with_the_tests():
    """A worker of pytest-xdist may be killed soon after its last test, before its hardware ends."""
    yield
    close_machines()


@pytest.fixture
def package(tmp_path):
    """Compile a program of the end-to-end tests for a target; gives the package's path."""

    def compiled(name: str, target: str) -> str:
        path = tmp_path / f"{name}_{target}.hwx"
        hwc.compile(PROGRAMS / f"{name}.mlir", target).save(path)
        return str(path)

    return compiled
