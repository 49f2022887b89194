"""What IREE makes of a program, and how long one call of it takes on this computer.

The time is the processor time of one call as `iree-benchmark-module` measures it, without Python
and on one thread: the least of several repetitions.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from e2e.support.iree import compiled

REPETITIONS = 5
SECONDS = 0.1


class IreeProgram(NamedTuple):
    """Microseconds of a call, places of the program that dispatch, and bytes of the module."""

    microseconds: float
    dispatches: int
    code_bytes: int


def measure(text: str, inputs: Sequence[str]) -> IreeProgram:
    """Compile a TOSA text for this computer and time it; `inputs` are written `4x5xf32=1`."""
    with tempfile.TemporaryDirectory() as folder:
        statistics = Path(folder) / "statistics.json"
        binary = compiled(
            text,
            "tosa",
            "--iree-scheduling-dump-statistics-format=json",
            f"--iree-scheduling-dump-statistics-file={statistics}",
            cpu="host",
        )
        module = Path(folder) / "module.vmfb"
        module.write_bytes(binary)
        found = json.loads(statistics.read_text())["stream-aggregate"]["execution"]
        return IreeProgram(_time(module, inputs), found["dispatch-count"], len(binary))


def _time(module: Path, inputs: Sequence[str]) -> float:
    command = [
        str(Path(sys.executable).parent / "iree-benchmark-module"),
        f"--module={module}",
        "--device=local-sync",
        "--function=main",
        "--benchmark_format=json",
        f"--benchmark_min_time={SECONDS}s",
        f"--benchmark_repetitions={REPETITIONS}",
        *(f"--input={value}" for value in inputs),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    runs = [r for r in json.loads(done.stdout)["benchmarks"] if r["run_type"] == "iteration"]
    scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3}
    return min(run["cpu_time"] * scale[run["time_unit"]] for run in runs)
