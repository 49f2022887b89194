"""Progress of long work: working code reports it here, and observers are told.

Nothing here prints. The command line is an observer and shows a bar or lines
(`hwc/cli/progress.py`):

    for case in tracked("comparing", cases, "cases"):
        compare(case)

A task within a task is a detail of the outer task. Without an observer, a task costs next to
nothing, and work that ends within half a second is not reported.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from time import monotonic
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")

FIRST = 0.5
"""Seconds after which a task is first reported to observers."""
PERIOD = 0.25
"""Least number of seconds between two reports."""


class Task:
    """Long work, for the duration of a `with` statement: `done` of `of` units are done.

    `name` describes the work, as in "compiling"; `unit` is the plural noun for the units. `of` is
    None if the number of units is unknown. `began` is the time of `time.monotonic` at which the
    task began, and `told` says whether observers were told about the task.
    """

    __slots__ = ("_next", "began", "done", "name", "of", "told", "unit")

    def __init__(self, name: str, of: int | None, unit: str) -> None:
        self.name = name
        self.of = of
        self.unit = unit
        self.done = 0
        self.told = False
        self.began = 0.0
        self._next = 0.0

    def __enter__(self) -> Task:
        self.began = monotonic()
        self._next = self.began + FIRST
        _tasks.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _tasks.remove(self)
        if self.told:
            _tell()

    def advance(self, by: int = 1) -> None:
        """Note that more units are done."""
        self.reach(self.done + by)

    def reach(self, done: int) -> None:
        """Note how many units are done in all."""
        self.done = done
        if _observers and monotonic() >= self._next:
            _tell()
            self._next = monotonic() + PERIOD


def tracked(name: str, items: Collection[_T], unit: str) -> Iterator[_T]:
    """Yield items, as a task that counts the items that the caller has finished.

    A single item is not shown as a task, because there is nothing to count.
    """
    if len(items) == 1:
        yield from items
        return
    with Task(name, len(items), unit) as task:
        for item in items:
            yield item
            task.advance()


Observer: TypeAlias = Callable[[Sequence[Task]], None]
"""Called with the tasks under way, outer tasks first; an empty sequence means that all have ended.

Threads call it one at a time.
"""

_observers: list[Observer] = []
_tasks: list[Task] = []
_telling = threading.RLock()


def observe(observer: Observer) -> None:
    """Tell an observer about all tasks of this process from now on."""
    _observers.append(observer)


def ignore(observer: Observer) -> None:
    """Stop telling an observer about tasks."""
    _observers.remove(observer)


def is_observed() -> bool:
    """Whether there is an observer, so that values only for observers are worth computing."""
    return bool(_observers)


def _tell() -> None:
    with _telling:
        for each in _tasks:
            each.told = True
        for observer in tuple(_observers):
            observer(tuple(_tasks))
