"""`make demo` prints the promised results."""

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent / "demo.py"


def test_the_demo():
    command = [sys.executable, "-W", "error", str(DEMO)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    table = lines[lines.index("") + 1 :]
    rows = table[1 : table.index("")]
    assert len(rows) >= 5
    assert len({len(row) for row in rows}) == 1
    assert all(row.endswith(" yes") for row in rows)
    assert "refused before anything ran: chain.mlir:5:8: error: 'tosa.add' in dim" in lines[-1]
