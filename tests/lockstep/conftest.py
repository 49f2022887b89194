"""Shared by the tests of the commands."""

from __future__ import annotations

import pytest
from lockstep.support import PROGRAMS

import hwc


@pytest.fixture
def package(tmp_path):
    """Compile a program of the end-to-end tests for a target; gives the package's path."""

    def compiled(name: str, target: str) -> str:
        path = tmp_path / f"{name}_{target}.hwx"
        hwc.compile(PROGRAMS / f"{name}.mlir", target).save(path)
        return str(path)

    return compiled
