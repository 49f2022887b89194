"""Shared by the tests of the commands."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from lockstep.support import PROGRAMS, TARGETS, close_machines, machine

import hwc
from hwc.cli import progress
from rtl_models.simulation.session import Session
from rtl_models.tb.random_dispatches import MEMORY_BYTES


@pytest.fixture(scope="session", autouse=True)
def machines_end_with_the_tests():
    """A worker of pytest-xdist may be killed soon after its last test, before its hardware ends."""
    yield
    close_machines()


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch):
    """A slow machine that builds the hardware within a test writes nothing about it."""
    monkeypatch.setattr(progress, "LINES", math.inf)


@pytest.fixture
def package(tmp_path):
    """Compile a program of the end-to-end tests for a target; gives the package's path."""

    def compiled(name: str, target: str) -> str:
        path = tmp_path / f"{name}_{target}.hwx"
        hwc.compile(PROGRAMS / f"{name}.mlir", target).save(path)
        return str(path)

    return compiled


@pytest.fixture(params=TARGETS)
def session(request) -> Iterator[Session]:
    """Give a session with the hardware of each target, whose memory has no stalls."""
    session = machine(request.param).hardware.session(MEMORY_BYTES)
    session.stall(0)
    yield session
    if session.alive:  # a bug may have stopped the hardware
        session.stall(0)
