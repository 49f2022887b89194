"""Run the official tests of TOSA 1.0 with hwc, and write docs/reports/conformance.md.

    PYTHONPATH=.:tests python -m tosa_conformance [--write] [--filter 'exp|rescale']
        [--seeds 42 7 ...] [--targets accel tiny ...] [--profiles pro-int pro-fp ext-int16 ...]
        [--lockstep TESTS] [--version 1.0.2] [--workers N]

tosa-tools generates the tests into build/conformance, once for each version, seed and list of
profiles. Every test runs on the simulator of every target twice, as it is and with all sizes
dynamic. `--lockstep` runs some of the first seed's on the RTL beside the simulator as well.

    PYTHONPATH=.:tests python -m tosa_conformance --host [--positive TESTS] [--write]

plays the negative tests of the operators that only the host computes, and some positive tests of
all of these operators and types alike, and writes docs/reports/conformance-host.md. A run
that was interrupted goes on if the sources are the same. Exit code 1 if a result is wrong or
something crashes.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path

from kept import Kept, digest
from tosa_conformance.official import (
    CONTROL_FLOW,
    HOST_OPERATORS,
    HOST_PROFILES,
    OFFICIAL_SEED,
    OPERATORS,
    PROFILES,
    VERSION,
    ConformanceError,
    Suite,
    generate,
    missing,
    read,
    spread,
)
from tosa_conformance.play import STRICT, Way, play_all
from tosa_conformance.report import Run, failures, page, totals

from hwc.cli.progress import shown
from hwc.errors import UserError, counted
from hwc.files import write_text
from isa.progress import Task
from isa.target import load_target
from rtl_models.simulation.build import build

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "conformance"
SOURCES = ("hwc", "isa", "sim", "configs", "constraints.txt", "tests/tosa_conformance")
"""What the result of a test on the simulator depends on."""
HARDWARE = (*SOURCES, "rtl_models")
REPORTS = ROOT / "docs" / "reports"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    args = _options(arguments)
    try:
        with shown():
            return _run(args)
    except (ConformanceError, UserError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    every = HOST_OPERATORS if args.host else OPERATORS
    operators = [name for name in every if args.filter.fullmatch(name)]
    if not operators:
        raise ConformanceError(f"no operator is called {args.filter.pattern!r}")
    if missing():
        raise ConformanceError(missing())
    for target in args.targets:
        load_target(target)
    runs = [run for seed in args.seeds for run in _runs(args, operators, seed)]
    text = page(runs, _preface(args, operators))
    if args.write:
        version = "" if args.version == VERSION else f"-{args.version}"
        report = REPORTS / f"conformance{version}{'-host' if args.host else ''}.md"
        write_text(report, text)
        print(totals(runs), f"see {report}", sep="\n")
    else:
        print(text)
    failed = sum(failures(run.tests) for run in runs)
    if failed:
        print(f"error: {counted(failed, 'result')} wrong or missing", file=sys.stderr)
    return 1 if failed else 0


def _runs(args: argparse.Namespace, operators: Sequence[str], seed: int) -> Iterator[Run]:
    """Play the tests of a seed in every way."""
    folders = _tests(args, operators, seed)
    if STRICT[args.version] is None:  # the rules that its negative tests break are not checked
        folders = [folder for folder in folders if not read(folder).rule]
    for target in args.targets:
        yield _played(args, folders, seed, Way(target, strict=STRICT[args.version]))
    if args.lockstep and seed == args.seeds[0]:
        some = spread([read(folder) for folder in folders], args.lockstep)
        for target in args.targets:
            build(load_target(target))  # here, as a test has a limit of time
            way = Way(target, hardware=True, strict=STRICT[args.version])
            yield _played(args, [case.folder for case in some], seed, way)


def _played(args: argparse.Namespace, folders: Sequence[Path], seed: int, way: Way) -> Run:
    what = f"seed {seed}, {way.target}{', lockstep' if way.hardware else ''}"

    with Task(what, len(folders), "tests") as playing:
        tests = play_all(folders, way, args.workers, playing.reach, kept=_kept(way))
    return Run(seed, way, tests)


@cache
def _kept(way: Way) -> Kept:
    sources = (ROOT / name for name in (HARDWARE if way.hardware else SOURCES))
    return Kept(BUILD / "kept", digest(ROOT, sources))


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number from 1")
    return int(text)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tosa_conformance", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=[OFFICIAL_SEED], help="of the generator"
    )
    parser.add_argument("--version", choices=STRICT, default=VERSION, help="of the tests")
    parser.add_argument("--profiles", nargs="+", choices=HOST_PROFILES)
    parser.add_argument("--host", action="store_true", help="the operators that the host computes")
    parser.add_argument(
        "--positive",
        type=_positive,
        default=0,
        metavar="TESTS",
        help="how many positive tests of operators on the host run",
    )
    parser.add_argument(
        "--filter",
        type=_pattern,
        default=".*",
        help="operators only whose whole name matches",
    )
    parser.add_argument("--targets", nargs="+", default=["accel"])
    parser.add_argument(
        "--lockstep",
        type=_positive,
        default=0,
        metavar="TESTS",
        help="how many tests run on the RTL as well, of all operators and types alike",
    )
    parser.add_argument("--workers", type=_positive, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help=f"write a page into {REPORTS}")
    args = parser.parse_args(arguments)
    args.profiles = args.profiles or list(HOST_PROFILES if args.host else PROFILES)
    return args


def _tests(args: argparse.Namespace, operators: Sequence[str], seed: int) -> list[Path]:
    """Generate the tests that are not there yet, and return all their folders."""
    suite = Suite(args.version, seed, tuple(args.profiles))
    folder = suite.folder(BUILD)
    kinds = ["both"] if not args.host else ["negative", "positive"][: 1 + bool(args.positive)]
    wanted = [(operator, kind) for operator in operators for kind in kinds]
    wanted = [each for each in wanted if each not in _NOT_GENERATED]
    with ThreadPoolExecutor(args.workers) as pool:
        futures = [pool.submit(generate, suite, name, folder, kind) for name, kind in wanted]
        try:
            with Task(f"seed {seed}, generating", len(operators), "operators") as generating:
                for future in as_completed(futures):
                    future.result()
                    generating.advance()
        except ConformanceError:
            pool.shutdown(cancel_futures=True)
            raise
    folders = [path for future in futures for path in future.result()]
    if not args.positive:
        return folders
    cases = [read(path) for path in folders]
    some = spread(sorted(cases, key=lambda case: "EXT-DYNAMIC" in case.profile), args.positive)
    return [case.folder for case in (*filter(lambda case: case.rule, cases), *some)]


_NOT_GENERATED = {(operator, "positive") for operator in (*CONTROL_FLOW, "conv3d")}
"""Control flow is refused, and the generator takes very long for `conv3d`."""


def _preface(args: argparse.Namespace, operators: Sequence[str]) -> str:
    profiles = ", ".join(name.upper() for name in args.profiles)
    tools = importlib.metadata.version("tosa-tools")
    strict = STRICT[args.version]
    mode = f"strict mode {strict}" if strict else "no strict mode and positive tests only"
    if args.host:
        return _host_preface(args, operators, tools)
    paragraphs = (
        "`make conformance` writes this page: the official tests of TOSA for the element-wise "
        f"operators, as tosa-tools {tools} generates them, with hwc as the system under test. "
        "Every test runs twice. The static form is the test as it is. In the dynamic form all "
        "sizes are dynamic, and constants that are data are inputs, so that the machine computes "
        "every result. The reference model and the verifier of tosa-tools judge the results.",
        f"Version {args.version} of the tests, {profiles}, {mode}, {len(operators)} of "
        f"{len(OPERATORS)} operators. A program is refused when it is compiled or when its "
        "arguments are checked, before anything runs. "
        "[conformance-host.md](conformance-host.md) has the operators that only the host computes.",
    )
    return "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)


def _host_preface(args: argparse.Namespace, operators: Sequence[str], tools: str) -> str:
    positive = (
        f"Of the positive tests, {args.positive} run: one of each operator and type in the order "
        "of the names, then others; none of conv3d, whose generation takes very long. In the "
        "dynamic form the sizes of data are dynamic, and weights stay constants; IREE, which "
        "computes these operators, does not compile some of them with dynamic sizes, and some "
        "types at all. hwc then refuses the program and names the operator."
        if args.positive
        else "Positive tests run with `--positive TESTS`."
    )
    paragraphs = (
        f"`PYTHONPATH=.:tests python -m tosa_conformance --host --positive {args.positive} "
        "--write` writes this page: the official tests of TOSA, as tosa-tools "
        f"{tools} generates them, for the operators that only the host computes, reshapes, and "
        "control flow. [conformance.md](conformance.md) has the element-wise operators.",
        "A negative test counts as refused only if no part on the host is reached. `cond_if` and "
        "`while_loop` are refused because they are control flow, whatever their rule; these tests "
        "are the ones with another reason.",
        positive,
        f"Version {args.version} of the tests, {len(operators)} of {len(HOST_OPERATORS)} "
        f"operators, strict mode {STRICT[args.version]}.",
    )
    return "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)


if __name__ == "__main__":
    sys.exit(main())
