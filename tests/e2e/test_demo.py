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
    narrow = [line.split() for line in lines if line.startswith(("f16 ", "quantised "))]
    assert len(narrow) == 8
    assert all(row[-1] == "yes" for row in narrow)
    moved = {(name, sizes, others): int(count) for name, sizes, others, _, count, _ in narrow}
    assert moved["f16", "64x1", "1x256"] == 2 * (64 + 256 + 64 * 256)
    assert moved["quantised", "64x256", "64x256"] == 3 * 64 * 256
    assert "refused before anything ran: chain.mlir:5:8: error: 'tosa.add' in dim" in lines[-1]
