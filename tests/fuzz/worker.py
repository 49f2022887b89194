"""Playing cases within limits of time and memory, and finding new ones from interesting ones."""

from __future__ import annotations

import resource
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import last_frame, words

SECONDS = 5.0
"""Processor time of a case, at most."""

MEMORY = 1 << 30
"""Bytes of address space of a worker, at most."""

MOST_INTERESTING = 4000
"""Interesting cases that new ones are made from."""


REFUSED_KEPT = 0.15
"""Share of the interesting cases that are refused from which new ones are made."""


class TooSlow(BaseException):  # noqa: N818 - no `except Exception` may catch it
    """A case takes longer than it may."""


@dataclass(frozen=True)
class Failure:
    """A case that shows a defect; `where` counts equal ones as one."""

    kind: str
    case: bytes
    where: str
    message: str


def limit_memory() -> None:
    """Refuse this process more address space than a case may use."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def play(kind: Kind, case: bytes, pair: Any = None) -> str | Failure:
    """Play one case; return what became of it, in words, or how it failed.

    Time is the processor's, so that a busy machine fails no case.
    """

    def stop(*_: object) -> None:
        raise TooSlow(f"longer than {SECONDS:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return kind.play(case, pair)
    except Defect as error:
        return Failure(kind.name, case, words(str(error))[:80], str(error))
    except (Exception, TooSlow) as error:  # that is what is looked for
        where = "too slow" if isinstance(error, TooSlow) else last_frame(error)
        return Failure(kind.name, case, where, f"{type(error).__name__}: {error}"[:500])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass
class Session:
    """Cases of one kind, one after another, each made from the interesting ones before.

    A case is interesting if what became of it is new. `share` of the cases may run on the hardware.
    `before_case` is told every case before it is played.
    """

    kind: Kind
    seed: str
    pair: Callable[[], Any] | None = None
    share: float = 0.0
    before_case: Callable[[bytes], None] = lambda _: None
    cases: int = 0
    slowest: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)
    repeated: Counter[str] = field(default_factory=Counter)
    interesting: list[bytes] = field(default_factory=list)
    found: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.kind.name} {self.seed}")
        self.interesting = list(self.kind.seeds())

    def run(self, until: Callable[[Session], bool]) -> None:
        """Draw and play until `until` says to stop."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            while not until(self):
                self.one(self.kind.draw(self.rng, self.interesting))

    def one(self, case: bytes) -> None:
        """Play a case, and keep what is new about it."""
        on_both = self.pair is not None and self.rng.random() < self.share
        self.before_case(case)
        start = time.process_time()
        result = play(self.kind, case, self.pair() if on_both and self.pair else None)
        self.slowest = max(self.slowest, time.process_time() - start)
        self.cases += 1
        if isinstance(result, Failure):
            self.outcomes["failed"] += 1
            self.repeated[result.where] += 1
            known = self.failures.get(result.where)
            if known is None or len(case) < len(known.case):
                self.failures[result.where] = result
            return
        if result not in self.outcomes and len(self.interesting) < MOST_INTERESTING:
            self.found.append(case)
            # Most edits of what is refused already lead nowhere.
            if not result.startswith("refused") or self.rng.random() < REFUSED_KEPT:
                self.interesting.append(case)
        self.outcomes[result] += 1


def shrink(kind: Kind, failure: Failure, seconds: float = 20.0) -> Failure:
    """Return a smaller case that fails in the same way: pieces are left out while that is so."""
    end = time.monotonic() + seconds
    best = failure
    size = max(1, len(best.case) // 2)
    while size and time.monotonic() < end:
        at = 0
        while at < len(best.case) and time.monotonic() < end:
            shorter = best.case[:at] + best.case[at + size :]
            with suppress(MemoryError):
                result = play(kind, shorter)
                if isinstance(result, Failure) and result.where == failure.where:
                    best = result
                    continue
            at += size
        size //= 2
    return best
