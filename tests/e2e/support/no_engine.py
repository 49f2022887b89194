"""Programs whose parts on the host are not compiled, and must not be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn
from unittest.mock import patch


class ReachedError(Exception):
    """A part on the host reads its operands: the rules of its operators have accepted them."""


@contextmanager
def without_engine() -> Iterator[None]:
    """Compile nothing for IREE; a part that runs raises a ReachedError."""
    with (
        patch("hwc.tosa.compile.parts_module", lambda _: b""),
        patch.dict("hwc.runtime.engines._ENGINES", iree=_Engine),
    ):
        yield


class _Engine:
    """In place of a part that is ready to run."""

    def __init__(self, *_: object) -> None:
        pass

    def run(self, inputs: object) -> NoReturn:
        """Say that the part is reached."""
        raise ReachedError
