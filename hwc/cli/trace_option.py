"""The options `--trace` and `--trace-strips`."""

from __future__ import annotations

import argparse
import logging
import os
import re
from pathlib import Path
from typing import Any

from hwc.cli.texts import STANDARD
from hwc.errors import UserError
from hwc.files import readable_name

_LOG = logging.getLogger("hwc.cli")


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help="write what every engine does, strip by strip, as a trace for ui.perfetto.dev; "
        "consecutive strips are merged if there are too many for a file of 20 MB",
    )
    parser.add_argument(
        "--trace-strips",
        metavar="FIRST:END",
        help="trace the strips FIRST to END - 1 of the run only, as in 1000:1200",
    )


def given_trace(args: argparse.Namespace) -> range | None:
    """Return the strips to trace, None for all; check that a trace can be written.

    Raises:
        UserError: the strips are not a range, no file is given for the trace, the library is
            missing, or the folder does not exist.
    """
    text = args.trace_strips
    if args.trace is None:
        if text is not None:
            raise UserError("--trace-strips: error: got no file for the trace; add --trace FILE")
        return None
    from hwc.runtime.trace.perfetto import need_perfetto  # noqa: PLC0415 - an optional extra

    need_perfetto()
    if args.trace == STANDARD:
        raise UserError("--trace -: error: expected the name of a file, such as t.pftrace")
    folder = Path(os.path.realpath(args.trace)).parent
    if not folder.is_dir():
        name = readable_name(args.trace)
        raise UserError(f"--trace {name}: error: there is no folder {folder}; create it first")
    if text is None:
        return None
    found = re.fullmatch(r"(\d+):(\d+)", text)
    if not found or int(found[1]) >= int(found[2]):
        raise UserError(
            f"--trace-strips {text}: error: expected FIRST:END with FIRST below END, such as "
            "1000:1200"
        )
    return range(int(found[1]), int(found[2]))


def save_trace(trace: Any, path: str) -> None:
    """Write a trace, and report if strips were merged.

    Raises:
        UserError: the file cannot be written.
    """
    trace.save(path)
    if trace.strips_merged > 1:
        _LOG.info(
            "%s: up to %d strips are merged in a slice; --trace-strips FIRST:END shows each",
            path,
            trace.strips_merged,
        )
