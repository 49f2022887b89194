"""The wheel, and an environment with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from installation.environments import Environment, copy_checkout, make_wheel


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout: pip leaves files where it makes a wheel."""
    return copy_checkout(tmp_path_factory.mktemp("copy") / "checkout")


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as pip makes it."""
    folder = tmp_path_factory.mktemp("wheel")
    make_wheel(checkout, ".", folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel."""
    environment = Environment.make(tmp_path_factory.mktemp("installed"))
    environment.install(str(wheel))
    return environment
