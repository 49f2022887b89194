"""Measures the coverage of the hardware by the lockstep suite and reports it.

Exit 1 if the suite fails, if less than 95 % of the lines run, if a file has too few toggles without
a reason, or if something is missing.
"""

# ruff: noqa: T201 -- a command of its own: it prints

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from hwc.files import write_text
from isa.errors import UserError
from rtl_models.coverage.bins import all_bins, count
from rtl_models.coverage.data import CoverageError, add_up, merge_bins, parse_points, write_sum
from rtl_models.coverage.lines import line_counts, shares, total
from rtl_models.coverage.report import (
    WANTED_PERCENT,
    Coverage,
    annotate,
    bin_key,
    summary,
)
from rtl_models.coverage.waivers import apply, load_waivers
from rtl_models.simulation.build import COVERAGE_VARIABLE, COVERAGE_WIDTH, SOURCES, need_tools

CHECKOUT = SOURCES.parent
WAIVERS = SOURCES / "lint" / "coverage_waivers.yaml"
SUITE = ["-n", "2", "-W", "error", "-m", "not long", "tests/lockstep"]

PREFACE = f"""\
Written by `make coverage`: the tests of `tests/lockstep` that `make test` runs, on the targets
tiny, accel and wide and on one with small rings, on hardware that Verilator has built with coverage
of lines and toggles, added up over all processes and targets. Instances and parameters of a module
are not told apart.

What counts is the hardware: the modules and packages of `rtl_models/`, without what is generated
from data (`hwc_isa_pkg`, `hwc_tables_pkg`, the target's package, the host's registers) and the
benches. A line counts as covered if everything on it ran, both sides of a `?:` too. The missing
side of an `if` without `else` counts among branches only. A toggle is one edge of one bit; signals
of more than {COVERAGE_WIDTH} bits are not counted. Functional bins are enumerated from the
instruction set (`rtl_models/coverage/bins.py`) and counted in the hardware, by modules bound to it
(`rtl_models/coverage/sv/*_coverage.sv`). Waivers with their reasons are in
`rtl_models/lint/coverage_waivers.yaml`; annotated sources are in `build/coverage/annotated`."""


def main(arguments: list[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m rtl_models.coverage", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CHECKOUT / "build" / "coverage")
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "docs" / "reports" / "coverage.md"
    )
    parser.add_argument(
        "--report-only", action="store_true", help="report what an earlier run left in the folder"
    )
    parser.add_argument("tests", nargs="*", help=f"what pytest is given instead of {SUITE[-1]}")
    args = parser.parse_args(arguments)
    try:
        _check_output(args.output)
        if not args.report_only:
            need_tools()
            _run(args.folder / "data", [*SUITE[:-1], *(args.tests or SUITE[-1:])])
        return _report(args.folder, args.output)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1


def _check_output(path: Path) -> None:
    """Check before a run of many minutes that the report can be written."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise CoverageError(
            f"{path}: error: cannot write: expected a file in a folder that can be written"
        )


def _run(data: Path, tests: list[str]) -> None:
    shutil.rmtree(data, ignore_errors=True)
    try:
        data.mkdir(parents=True)
    except OSError as error:
        raise CoverageError(f"{data}: error: cannot write: {error.strerror}") from error
    print("hardware that measures is built first: minutes for each target, once", flush=True)
    environment = {**os.environ, COVERAGE_VARIABLE: str(data)}
    command = [sys.executable, "-m", "pytest", *tests]
    if subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode:
        raise CoverageError("error: the suite fails, so there is nothing to report; see above")
    # Each of the many processes leaves tens of megabytes.
    for target in {path.name.partition("-")[0] for path in data.glob("*.dat")}:
        parts = sorted(data.glob(f"{target}-*.dat"))
        write_sum(add_up(parts), data / f"{target}.dat")
        for path in parts:
            path.unlink()


def _report(folder: Path, output: Path) -> int:
    files = sorted((folder / "data").glob("*.dat"))
    if not files:
        raise CoverageError(
            f"{folder / 'data'}: error: no coverage data; run `make coverage` without --report-only"
        )
    points = parse_points(add_up(files), SOURCES)
    bins = count(all_bins(), merge_bins(sorted((folder / "data").glob("*.bins"))))
    waived = apply(
        load_waivers(WAIVERS),
        line_counts(points),
        SOURCES,
        {bin_key(b): n for b, n in bins.items()},
        shares(points, "toggle"),
    )
    coverage = Coverage(points, bins, waived)
    annotate(coverage, SOURCES, folder / "annotated")
    write_text(output, summary(coverage, SOURCES, PREFACE))
    for text in waived.stale:
        print(f"warning: a waived line or bin has run, remove the waiver: {text}")
    missed = len(coverage.bin_holes())
    lines = total(coverage.lines())
    print(f"lines {lines}, functional bins not hit {missed} of {len(bins)}; see {output}")
    if lines.percent < WANTED_PERCENT:
        print(f"error: less than {WANTED_PERCENT:g} % of the lines ran", file=sys.stderr)
        return 1
    for file, share in coverage.few_toggles().items():
        print(f"error: {file}: {share} of its toggles: write tests, or a waiver", file=sys.stderr)
    return 1 if coverage.few_toggles() else 0


if __name__ == "__main__":
    sys.exit(main())
