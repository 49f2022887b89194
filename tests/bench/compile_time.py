"""How long the compiler takes for each operator of large programs, and how much memory.

    python tests/bench/compile_time.py [--operators 50 2000 20000 100000] [--programs chain wide]
                                       [--target accel] [--revision REVISION] [--without-iree]

One line for each program and number of operators, each measured in a process of its own: the
process time from text to package after all imports, for one operator; the peak memory of the
process; and the kernels and dispatches. The last column is the time for one operator over the time
for one of the smallest program. With `--revision`, that revision compiles the same texts, and the
ratio of its time to the time of this checkout is shown. For 50 operators the same text goes through
IREE (`iree.compiler`, if it is installed; the process time of its compiler).

Exit code 1 if the time for an operator grows to more than `GROWTH` times, or if the memory exceeds
`MEGABYTES`.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

from revisions import CHECKOUT, environment, worktree

GROWTH = 1.5
MEGABYTES = 500
OPERATORS = (50, 2000, 20_000, 100_000)
IREE_OPERATORS = 50


def measure(path: str, target_name: str) -> dict[str, Any]:
    """Compile a text with the hwc on `PYTHONPATH` in this process."""
    from hwc import pipeline  # noqa: PLC0415 - the one of the revision
    from hwc.compiler import compile_package  # noqa: PLC0415
    from hwc.dialects import DIALECTS, make_context  # noqa: PLC0415
    from hwc.frontend.source import Source  # noqa: PLC0415
    from isa.target import load_target  # noqa: PLC0415

    import_module("hwc.frontend.parser")
    for name in pipeline.PASSES:
        pipeline.load_pass(name)
    context = make_context()
    for name in DIALECTS:
        context.get_optional_dialect(name)
    text, target = Path(path).read_text(), load_target(target_name)
    start = process_time()
    package = compile_package(Source("program.mlir", text), target).package
    return {
        "seconds": process_time() - start,
        "megabytes": own_peak(),
        "kernels": sum(len(d.kernels) for d in package.dispatches),
        "dispatches": len(package.dispatches),
    }


def own_peak() -> float:
    """Return the most memory of this process in MB; `ru_maxrss` begins with its parent's."""
    status = Path("/proc/self/status").read_text()
    return next(int(n) for n in re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)) / 1024


def measured(checkout: Path, text: Path, target: str) -> dict[str, Any]:
    """Compile a text with a checkout in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", str(text), target]
    # The process runs as a user's would: passes are not verified one by one.
    variables = {k: v for k, v in environment(checkout).items() if k != "HWC_VERIFY_EACH"}
    done = subprocess.run(command, cwd=checkout, env=variables, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def iree_seconds(text: str) -> float | None:
    """Process time of IREE's compiler for a text, None if it is not installed."""
    try:
        import iree.compiler  # noqa: PLC0415
    except ImportError:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    iree.compiler.compile_str(
        text,
        input_type="tosa",
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=generic"],
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure every program; returns the exit code."""
    sys.path[:0] = [str(CHECKOUT), str(CHECKOUT / "tests")]
    from bench.large_programs import PROGRAMS  # noqa: PLC0415 - a measured revision may have none

    parser = argparse.ArgumentParser(description="Time the compilation of large programs.")
    parser.add_argument("--operators", type=int, nargs="+", default=OPERATORS)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--target", default="accel")
    parser.add_argument("--revision", help="a revision to compare with")
    parser.add_argument("--without-iree", action="store_true")
    args = parser.parse_args()
    good = True
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        before = None
        if args.revision:
            before = stack.enter_context(worktree(args.revision, folder / "before"))
        print(
            f"{'program':8} {'operators':>9} {'kernels':>7} {'dispatches':>10} {'ms/operator':>11} "
            f"{'MB':>5} {'growth':>6} {'before/now':>10} {'IREE/hwc':>8}"
        )
        for name in args.programs:
            first = None
            for operators in args.operators:
                text = folder / "program.mlir"
                text.write_text(PROGRAMS[name](operators))
                found = measured(CHECKOUT, text, args.target)
                each = found["seconds"] / operators
                first = first or each
                good &= each <= GROWTH * first and found["megabytes"] <= MEGABYTES
                columns = [
                    f"{name:8} {operators:9} {found['kernels']:7} {found['dispatches']:10}",
                    f"{1000 * each:11.3f} {found['megabytes']:5.0f} {each / first:6.2f}",
                ]
                columns.append(_ratio(before and _seconds(before, text, args.target), found, 10))
                iree = None
                if operators == IREE_OPERATORS and name == "chain" and not args.without_iree:
                    iree = iree_seconds(text.read_text())
                columns.append(_ratio(iree, found, 8))
                print(" ".join(columns), flush=True)
    return 0 if good else 1


def _seconds(checkout: Path, text: Path, target: str) -> float:
    return measured(checkout, text, target)["seconds"]


def _ratio(seconds: float | None, found: dict[str, Any], width: int) -> str:
    return f"{'-':>{width}}" if seconds is None else f"{seconds / found['seconds']:{width}.1f}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:])))
        sys.exit(0)
    sys.exit(main())
