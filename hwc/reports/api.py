"""`hwc.report`: a page about one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hwc.reports.code import source_text
from hwc.reports.report import Report, ran_by
from hwc.reports.same_call import check_result, check_trace
from hwc.runtime.program import Program
from hwc.runtime.results import Result, Timing

if TYPE_CHECKING:
    from hwc.runtime.trace import Trace


def report(
    program: Program,
    result: Result | Timing,
    trace: Trace | None = None,
    *,
    source: str | os.PathLike[str] | None = None,
) -> Report:
    """Return a report of a call; its `save` writes the page.

    Args:
        program: the program that was called.
        result: the result of the call, or of `program.traced` or `program.time`.
        trace: the trace of the call, from `program.traced` or, without arrays, from
            `program.trace`; without a trace the page has no timeline.
        source: the file that the program was compiled from, whose lines the page shows beside the
            instructions. A program compiled in this process knows its text; a loaded program looks
            for the file that its package names.

    Raises:
        UserError: the result does not tell kernels apart, the result or the trace is of another
            call, or `source` cannot be read or has another text.
    """
    package = program.package
    check_result(package, program.target, result)
    if trace is not None:
        check_trace(package, result, trace)
    file = None if source is None else os.fspath(source)
    text = source_text(package, program.source if file is None else None, file)
    return Report(package, program.target, result, ran_by(package, result), text, trace)
