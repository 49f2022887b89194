"""The Makefile's commands in a path with spaces, where there is no compiler."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from installation.environments import copy_checkout, succeed, use_packages_of_this_python

STAND_IN = """#!/bin/sh
echo "{name}: $*"
"""
TOOLS = ("env", "make", "sh", "touch", "uname")


@pytest.fixture
def make(tmp_path):
    """Run make in a copy of the checkout."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"this needs {', '.join(missing)}")
    checkout = copy_checkout(tmp_path / "a path" / "of spaces", "tests")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(str(shutil.which(tool)))
    base = getattr(sys, "_base_executable", sys.executable)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    variables = {**kept, "PATH": str(tools), "PYTHON": base}
    for name in ("MAKEFLAGS", "MAKELEVEL", "HWC_CACHE", "VIRTUAL_ENV"):
        variables.pop(name, None)

    def run(*arguments: str) -> str:
        return succeed(["make", *arguments], checkout, variables)

    run.checkout = checkout
    return run


def test_the_commands(make):
    """`make demo` installs hwc; what else `make test` needs is here already."""
    lines = make("demo").splitlines()
    assert "refused before anything ran: chain.mlir:5:8: error: 'tosa.add'" in lines[-1]
    environment = make.checkout / ".venv"
    use_packages_of_this_python(environment)
    for name in ("ruff", "pyright"):
        script = environment / "bin" / name
        script.write_text(STAND_IN.format(name=name))
        script.chmod(0o755)
    (environment / ".test").touch()
    said = make("test", "TESTS=tests/unit/test_target.py tests/unit/cli/test_targets.py")
    assert "ruff: check\n" in said
    assert "pyright: \n" in said
    assert " passed" in said
