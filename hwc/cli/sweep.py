"""`hwc sweep`: the cycles of a program for many shapes on many targets."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

from hwc.cli.options import add_entry, add_language, add_libraries, language, positive
from hwc.cli.table import aligned
from hwc.cli.texts import STANDARD, check_files, read
from hwc.errors import UserError
from hwc.frontend.source import Source
from hwc.sweeps.ranges import SYNTAX, read_sizes, read_values

MOST_TARGETS = 40
"""The maximum number of targets that the command prints; the page has all targets."""

_LOG = logging.getLogger("hwc.cli")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "sweep",
        help="time a program for many shapes on many targets",
        description="Time a program for every combination of sizes, on every target with every "
        "combination of the varied keys. The results are a table in Parquet with a row for each "
        "point, and a page of plots. A point that cannot run has the reason in its row. A sweep "
        "that was ended, or killed, goes on when the same command is given again.",
        epilog=f"Values are {SYNTAX}. The points are timed on this computer, or by the workers of "
        "a Dask scheduler.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="MLIR text or bytecode, or a TOSA flatbuffer; - for standard input",
    )
    parser.add_argument(
        "--shapes",
        default="",
        metavar="SIZES",
        help="values of the program's sizes, as in 'n=1..4096:*2, d=64,768'. A size is called by "
        "its name in hwc.symbols, or by an argument and a dimension, as in x.0; x.0=y.0=1..8 gives "
        "both the same values. `hwc info FILE` shows the sizes",
    )
    parser.add_argument(
        "--targets",
        action="append",
        metavar="TARGETS",
        help="names of targets or paths of target files, with commas (default: accel)",
    )
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=VALUES",
        help="give a key of every target these values, as in lanes=4,8,16; may be repeated",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="the folder of the sweep (default: FILE's name with .sweep)",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes on this computer (default: one for each processor)",
    )
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="use the workers of this Dask scheduler, such as tcp://host:8786",
    )
    add_entry(parser)
    add_libraries(parser)
    add_language(parser)
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.sweeps.extra import need_extra  # noqa: PLC0415 - `hwc --help` needs none of it

    need_extra()
    from hwc.sweeps.api import default_workers, prepare  # noqa: PLC0415 - as above
    from hwc.sweeps.folder import Folder  # noqa: PLC0415 - as above
    from hwc.sweeps.run import run  # noqa: PLC0415 - as above
    from hwc.sweeps.variants import listed_targets, variants  # noqa: PLC0415 - as above

    if args.file == STANDARD and args.output is None:
        raise UserError("-o: error: a program on standard input has no name for the folder")
    if args.output == STANDARD:
        raise UserError("-o -: error: a sweep is a folder of files; give the name of a folder")
    check_files({"FILE": args.file, "--library": args.library}, {})
    sizes = read_sizes(args.shapes, "shapes") if args.shapes.strip() else {}
    targets = [name for text in args.targets or ["accel"] for name in listed_targets(text)]
    found = variants(targets, _varied(args.vary))
    job = prepare(
        Source(*read(args.file)),
        sizes,
        found,
        entry=args.entry,
        language=language(args),
        libraries=[Source(*read(path)) for path in args.library],
    )
    path = Path(args.output or f"{Path(job.source.name).stem}.sweep")
    with Folder.open(path, job) as folder:
        left = sum(map(len, folder.left()))
        if left < job.points:
            _LOG.info(
                "%s: %s of %s points are finished already", path, job.points - left, job.points
            )
        try:
            run(folder, args.workers or default_workers(), args.scheduler)
        except KeyboardInterrupt:
            done = job.points - sum(map(len, folder.left()))
            _LOG.error(
                "%s: %s of %s points are finished; the same command goes on from there",
                *(path, done, job.points),
            )
            raise
        summaries = folder.show()
        rows = [list(summaries[0].HEAD), *(summary.row() for summary in summaries[:MOST_TARGETS])]
        for line in aligned(rows, right=(1, 2, 3, 4)):
            print(line)
        if len(summaries) > MOST_TARGETS:
            print(f"and {len(summaries) - MOST_TARGETS} more targets")
        print(f"\ntable  {folder.table}\npage   {folder.page}")
    return 0


def _varied(options: list[str]) -> dict[str, tuple[int, ...]]:
    """Return the values of each varied key."""
    from hwc.sweeps.variants import check_key  # noqa: PLC0415 - as above

    found: dict[str, tuple[int, ...]] = {}
    for option in options:
        key, equals, values = option.partition("=")
        if not equals or not key.strip():
            raise UserError(f"--vary {option}: error: expected KEY=VALUES, such as lanes=4,8")
        if key.strip() in found:
            raise UserError(f"--vary {option}: error: {key.strip()} is given twice")
        check_key(key.strip())
        found[key.strip()] = read_values(values, f"vary: {key.strip()}")
    return found
