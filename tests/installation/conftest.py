"""The wheel, and an environment with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from installation.environments import PIP, Environment, copy_checkout, succeed


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as pip makes it of a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    checkout = copy_checkout(folder / "checkout")
    variables = {**os.environ, "PIP_CONSTRAINT": "constraints.txt"}
    succeed([*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), "."], checkout, variables)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel."""
    environment = Environment.make(tmp_path_factory.mktemp("installed"))
    environment.install(str(wheel))
    return environment
