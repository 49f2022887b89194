"""Shares the references of the accuracy bench with the tests of the transcendentals."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "bench" / "special_reference.py"


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The module `tests/bench/special_reference.py`."""
    spec = importlib.util.spec_from_file_location("special_reference", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks its module up by name while it is being made.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
