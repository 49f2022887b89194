"""Plants every deliberate bug in a copy of the sources and runs the test that must notice.

PYTHONPATH=.:tests python -m mutation.run [--only NAME] [--jobs N] [--write FILE.md]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from mutation.catalogue import CatalogueError, Mutation, load

from hwc.errors import UserError
from hwc.files import write_text

ROOT = Path(__file__).resolve().parents[2]
BUILDS = "build"
"""Where the builds of a copy go; no snapshot holds it."""
SECONDS = 1200
"""A test that takes longer hangs."""

HEAD = """# Deliberate bugs

Each of these bugs was planted alone in a copy of the hardware's sources, and the test named beside
it was run: *caught* means that it failed. `make mutants` does this, and writes this file.
"""

CAUGHT, PASSED, BROKEN = "caught", "not caught", "broken"

# What Verilator, make and rtl_models.build say when they give up; a running simulation says
# none of it.
_NOT_BUILT = re.compile(
    r"^%Error: (?:Exiting due to|Cannot continue)|cannot be built|^make(?:\[\d+\])?: \*\*\*", re.M
)
_FAILED = re.compile(r"^(?:=+ )?(\d+ failed.*) in [\d.]+s", re.M)
_TAIL = 2000

_running: set[subprocess.Popen[str]] = set()


class RunError(Exception):
    """The run cannot begin or go on; the text says why in one line."""


def outcome(returncode: int, output: str, *, built: bool) -> str:
    """Tell what a run of pytest says about a bug.

    Args:
        returncode: pytest's: 0 is "all pass", 1 "some fail", everything else is no result.
        output: what pytest printed.
        built: whether there is a simulation now that could be run.

    Returns:
        CAUGHT, PASSED, or BROKEN where the test has not judged the bug: hardware that cannot be
        built, a test that does not exist, an error around the test.
    """
    if returncode == 0:
        return PASSED if built else BROKEN
    verdicts = _FAILED.findall(output)
    if returncode != 1 or not verdicts or "error" in verdicts[-1]:
        return BROKEN
    return CAUGHT if built and not _NOT_BUILT.search(output) else BROKEN


def has_build(root: Path) -> bool:
    """Tell whether a simulation was built, all the way to the executable, in the copy at `root`."""
    files = (path for path in (root / BUILDS).rglob("*") if path.is_file())
    return any(os.access(path, os.X_OK) for path in files)


def run_test(root: Path, test: str) -> tuple[str, str]:
    """Run a test of the copy at `root`; returns its outcome and what it printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    builds = {"HWC_CACHE": str(root / BUILDS), "PYTHONPATH": f"{root}:{root / 'tests'}"}
    # A session of its own, so that a simulation that hangs is stopped with its test.
    with subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, **builds},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        _running.add(process)
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return BROKEN, f"more than {SECONDS} s"
        finally:
            stop(process)
            _running.discard(process)
    return outcome(process.returncode, output, built=has_build(root)), output


def stop(process: subprocess.Popen[str]) -> None:
    """End a test and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def snapshot(root: Path) -> None:
    """Copy the sources as they are now: what git tracks or would, so that no build comes along.

    Raises:
        RunError: git cannot tell.
    """
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise RunError(
            f"error: git cannot list the sources: {error}; run this in a clone"
        ) from None
    for name in filter(None, listed.split("\0")):
        with suppress(FileNotFoundError):  # tracked, but deleted
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)


def try_plain(work: Path, mutations: list[Mutation]) -> None:
    """Run the tests without any bug.

    Raises:
        RunError: a bug does not fit the sources, or a test fails without one.
    """
    wrong: list[str] = []
    for mutation in mutations:
        try:
            mutation.changed(work / "sources" / "rtl_models" / mutation.file)
        except CatalogueError as error:
            wrong.append(str(error))
    if wrong:
        raise RunError("\n".join(wrong))
    root = work / "plain"
    shutil.copytree(work / "sources", root)
    for test in dict.fromkeys(mutation.test for mutation in mutations):
        result, output = run_test(root, test)
        if result != PASSED:
            raise RunError(f"{output[-_TAIL:]}\nerror: {test} does not pass without a mutation")
    shutil.rmtree(root)


def try_mutation(work: Path, mutation: Mutation) -> tuple[str, str]:
    """Plant a bug in a copy of its own and run its test."""
    root = work / mutation.name
    shutil.copytree(work / "sources", root)
    mutation.plant(root)
    result = run_test(root, mutation.test)
    shutil.rmtree(root)
    return result


def try_all(mutations: list[Mutation], jobs: int) -> list[tuple[Mutation, str]]:
    """Try mutations, `jobs` at a time, on the sources as they are now.

    Raises:
        RunError: a bug does not fit the sources, or a test fails without one.
    """
    rows: list[tuple[Mutation, str]] = []
    with tempfile.TemporaryDirectory(prefix="hwc-mutants-") as directory:
        work = Path(directory)
        snapshot(work / "sources")
        try_plain(work, mutations)
        with ThreadPoolExecutor(jobs) as pool:
            try:
                tried = pool.map(lambda m: try_mutation(work, m), mutations)
                for mutation, (result, output) in zip(mutations, tried, strict=True):
                    rows.append((mutation, result))
                    if result == BROKEN:
                        print(f"{mutation.name}: broken:\n{output[-_TAIL:]}", file=sys.stderr)
                    if sys.stderr.isatty():
                        print(f"{len(rows)} of {len(mutations)}: {mutation.name}", file=sys.stderr)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in tuple(_running):
                    stop(process)
                raise
    return rows


def table(rows: list[tuple[Mutation, str]]) -> str:
    """Write the list as Markdown."""
    lines = ["| mutation | stands for | place | test | outcome |", "|---|---|---|---|---|"]
    for m, result in rows:
        lines.append(f"| {m.name} | {m.stands_for} | `{m.file}` | `{m.test}` | {result} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run them; 1 unless all are caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="this mutation alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at a time (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the list there as well")
    args = parser.parse_args(arguments)
    if args.only and args.write:
        parser.error("--write is for the whole list, without --only")
    try:
        mutations = [m for m in load() if args.only in (None, m.name)]
        if not mutations:
            raise RunError(f"error: there is no mutation {args.only}")
        rows = try_all(mutations, args.jobs)
        print(table(rows), end="")
        if args.write:
            write_text(args.write, f"{HEAD}\n{table(rows)}")
    except (CatalogueError, RunError, UserError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0 if all(result == CAUGHT for _, result in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
