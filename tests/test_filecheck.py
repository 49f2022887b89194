"""Runs the filecheck tests, which `lit tests/filecheck` runs alone."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "filecheck"


@pytest.mark.parametrize("room", sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
def test_filecheck(room):
    code = "import sys; from lit.main import main; sys.exit(main())"
    # lit has warnings of its own, which are not ours to fix
    command = [sys.executable, "-W", "ignore", "-c", code, "-v", "-j2", str(FOLDER / room)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
