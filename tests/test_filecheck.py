"""Runs lit over `tests/filecheck`, so that pytest runs everything."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "filecheck"


def test_filecheck():
    lit = Path(sys.executable).with_name("lit")
    command = [sys.executable, str(lit), "-v", "--no-progress-bar", str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
