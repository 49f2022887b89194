"""Switches Python's garbage collector off during compilation.

The IR is millions of objects that refer to each other. They live until a pass replaces them, and
the pass then takes them apart (`hwc.dialects.building.discard`). So the collector would find next
to no garbage, and its runs would take a quarter of the compile time.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_users = 0
_was_enabled = False


@contextmanager
def no_collections() -> Iterator[None]:
    """Switch the collector off until the last of several concurrent users is done."""
    global _users, _was_enabled  # noqa: PLW0603 - the collector is one for the process
    with _lock:
        if not _users:
            _was_enabled = gc.isenabled()  # if the caller had switched it off, it stays off
            gc.disable()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users and _was_enabled:
                gc.enable()
