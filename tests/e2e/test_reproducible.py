"""The same program gives the same bytes, whatever the order of Python's sets."""

import os
import subprocess
import sys

import pytest
from unit.backend.programs import generate

SEEDS = ("0", "1", "4242")
"""Of Python's string hashes: they decide the order of a set of names."""


def compiled(path, target, hash_seed):
    """The bytes of the package that a process of its own writes."""
    output = path.with_suffix(f".{hash_seed}.hwx")
    subprocess.run(
        [sys.executable, "-m", "hwc", "compile", path, "-t", target, "-o", output],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    return output.read_bytes()


@pytest.mark.parametrize(("seed", "target"), [(11, "tiny"), (12, "accel")])
def test_packages_do_not_depend_on_the_hash_seed(tmp_path, seed, target):
    """Many symbols, constants, checks and dispatches."""
    path = tmp_path / "program.mlir"
    path.write_text(generate(seed, 6, 60, 4, 0.8).text)
    first, *others = [compiled(path, target, hash_seed) for hash_seed in SEEDS]
    assert all(other == first for other in others)
