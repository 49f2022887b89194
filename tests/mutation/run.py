"""Plants every deliberate bug in a copy of the sources and runs the test that must notice.

PYTHONPATH=.:tests python -m mutation.run [--only NAME...] [--jobs N] [--kept FOLDER]
                                          [--write FILE.md]

With `--kept`, an interrupted run goes on where it was, as long as the sources are the same.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TypeAlias

from kept import Kept, digest
from mutation.catalogue import CatalogueError, Mutation, load
from mutation.noticed import noticed

from hwc.cli.progress import shown
from hwc.errors import UserError
from hwc.files import write_text
from isa.progress import Task

ROOT = Path(__file__).resolve().parents[2]
BUILDS = "build"
"""Where the builds of a copy go; no snapshot holds it."""
OBJECTS = "objects"
"""Beside the copies: what was compiled for them."""
COMPILE = Path(__file__).with_name("object_cache.py")
SECONDS = 1200
"""A test that takes longer hangs."""

HEAD = """# Deliberate bugs

`make mutants` plants each of these bugs alone in a copy of the hardware's sources, runs the test
named beside it, and writes this file. A bug is caught if the test fails.

The last column is what the test noticed first. If simulator and hardware ran the same dispatch, it
lists what differs; if an assertion in the hardware saw the bug earlier, it names the assertion.
"""

CAUGHT, PASSED, BROKEN = "caught", "not caught", "broken"

# What Verilator, make and rtl_models.simulation.build say when they give up; a running simulation
# says none of it.
_NOT_BUILT = re.compile(
    r"^%Error: (?:Exiting due to|Cannot continue)|cannot be built|^make(?:\[\d+\])?: \*\*\*", re.M
)
_FAILED = re.compile(r"^(?:=+ )?(\d+ failed.*) in [\d.]+s", re.M)
_TAIL = 2000

Row: TypeAlias = tuple[Mutation, str, str]
"""A bug, the outcome, and what was noticed."""

_running: set[subprocess.Popen[str]] = set()


class RunError(Exception):
    """The run cannot begin or go on; the text says why in one line."""


def outcome(returncode: int, output: str, *, built: bool) -> str:
    """Judge a bug by a run of pytest.

    Args:
        returncode: pytest's: 0 is "all pass", 1 "some fail", everything else is not a result.
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
    settings = {
        "HWC_CACHE": str(root / BUILDS),
        "HWC_NO_SHRINK": "1",  # the size of the case does not matter here
        "OBJCACHE": shlex.join([sys.executable, str(COMPILE), str(root.parent / OBJECTS)]),
        "PYTHONPATH": f"{root}:{root / 'tests'}",
    }
    # A session of its own, so that a simulation that hangs is stopped with its test.
    with subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, **settings},
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
        if (ROOT / name).is_file():  # not deleted, not a link to a folder, as `.venv` may be
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)


def fit(root: Path, mutations: list[Mutation]) -> None:
    """Look whether every bug fits the sources of the copy at `root`.

    Raises:
        RunError: one does not; the text has a line for each.
    """
    wrong: list[str] = []
    for mutation in mutations:
        try:
            mutation.changed(root / "rtl_models" / mutation.file)
        except CatalogueError as error:
            wrong.append(str(error))
    if wrong:
        raise RunError("\n".join(wrong))


class Copies:
    """Runs tests in fresh copies of the sources below `work`, `count` at a time.

    A copy has one of `count` paths, so that compilers see the same paths every time. What is found
    in `kept` is not run.
    """

    def __init__(self, work: Path, count: int, kept: Kept | None = None) -> None:
        self._sources = work / "sources"
        self._kept = kept
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(count):
            self._free.put(work / f"copy{number}")

    def run(self, test: str, mutation: Mutation | None = None) -> tuple[str, str]:
        """Run a test, with a bug or without; returns its outcome and what it printed."""
        key = repr((test, mutation))
        found = self._kept.find(key) if self._kept else None
        if found is None:
            found = self._run(test, mutation)
            # Only what trying again could not make better.
            if self._kept and found[0] == (CAUGHT if mutation else PASSED):
                self._kept.keep(key, found)
        return found[0], found[1]

    def _run(self, test: str, mutation: Mutation | None) -> tuple[str, str]:
        root = self._free.get()
        try:
            shutil.copytree(self._sources, root)
            if mutation:
                mutation.plant(root)
            return run_test(root, test)
        finally:
            shutil.rmtree(root)
            self._free.put(root)


def try_all(mutations: list[Mutation], jobs: int, kept: Path | None = None) -> list[Row]:
    """Try mutations, `jobs` at a time, on the sources as they are now.

    What was tried before on these sources is kept in the folder `kept`.

    Raises:
        RunError: a bug does not fit the sources, or a test fails without one.
    """
    with (
        tempfile.TemporaryDirectory(prefix="hwc-mutants-") as directory,
        ThreadPoolExecutor(jobs) as pool,
    ):
        work = Path(directory)
        snapshot(work / "sources")
        fit(work / "sources", mutations)
        copies = Copies(work, jobs, kept and Kept(kept, _state(work / "sources")))
        try:
            return [*_try_all(mutations, copies, pool)]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(_running):
                stop(process)
            raise


def _state(sources: Path) -> str:
    return digest(sources, (path for path in sources.iterdir() if path.name != "docs"))


def _try_all(mutations: list[Mutation], copies: Copies, pool: ThreadPoolExecutor) -> Iterator[Row]:
    tests = list(dict.fromkeys(mutation.test for mutation in mutations))
    with shown(), Task("without a mutation", len(tests), "tests") as trying:
        for test, (result, output) in zip(tests, pool.map(copies.run, tests), strict=True):
            if result != PASSED:
                raise RunError(f"{output[-_TAIL:]}\nerror: {test} does not pass without a mutation")
            trying.advance()
    tried = pool.map(lambda m: copies.run(m.test, m), mutations)
    with shown() as display, Task("trying", len(mutations), "mutations") as trying:
        for mutation, (result, output) in zip(mutations, tried, strict=True):
            if result == BROKEN:
                display.clear()
                print(f"{mutation.name}: broken:\n{output[-_TAIL:]}", file=sys.stderr)
            trying.advance()
            yield mutation, result, noticed(output) if result == CAUGHT else ""


def table(rows: list[Row]) -> str:
    """Write the list as Markdown, after a line that counts what was caught."""
    caught = sum(result == CAUGHT for _, result, _ in rows)
    heads = ("name", "bug", "file", "test", "noticed first")
    lines = [" | ".join(heads), " | ".join("---" for _ in heads)]
    for m, result, words in rows:
        seen = words if result == CAUGHT else f"**{result}**"
        lines.append(f"{m.name} | {m.bug} | `{m.file}` | `{m.test}` | {seen}")
    return f"{caught} of {len(rows)} bugs caught.\n\n" + "".join(f"| {line} |\n" for line in lines)


def main(arguments: list[str] | None = None) -> int:
    """Run them; 1 unless all are caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these mutations alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at a time (2)")
    parser.add_argument(
        "--kept", type=Path, metavar="FOLDER", help="for what was tried, and is not tried again"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the list there as well")
    args = parser.parse_args(arguments)
    if args.only and args.write:
        parser.error("--write is for the whole list, without --only")
    try:
        mutations = [m for m in load() if not args.only or m.name in args.only]
        missing = {*(args.only or ())} - {m.name for m in mutations}
        if missing:
            raise RunError(f"error: there is no mutation {', '.join(sorted(missing))}")
        rows = try_all(mutations, args.jobs, args.kept)
        print(table(rows), end="")
        if args.write:
            write_text(args.write, f"{HEAD}\n{table(rows)}")
    except (CatalogueError, RunError, UserError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0 if all(result == CAUGHT for _, result, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
