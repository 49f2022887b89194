"""Plants every deliberate bug in a copy of the sources and runs the test that must notice.

PYTHONPATH=.:tests python -m mutation.run [--only NAME] [--jobs N] [--write FILE.md]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutation.catalogue import CatalogueError, Mutation, load

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("configs", "hwc", "isa", "rtl_models", "sim", "tests", "pyproject.toml")
SECONDS = 1200
"""A test that takes longer hangs."""

NOT_BUILT = re.compile(
    r"cannot be built|Verilator: error|Process '?\S*(?:perl|make|verilator)\S*'? terminated"
    r"|^make(?:\[\d+\])?: \*\*\*|%Error(?:-\w+)?: (?!.*Assertion)\S+\.sv:\d+:\d+:",
    re.M,
)
CAUGHT, PASSED, BROKEN = "caught", "not caught", "broken"


def outcome(returncode: int, output: str) -> str:
    """Tell what a run of pytest says about a bug: noticed, not noticed, or never tried."""
    if returncode == 0:
        return PASSED
    failed = re.search(r"^(?:FAILED|\d+ failed)", output, re.M)
    errors = re.search(r"^(?:ERROR |\d+ errors?)", output, re.M)
    if returncode != 1 or not failed or errors or NOT_BUILT.search(output):
        return BROKEN
    return CAUGHT


def run_test(root: Path, cache: Path, test: str) -> tuple[str, str]:
    """Run a test of the copy at `root`; returns its outcome and what it printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-x", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "HWC_CACHE": str(cache), "PYTHONPATH": f"{root}:{root / 'tests'}"}
    try:
        run = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return BROKEN, f"more than {SECONDS} s"
    return outcome(run.returncode, run.stdout + run.stderr), run.stdout + run.stderr


def copy(root: Path) -> None:
    """Copy what the tests need of the checkout."""
    root.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, root / name)


def try_mutation(work: Path, mutation: Mutation) -> tuple[str, str]:
    """Plant a bug in a copy of its own and run its test."""
    root = work / mutation.name
    copy(root)
    mutation.plant(root)
    result = run_test(root, work / f"{mutation.name}.cache", mutation.test)
    shutil.rmtree(root)
    shutil.rmtree(work / f"{mutation.name}.cache", ignore_errors=True)
    return result


def table(rows: list[tuple[Mutation, str]]) -> str:
    """Write the list as Markdown."""
    lines = ["| mutation | stands for | place | test | outcome |", "|---|---|---|---|---|"]
    for m, result in rows:
        lines.append(f"| {m.name} | {m.stands_for} | `{m.file}` | `{m.test}` | {result} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run them; 1 unless all are caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="this mutation alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at a time (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the list there as well")
    args = parser.parse_args()
    try:
        mutations = [m for m in load() if args.only in (None, m.name)]
    except CatalogueError as error:
        print(error, file=sys.stderr)
        return 1
    if not mutations:
        print(f"error: there is no mutation {args.only}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="hwc-mutants-") as directory:
        work = Path(directory)
        copy(work / "plain")
        for test in dict.fromkeys(m.test for m in mutations):
            result, output = run_test(work / "plain", work / "plain.cache", test)
            if result != PASSED:
                print(f"{output}\nerror: {test} fails without a mutation", file=sys.stderr)
                return 1
        rows: list[tuple[Mutation, str]] = []
        with ThreadPoolExecutor(args.jobs) as pool:
            tried = pool.map(lambda m: try_mutation(work, m), mutations)
            for mutation, (result, output) in zip(mutations, tried, strict=True):
                rows.append((mutation, result))
                if result == BROKEN:
                    print(f"{mutation.name}: {output[-2000:]}", file=sys.stderr)
                if sys.stderr.isatty():
                    print(f"{len(rows)} of {len(mutations)}: {mutation.name}", file=sys.stderr)
    print(table(rows), end="")
    if args.write:
        args.write.write_text(f"# Deliberate bugs\n\n{table(rows)}", encoding="utf-8")
    return 0 if all(result == CAUGHT for _, result in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
