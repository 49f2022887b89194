"""How long building the hardware takes, beside another revision.

    python tests/bench/build_time.py REVISION [--targets tiny accel wide] [--rounds 1]

Both revisions build into an empty cache, one after the other, with no compiler cache. One line for
each target: seconds of the processor and of the clock that the build takes in both, the median of
all rounds, and their ratios: how many times as fast this checkout is. The processor's seconds count
all tools. The clock's mean little while other work runs. REVISION runs from a worktree of its own,
with the Python of this process and what is installed there.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from revisions import CHECKOUT, environment, worktree


def main() -> None:
    """Measure all targets."""
    parser = argparse.ArgumentParser(description="Time builds of the hardware.")
    parser.add_argument("revision", help="the revision to compare this checkout with")
    parser.add_argument("--targets", nargs="+", default=("tiny", "accel", "wide"))
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    print(f"{args.rounds} rounds, {os.cpu_count()} processors; seconds of the median round")
    print(f"{'':8} |{'processor':^24} |{'clock':^24}")
    print(f"{'target':8} |" + f"{'before':>8}{'now':>8}{'ratio':>8} |" * 2)
    with (
        tempfile.TemporaryDirectory() as name,
        worktree(args.revision, Path(name) / "before") as before,
    ):
        for target in args.targets:
            found = [
                [build(checkout, target, Path(name)) for checkout in (before, CHECKOUT)]
                for _ in range(args.rounds)
            ]
            columns = ""
            for kind in range(2):
                old, new = (median(pair[i][kind] for pair in found) for i in range(2))
                columns += f" |{old:8.1f}{new:8.1f}{old / new:8.2f}"
            print(f"{target:8}{columns}", flush=True)


def build(checkout: Path, target: str, folder: Path) -> tuple[float, float]:
    """Build the hardware of a checkout; returns the seconds of the processor and of the clock."""
    command = [sys.executable, str(Path(__file__).resolve()), "--build", target]
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        variables = {**environment(checkout), "HWC_CACHE": cache, "CCACHE_DISABLE": "1"}
        variables.pop("OBJCACHE", None)
        result = subprocess.run(
            command, cwd=checkout, env=variables, stdout=subprocess.PIPE, check=True
        )
    processor, clock = json.loads(result.stdout)
    return processor, clock


def build_here(target: str) -> None:
    """Build with the revision on `PYTHONPATH`; prints the seconds of the processor and the clock.

    A session is what all revisions have, with a memory that suits them; it also starts the process.
    """
    from isa.target import load_target  # noqa: PLC0415 - the one of the revision
    from rtl_models.simulation.session import Session  # noqa: PLC0415 - the same

    start = perf_counter()
    session = Session(load_target(target))
    clock = perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    session.close()
    print(json.dumps([used.ru_utime + used.ru_stime, clock]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        build_here(sys.argv[2])
    else:
        main()
