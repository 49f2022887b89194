"""Shared by the front end's tests: compiling text, and upstream's mlir-opt as the judge."""

import subprocess
import sys
from pathlib import Path

import pytest

from hwc.frontend.source import Source
from hwc.pipeline import PORTABLE, run


def find_mlir_opt():
    """Return upstream's mlir-opt, which is part of a Python package, or None."""
    candidates = (Path(folder) / "mlir" / "bin" / "mlir-opt" for folder in sys.path)
    return next((path for path in candidates if path.is_file()), None)


@pytest.fixture(name="mlir_opt_path", scope="session")
def _mlir_opt_path():
    path = find_mlir_opt()
    if path is None:
        pytest.skip("mlir-opt is not installed")
    return str(path)


@pytest.fixture(name="mlir_opt", scope="session")
def _mlir_opt(mlir_opt_path):
    """A function that runs mlir-opt on text with flags and returns its output; errors fail."""

    def call(text, *flags):
        done = subprocess.run(
            [mlir_opt_path, "--verify-each", *flags],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[:4000]
        return done.stdout

    return call


@pytest.fixture(name="compile_text", scope="session")
def _compile_text():
    """A function that takes text to a stage and returns the module's text."""

    def call(text, until="linalg", **settings):
        return str(run(Source("test.mlir", text), until=until, **settings).module)

    return call


@pytest.fixture(name="run_portable", scope="session")
def _run_portable(compile_text):
    """A function that makes TOSA text callable: through the upstream lowering and IREE."""
    pytest.importorskip("iree.compiler")
    from e2e.support.iree import Judge  # noqa: PLC0415 - needs IREE

    def call(text, stage=PORTABLE):
        return Judge(compile_text(text, then=(stage,)), "auto")

    return call
