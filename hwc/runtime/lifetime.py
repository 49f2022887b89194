"""The lifetime of a program: calls are possible until it is closed; closing waits for them."""

from __future__ import annotations

import threading

from hwc.errors import DispatchError


class Lifetime:
    """Counts the calls under way; a call is what happens in a `with` statement.

    `name` is what messages call the program.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls = 0
        self._ended = False
        self._changed = threading.Condition()

    @property
    def ended(self) -> bool:
        """Whether new calls are refused."""
        return self._ended

    def check(self) -> None:
        """Check that calls are possible.

        Raises:
            DispatchError: the program is closed.
        """
        if self._ended:
            raise DispatchError(
                f"the program of {self._name} is closed: load or compile it again to call it"
            )

    def __enter__(self) -> None:
        with self._changed:
            self.check()
            self._calls += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._calls -= 1
            if self._ended:
                self._changed.notify_all()

    def end(self) -> None:
        """Refuse new calls, and wait for the calls under way."""
        with self._changed:
            self._ended = True
            self._changed.wait_for(lambda: not self._calls)
