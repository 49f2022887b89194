"""How far long work is. Whoever works says it here; whoever wants to know observes it.

Nothing here prints. The command line observes, and shows a bar or lines (`hwc/cli/progress.py`):

    for case in tracked("comparing", cases, "cases"):
        compare(case)

A task within a task is a detail of it. Without an observer a task costs next to nothing, and work
that is done within half a second tells nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from time import monotonic
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")

FIRST = 0.5
"""Seconds after which a task is told to observers for the first time."""
PERIOD = 0.25
"""Seconds after which it is told again, at the earliest."""


class Task:
    """Long work, during the `with` statement that it is made for: `done` of `of` units are done.

    `name` says what is done, as in "compiling"; `unit` is the plural of what is counted. `of` is
    None if nobody knows how many there are. `began` is the time of `time.monotonic` at which the
    task began, and `told` says whether observers were told of it.
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
    """Yield items, as a task that counts those that the caller is done with."""
    with Task(name, len(items), unit) as task:
        for item in items:
            yield item
            task.advance()


Observer: TypeAlias = Callable[[Sequence[Task]], None]
"""Called with the tasks under way, a task before those within it; without any, all have ended.

Threads call it one at a time.
"""

_observers: list[Observer] = []
_tasks: list[Task] = []
_telling = threading.RLock()


def observe(observer: Observer) -> None:
    """Tell an observer of all tasks of this process from now on."""
    _observers.append(observer)


def ignore(observer: Observer) -> None:
    """Tell an observer of nothing more."""
    _observers.remove(observer)


def is_observed() -> bool:
    """Whether anybody observes: what only observers need is not worked out for nobody."""
    return bool(_observers)


def _tell() -> None:
    with _telling:
        for each in _tasks:
            each.told = True
        for observer in tuple(_observers):
            observer(tuple(_tasks))
