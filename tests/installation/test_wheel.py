"""The wheel, installed outside of the checkout: its files, its commands, the hardware in it."""

from __future__ import annotations

import json
import runpy
import zipfile
from pathlib import Path

import pytest
from installation.environments import ROOT, Environment, make_wheel, succeed

from hwc.cli.main import main
from isa.target import load_target, target_names
from rtl_models.simulation.build import cache_directory, find_build, missing_tools

ROOMS = ("isa", "rtl_models", "sim")
DEVELOPMENT = tuple(
    f"rtl_models/{room}/" for room in ("coverage", "generate", "lint", "synthesis", "tb")
)
"""What only a checkout needs."""

IMPORT_ALL = f"""
import importlib, pkgutil, sys
import hwc
modules = [m.name for m in pkgutil.walk_packages(hwc.__path__, "hwc.")]
for name in modules:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(modules), *[name for name in {ROOMS} if name in sys.modules])
"""
FIND_BUILD = """
from hwc._rooms.isa.target import load_target
from hwc._rooms.rtl_models.simulation.build import find_build
print(find_build(load_target("tiny")))
"""


def wanted():
    """The files of the checkout that the wheel should have, as they are called there."""
    for room in ("configs", "hwc", *ROOMS):
        for path in (ROOT / room).rglob("*"):
            name = path.relative_to(ROOT).as_posix()
            left_out = name.startswith(DEVELOPMENT) or path.suffix in (".toml", ".md")
            kept = "__pycache__" in path.parts  # what Python and numba have compiled
            if path.is_file() and not left_out and not kept and "/." not in name:
                yield name if room == "hwc" else f"hwc/_rooms/{name}"


def test_its_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (top,) = (archive.read(name) for name in names if name.endswith("top_level.txt"))
    of_hwc = {name for name in names if not name.startswith("hwc-")}
    assert of_hwc == {*wanted(), "hwc/_rooms/__init__.py"}
    assert top == b"hwc\n"
    assert wheel.name.endswith("-py3-none-any.whl")


def test_every_module_is_imported_from_below_hwc(installed):
    count, *rooms = installed.output("python", "-c", IMPORT_ALL).split()
    assert int(count) > 200
    assert not rooms
    missing = installed.run("python", "-c", "import isa")
    assert missing.stderr.endswith("ModuleNotFoundError: No module named 'isa'\n")


def test_imports_that_move():
    moved = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["moved"]
    before = "import isa\nif True:\n    from sim.trace import a\nimport hwc\n"
    after = (
        "from hwc._rooms import isa\nif True:\n    from hwc._rooms.sim.trace import a\nimport hwc\n"
    )
    assert moved(before, Path("x.py")) == after
    for wrong in ("import isa.load", "import sim as machine", "import os, sim"):
        with pytest.raises(ValueError, match=r"^x\.py:2: cannot move the import of (isa|sim)"):
            moved(f"import os\n{wrong}\n", Path("x.py"))


def test_the_targets(installed, capsys):
    assert main(["targets", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)["targets"]
    listed = json.loads(installed.output("hwc", "targets", "--json"))["targets"]
    assert [target["name"] for target in listed] == target_names()
    for target, in_checkout in zip(listed, expected, strict=True):
        path = Path(target.pop("path"))
        assert path.is_relative_to(installed.folder)
        assert path.read_bytes() == Path(in_checkout.pop("path")).read_bytes()
        assert target == in_checkout


@pytest.mark.parametrize("target", target_names())
def test_compile_and_run(installed, target, monkeypatch):
    arguments = ["compile", "add.mlir", "--target", target, "--output"]
    installed.output("hwc", *arguments, "there.hwx")
    inputs = ("--input", "1x3xf32=1,2,3", "--input", "2x1xf32=10,20")
    lines = installed.output("python", "-m", "hwc", "run", "there.hwx", *inputs).splitlines()
    assert lines[:3] == ["result 0: 2x3xf32", "[[11. 12. 13.]", " [21. 22. 23.]]"]
    monkeypatch.chdir(installed.work)
    assert main([*arguments, "here.hwx"]) == 0
    assert Path("there.hwx").read_bytes() == Path("here.hwx").read_bytes()


def test_passes(installed):
    text = installed.output("hwc-opt", "add.mlir", "--pass-pipeline", "normalize-tosa")
    assert "tosa.add" in text


def needs_tools():
    if missing := missing_tools():
        pytest.skip(f"this needs {', '.join(missing)}")


def test_cosim(installed):
    """The hardware of the wheel is that of the checkout, so that a build of either serves both."""
    needs_tools()
    variables = {"HWC_CACHE": str(cache_directory())}
    installed.output("hwc", "compile", "add.mlir", "--target", "tiny", "-o", "add.hwx")
    done = installed.run("hwc", "cosim", "add.hwx", "--random-shapes", "2", **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("on target tiny: no difference\n")
    found = installed.output("python", "-c", FIND_BUILD, **variables).strip()
    assert found == str(find_build(load_target("tiny")))


@pytest.mark.long
def test_the_hardware_is_built_from_the_wheel(installed, tmp_path):
    needs_tools()
    installed.output("hwc", "compile", "add.mlir", "--target", "tiny", "-o", "built.hwx")
    variables = {"HWC_CACHE": str(tmp_path)}
    done = installed.run("hwc", "cosim", "built.hwx", "--random-shapes", "2", **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("on target tiny: no difference\n")
    assert list(tmp_path.glob("tiny-*/V*"))


def test_without_a_compiler(installed, tmp_path):
    """Everything works but the hardware, and the error says what that needs."""
    installed.output("hwc", "compile", "add.mlir", "-o", "plain.hwx", PATH=str(tmp_path))
    inputs = ("--input", "random:2x3", "--input", "random:1x1")
    installed.output("hwc", "run", "plain.hwx", *inputs, PATH=str(tmp_path))
    variables = {"HWC_CACHE": str(tmp_path / "cache"), "PATH": str(tmp_path)}
    done = installed.run("hwc", "cosim", "plain.hwx", *inputs, **variables)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: running the hardware needs " in done.stderr
    for tool in ("Perl", "a C++ compiler", "make"):
        assert tool in done.stderr
    assert "without it everything else works" in done.stderr


@pytest.mark.long
def test_a_source_distribution_makes_the_same_wheel(checkout, wheel, tmp_path):
    environment = Environment.make(tmp_path)
    environment.install("setuptools", "--constraint", str(ROOT / "constraints.txt"))
    build = "from setuptools.build_meta import build_sdist; build_sdist('.')"
    succeed([str(environment.scripts / "python"), "-c", build], checkout)
    (archive,) = checkout.glob("*.tar.gz")
    make_wheel(checkout, archive.name, tmp_path)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(tmp_path / wheel.name) as other:
        assert one.namelist() == other.namelist()
