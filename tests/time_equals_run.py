"""`program.time` equals a run: every figure, or the same error.

The calls of the whole test suite can be compared: `HWC_TIME_EVERY=1 python -m pytest tests`
compares every call of every test that runs on the simulator. Without the variable, a sample of the
calls of `tests/e2e` is compared.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from hwc.errors import UserError
from hwc.runtime.arguments import to_arrays
from hwc.runtime.program import Program, Result
from hwc.runtime.results import Timing
from hwc.runtime.runner import Runner
from hwc.runtime.simulator import Simulator
from hwc.runtime.timing import CallTimer

EVERY = "HWC_TIME_EVERY"
SAMPLE = 16
SAMPLED = "tests/e2e/"

NEEDS_A_RUN = "so its cycles do too: run it with arrays"
NO_MEMORY = "more than the host has free"
"""Parts of the messages that only one of both has."""

SEEN: Counter[str] = Counter()
"""How many calls were compared, by how they ended."""


def timed(
    program: Program | CallTimer, shapes: Sequence[Sequence[int]], plan: str | None
) -> Timing | UserError:
    """Time a call; return its error if there is one."""
    try:
        if isinstance(program, CallTimer):
            return program.time(shapes, plan)
        return program.time(*shapes, plan=plan)
    except UserError as error:
        return error


def compare(ran: Result | UserError, time: Timing | UserError) -> None:
    """Compare a run with a timing of the same shapes."""
    if isinstance(time, UserError) and NEEDS_A_RUN in str(time):
        SEEN["need elements or the host"] += 1
    elif isinstance(ran, UserError):
        if NO_MEMORY not in str(ran):
            SEEN["refused"] += 1
            assert (type(time), str(time)) == (type(ran), str(ran))
    else:
        SEEN["equal"] += 1
        assert isinstance(time, Timing), time
        assert (time.cycles, time.plan) == (ran.cycles, ran.plan)
        assert dict(time.counters) == dict(ran.counters)
        assert time.kernels == ran.kernels


@contextmanager
def compared_calls(every: int, only: str = "") -> Iterator[None]:
    """Compare one call in `every` of those that run on the simulator.

    `only` is how the name of a test has to begin.
    """
    run: Any = Runner.run
    calls = 0

    def run_and_time(self: Runner, arguments: Sequence[object], plan: str | None, lap: Any) -> Any:
        nonlocal calls
        calls += 1
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        skipped = calls % every or not test.startswith(only)
        if skipped or type(self.device) is not Simulator:
            return run(self, arguments, plan, lap)
        shapes = [array.shape for array in to_arrays(self.package.inputs, arguments)]
        timer = CallTimer(self.prepared, self.device)
        try:
            result = run(self, arguments, plan, lap)
        except UserError as error:
            compare(error, timed(timer, shapes, plan))
            raise
        compare(result, timed(timer, shapes, plan))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runner, "run", run_and_time)
        yield


@pytest.fixture(scope="session", autouse=True)
def time_equals_run() -> Iterator[None]:
    """Compare calls of the suite, see above."""
    every = os.environ.get(EVERY)
    with compared_calls(int(every or SAMPLE), "" if every else SAMPLED):
        yield
