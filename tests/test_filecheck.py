"""Runs the filecheck tests, which `lit tests/filecheck` runs alone."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "filecheck"
COMPILER = FOLDER.parents[1] / "hwc"


@pytest.mark.parametrize("room", sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
def test_filecheck(room):
    code = "import sys; from lit.main import main; sys.exit(main())"
    # lit has warnings of its own, which are not ours to fix
    command = [sys.executable, "-W", "ignore", "-c", code, "-v", "-j2", str(FOLDER / room)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("test", sorted(FOLDER.rglob("*.mlir")), ids=lambda path: path.stem)
def test_every_command_quotes_its_file(test):
    """The path may have a space."""
    commands = [line for line in test.read_text().splitlines() if "RUN:" in line]
    assert commands
    assert not [line for line in commands if "%s" in line.replace('"%s"', "")]


@pytest.mark.parametrize("test", sorted(FOLDER.rglob("*.mlir")), ids=lambda path: path.stem)
def test_every_file_is_named_after_the_module_it_tests(test):
    """`transforms/fuse_kernels_accel.mlir` tests `hwc/transforms/fuse_kernels.py`."""
    room = COMPILER / test.parent.relative_to(FOLDER)
    modules = [path.stem for path in room.glob("*.py")]
    assert any(f"{test.stem}_".startswith(f"{module}_") for module in modules), (
        f"{room} has no module whose name begins the name of {test.name}"
    )
