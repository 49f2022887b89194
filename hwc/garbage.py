"""Fewer runs of Python's garbage collector while a program is compiled.

The IR is millions of objects that refer to each other. They live until a pass replaces them, and by
default Python looks at all young ones after every 700 new ones: a quarter of the time to compile.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (50_000, 10, 2)
"""Objects between two collections of the youngest generation, and how many of these make the next
one. What no pass needs any more is then at most some ten megabytes, or a quarter of what is used.
"""

_lock = threading.Lock()
_users = 0
_before = gc.get_threshold()


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Collect garbage seldom; the first of several users at a time begins, the last one ends it."""
    global _users, _before  # noqa: PLW0603 - the collector is one for the process
    with _lock:
        if not _users:
            _before = gc.get_threshold()
            if _before[0]:  # someone who has switched the collector off keeps it so
                gc.set_threshold(*THRESHOLDS)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                gc.set_threshold(*_before)
