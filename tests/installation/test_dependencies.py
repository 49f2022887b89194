"""hwc works with the oldest and with the newest release of each of its dependencies."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from installation.environments import ROOT, Environment, succeed
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

FOLDER = Path(__file__).parent
TESTS = (
    "tests/unit/frontend/test_xdsl_parser.py",  # names that are private in xDSL
    "tests/unit/isa/test_load.py",  # the schema's and YAML's errors
    "tests/unit/isa/test_encode.py",  # the bits of words
    "tests/e2e/test_programs.py",
)
"""Between them, these use all of every dependency that hwc uses."""


def requirements(name: str) -> dict[str, Requirement]:
    """The requirements of a file, for this Python."""
    lines = (FOLDER / name).read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(r.name): r for r in found if not r.marker or r.marker.evaluate()}


def declared(wheel: Path) -> dict[str, Requirement]:
    """What the wheel says that it needs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(name).decode()
    found = map(Requirement, re.findall(r"^Requires-Dist: (.*)$", text, re.M))
    return {canonicalize_name(r.name): r for r in found if not r.marker}


def test_the_declared_ranges(wheel):
    oldest, newest = requirements("oldest.txt"), requirements("newest.txt")
    assert newest.keys() == declared(wheel).keys()
    for name, requirement in declared(wheel).items():
        bounds = {bound.operator: bound.version for bound in requirement.specifier}
        assert bounds.keys() == {">=", "<"}, requirement
        (old,), (new,) = oldest[name].specifier, newest[name].specifier
        assert requirement.specifier.contains(old.version)
        assert requirement.specifier.contains(new.version)
        assert Version(old.version) == Version(bounds[">="])


@pytest.mark.parametrize("name", ["oldest.txt", "newest.txt"])
def test_the_ends_of_the_ranges(wheel, name, tmp_path):
    environment = Environment.make(tmp_path)
    environment.install("--requirement", str(FOLDER / name))
    versions = {r.name: next(iter(r.specifier)).version for r in requirements(name).values()}
    ask = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    assert environment.output("python", "-c", ask, *versions).split() == [*versions.values()]
    python = str(environment.scripts / "python")
    options = ("-q", "-W", "error", "-p", "no:cacheprovider", "-m", "not long")
    print(succeed([python, "-m", "pytest", *options, *TESTS], ROOT))
    environment.install(str(wheel))
    environment.output("hwc", "compile", "add.mlir")
    inputs = ("--input", "1x3xf32=1,2,3", "--input", "2x1xf32=10,20")
    assert "[21. 22. 23.]" in environment.output("hwc", "run", "add.hwx", *inputs)
