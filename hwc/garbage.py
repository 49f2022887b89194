"""No runs of Python's garbage collector while a program is compiled.

The IR is millions of objects that refer to each other. They live until a pass replaces them, and
passes take them apart then (`hwc.dialects.building.discard`), so that there is next to no garbage
to be found. Looking for it would take a quarter of the time to compile.
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
    """Switch the collector off; the first of several users at a time begins, the last one ends."""
    global _users, _was_enabled  # noqa: PLW0603 - the collector is one for the process
    with _lock:
        if not _users:
            _was_enabled = gc.isenabled()  # someone who has switched it off keeps it so
            gc.disable()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users and _was_enabled:
                gc.enable()
