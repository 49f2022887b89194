"""How many kernels each program of the tests becomes, in this checkout and in another revision.

    python tests/bench/kernel_counts.py REVISION [--targets accel tiny wide]

Compiles every program of the tests (`lockstep.programs` finds them in this checkout) for every
target with both revisions. Lists the pairs of a program and a target that have more or fewer
kernels than before, and counts the pairs. Of a step with several plans the first one counts, which
has the fewest kernels. Pairs that a revision refuses are left out, and those with which it crashes,
which are named. REVISION runs from a worktree of its own, with the Python of this process and what
is installed there.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from revisions import CHECKOUT, disassembly, environment, worktree

TARGETS = ("accel", "tiny", "wide")
_KERNEL = re.compile(r"^; kernel \d+:", re.MULTILINE)
_CHOICE = re.compile(r"^; runs one of\n((?:;   .*\n)*)", re.MULTILINE)
_NUMBER = re.compile(r"\d+")


def main() -> int:
    """Compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compare how many kernels programs become.")
    parser.add_argument("revision", help="the revision to compare this checkout with")
    parser.add_argument("--targets", nargs="+", default=TARGETS, help="names of targets")
    args = parser.parse_args()
    jobs = _jobs(args.targets)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.json"
        path.write_text(json.dumps(jobs))
        with worktree(args.revision, Path(folder) / "before") as before:
            running = [_start(checkout, path) for checkout in (before, CHECKOUT)]
            said = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        print("error: a revision did not get through the programs; its message is above")
        return 1
    return _report(jobs, *(json.loads(text) for text in said))


def _jobs(targets: Sequence[str]) -> list[tuple[str, str, str | None, str]]:
    """Every program with its entry and a target."""
    sys.path[:0] = [str(CHECKOUT), str(CHECKOUT / "tests")]
    from lockstep import programs  # noqa: PLC0415 - a revision must not import these

    return [(t.name, t.text, t.entry, target) for t in programs.texts() for target in targets]


def _start(checkout: Path, jobs: Path) -> subprocess.Popen[str]:
    """Start counting with one revision."""
    command = [sys.executable, str(Path(__file__).resolve()), "--count", str(jobs)]
    return subprocess.Popen(
        command, cwd=checkout, env=environment(checkout), stdout=subprocess.PIPE, text=True
    )


def count(jobs: Path) -> list[int | None]:
    """Return the kernels of every job with the revision on `PYTHONPATH`; None if it refuses."""
    import hwc  # noqa: PLC0415 - the one of the revision
    from isa.errors import UserError  # noqa: PLC0415 - as above

    found: list[int | None] = []
    for name, text, entry, target in json.loads(jobs.read_text()):
        try:
            program = hwc.compile(text + "\n", target, entry=entry)
        except UserError:
            found.append(None)
            continue
        except Exception as error:  # noqa: BLE001 - a bug of one revision hides no difference elsewhere
            print(f"{name} on {target} crashed in {Path.cwd()}: {error!r}", file=sys.stderr)
            found.append(None)
            continue
        found.append(kernels(disassembly(program)))
    return found


def kernels(text: str) -> int:
    """Count the kernels in the output of `hwc disasm`; a step with several plans has its first."""
    number = len(_KERNEL.findall(text))
    for choice in _CHOICE.findall(text):
        plans = [_NUMBER.findall(line.partition(": kernel")[2]) for line in choice.splitlines()]
        number += len(set(plans[0])) - len({kernel for plan in plans for kernel in plan})
    return number


def _report(
    jobs: Sequence[tuple[str, str, str | None, str]],
    old: Sequence[int | None],
    new: Sequence[int | None],
) -> int:
    pairs = more = fewer = 0
    for (name, _, _, target), before, now in zip(jobs, old, new, strict=True):
        if before is None or now is None:
            continue
        pairs += 1
        more += now > before
        fewer += now < before
        if now != before:
            print(f"{name} on {target}: {before} → {now}")
    print(f"{pairs} pairs of a program and a target: {more} with more kernels, {fewer} with fewer")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--count"]:
        print(json.dumps(count(Path(sys.argv[2]))))
        sys.exit(0)
    sys.exit(main())
