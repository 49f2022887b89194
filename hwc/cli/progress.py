"""Shows progress on standard error: a bar on a terminal, or a line in a log from time to time.

`isa.progress` describes how tasks report their progress.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

from isa.progress import Task, ignore, observe

LINES = 30.0
"""Seconds between two log lines, and before the first line."""
CLEAR = "\r\033[K"
"""Moves the cursor to the beginning of the terminal's line and clears the line."""
_BAR = "{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}{postfix}]"
_COUNT = "{desc}{n_fmt}{unit} [{elapsed}{postfix}]"
_SCALED = 10_000
"""From this number on, units are counted in thousands, millions and so on."""


class Display:
    """Shows the running tasks; an observer of `isa.progress`.

    On a terminal, the tasks are one line. `clear` removes the line before something else is
    printed; the line comes back with the next progress.
    """

    def __init__(self, stream: TextIO) -> None:
        """Show the tasks on this stream."""
        self._stream = stream
        self._terminal = stream.isatty()
        self._shown = False
        self._wrote = 0.0

    def __call__(self, tasks: Sequence[Task]) -> None:
        """Show tasks; remove the line if there is nothing to show.

        A task with a single unit is not shown; a task within it may be.
        """
        tasks = [task for task in tasks if task.of != 1]
        if not tasks:
            self.clear()
        elif self._terminal:
            columns = shutil.get_terminal_size().columns
            self._write(CLEAR + bar(tasks, monotonic(), columns - 1, self._stream.encoding))
            self._shown = True
        else:
            now = monotonic()
            if now - max(self._wrote, tasks[0].began) >= LINES:
                self._wrote = now
                self._write(line(tasks, now) + "\n")

    def clear(self) -> None:
        """Remove the line from the terminal."""
        if self._shown:
            self._shown = False
            self._write(CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def shown() -> Iterator[Display]:
    """Show progress on standard error, for a command of the checkout.

    The commands of `hwc` do so anyway (`hwc/cli/verbosity.py`).
    """
    display = Display(sys.stderr)
    observe(display)
    try:
        yield display
    finally:
        display.clear()
        ignore(display)


def bar(tasks: Sequence[Task], now: float, columns: int, encoding: str | None = "utf-8") -> str:
    """Format tasks as a progress bar: share done, elapsed time and time left."""
    from tqdm import tqdm  # noqa: PLC0415 - most commands are done before they need a bar

    main, detail = tasks[0], _detail(tasks)
    return tqdm.format_meter(
        main.done,
        main.of,  # pyright: ignore[reportArgumentType] - None is what it takes for unknown
        now - main.began,
        ncols=columns,
        prefix=f"{main.name}: ",
        ascii=(encoding or "").lower() not in {"utf-8", "utf8"},
        unit=f" {main.unit}",
        unit_scale=max(main.done, main.of or 0) >= _SCALED,
        bar_format=_COUNT if main.of is None else _BAR,
        postfix=detail or None,
    )


def line(tasks: Sequence[Task], now: float) -> str:
    """Format tasks as a log line."""
    from tqdm import tqdm  # noqa: PLC0415 - as above

    main, detail = tasks[0], _detail(tasks)
    seconds = now - main.began
    of = "" if main.of is None else f" of {main.of:,}"
    text = f"{main.name}: {main.done:,}{of} {main.unit} in {tqdm.format_interval(seconds)}"
    if main.of is not None and main.done:
        left = seconds * max(main.of - main.done, 0) / main.done
        text += f", about {tqdm.format_interval(left)} left"
    return f"{text} ({detail})" if detail else text


def _detail(tasks: Sequence[Task]) -> str:
    """Return the description of the innermost task."""
    inner = tasks[-1]
    if inner is tasks[0]:
        return ""
    if inner.of:
        return f"{inner.name} {100 * inner.done // inner.of} %"
    return f"{inner.name} {inner.done:,} {inner.unit}"
