"""Run the official tests of TOSA 1.0 with hwc, and write docs/reports/conformance.md.

    PYTHONPATH=.:tests python -m tosa_conformance [--write] [--filter 'exp|rescale'] [--seed N]
        [--profiles pro-int pro-fp ext-int16 ...] [--target accel] [--workers N]

tosa-tools generates the tests into build/conformance, once for each seed and list of profiles.
Every test runs on the simulator twice, as it is and with all sizes dynamic. Exit code 1 if a
result is wrong or something crashes.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tosa_conformance.official import (
    OFFICIAL_SEED,
    OPERATORS,
    PROFILES,
    VERSION,
    ConformanceError,
    generate,
    missing,
    root,
)
from tosa_conformance.play import STRICT, play_all
from tosa_conformance.report import failures, page, totals

from hwc.errors import UserError, counted
from hwc.files import write_text
from isa.target import load_target

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "conformance"
REPORT = ROOT / "docs" / "reports" / "conformance.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    args = _options(arguments)
    try:
        return _run(args)
    except (ConformanceError, UserError) as error:
        progress("")
        print(f"error: {error}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    operators = [name for name in OPERATORS if args.filter.fullmatch(name)]
    if not operators:
        raise ConformanceError(f"no operator is called {args.filter.pattern!r}")
    if missing():
        raise ConformanceError(missing())
    load_target(args.target)
    folders = _tests(args, operators)
    played = play_all(
        folders,
        args.target,
        args.workers,
        lambda done: progress(f"{done} of {len(folders)} tests"),
    )
    progress("")
    text = page(played, _preface(args, operators))
    if args.write:
        write_text(REPORT, text)
        print(totals(played), f"see {REPORT}", sep="\n")
    else:
        print(text)
    failed = failures(played)
    if failed:
        print(f"error: {counted(failed, 'result')} wrong or missing", file=sys.stderr)
    return 1 if failed else 0


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def _workers(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number from 1")
    return int(text)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tosa_conformance", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--seed", type=int, default=OFFICIAL_SEED, help="of the generator")
    parser.add_argument("--profiles", nargs="+", choices=PROFILES, default=list(PROFILES))
    parser.add_argument(
        "--filter",
        type=_pattern,
        default=".*",
        help="operators only whose whole name matches",
    )
    parser.add_argument("--target", default="accel")
    parser.add_argument("--workers", type=_workers, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help=f"write {REPORT}")
    return parser.parse_args(arguments)


def _tests(args: argparse.Namespace, operators: Sequence[str]) -> list[Path]:
    """Generate the tests that are not there yet, and return all their folders."""
    folder = root(BUILD, args.seed, args.profiles)
    with ThreadPoolExecutor(args.workers) as pool:
        futures = [pool.submit(generate, folder, o, args.seed, args.profiles) for o in operators]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(f"generating: {done} of {len(operators)} operators")
        except ConformanceError:
            pool.shutdown(cancel_futures=True)
            raise
    return [path for future in futures for path in future.result()]


def _preface(args: argparse.Namespace, operators: Sequence[str]) -> str:
    profiles = ", ".join(name.upper() for name in args.profiles)
    tools = importlib.metadata.version("tosa-tools")
    paragraphs = (
        "`make conformance` writes this page: the official tests of TOSA for the element-wise "
        f"operators, as tosa-tools {tools} generates them, with hwc as the system under test. "
        "Every test runs on the simulator twice. The static form is the test as it is. In the "
        "dynamic form all sizes are dynamic, and constants that are data are inputs, so that the "
        "machine computes every result. The reference model and the verifier of tosa-tools judge "
        "the results.",
        f"Version {VERSION} of the tests, seed {args.seed}, {profiles}, strict mode {STRICT}, "
        f"target `{args.target}`, {len(operators)} of {len(OPERATORS)} operators. A program is "
        "refused when it is compiled or when its arguments are checked, before anything runs.",
    )
    return "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)


def progress(text: str) -> None:
    """Show the progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
