"""Runs dispatches on simulator and hardware; shrinks a failing one and prints how to repeat it."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lockstep import counts
from lockstep.shrink import as_options, edited, shrink

from hwc.runtime.lockstep import Lockstep
from isa.dispatch import Outcome
from isa.target import Target, load_target
from rtl_models.simulation.session import Session
from rtl_models.tb.random_dispatches import Dispatch, Generator, Limits, place
from rtl_models.tb.tools import need_tools
from sim.memory import Memory

TARGETS = ("tiny", "accel", "wide")

SMALLER = ({"kernels": 1}, {"points": 300}, {"points": 30}, {"body": 3})
"""Limits to try on a failing dispatch, one after another, before its words."""

NO_SHRINK = "HWC_NO_SHRINK"
"""If set, a dispatch that fails is reported as drawn, for a caller that needs no small one."""

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "e2e" / "programs"

SMALL_RINGS = {"ring_bytes": 1024}
"""Sizes in which a target with small rings differs from tiny: four strips of 32-bit elements.

The rings of the named targets have room for as many strips of any type as may be on their way
(`fetched_strips`), so that no dense stream waits for room there.
"""

INPUTS = ("--input", "2x2xf32=1", "--input", "1x2xf32=2")
"""For the program `add`, on the command line."""


_pairs: dict[str, Lockstep] = {}


def machine(name: str) -> Lockstep:
    """Simulator and hardware of a target, one pair for each process."""
    if name not in _pairs:
        need_tools()
        _pairs[name] = Lockstep(load_target(name), seed=1)
    return _pairs[name]


def close_machines() -> None:
    """End every pair. Hardware that measures coverage writes its data then."""
    while _pairs:
        _pairs.popitem()[1].close()


@contextmanager
def fresh(target: str, seed: int, **changes: Any) -> Iterator[Lockstep]:
    """A pair of its own, whose hardware begins with the random values of a seed.

    `changes` are sizes in which the target differs from the one of that name.
    """
    need_tools()
    pair = Lockstep(dataclasses.replace(load_target(target), **changes), seed=seed)
    try:
        yield pair
    finally:
        pair.close()


def command(*arguments: str) -> str:
    """The line that replays a case, to be pasted into a shell."""
    paths = f"PYTHONPATH={shlex.quote(f'{ROOT}:{ROOT}/tests')}"
    return " ".join([paths, shlex.join([sys.executable, "-m", "lockstep.replay", *arguments])])


def drawn(target: Target, seed: int, limits: Limits) -> Dispatch:
    """The dispatch of a seed, with memory where the seed places it."""
    return Generator(target, seed, limits).draw().moved(place(target, seed))


def play(pair: Any, dispatch: Dispatch) -> tuple[Outcome, list[str]]:
    """Run a dispatch on both; returns the outcome and the differences."""
    memory = Memory(len(dispatch.memory), dispatch.base, cleared=False)
    dispatch.store(memory)
    pair.differences.clear()
    outcome = pair.run(memory, dispatch.job)
    return outcome, list(pair.differences)


def check(pair: Any, seed: int, limits: Limits) -> tuple[Outcome, Dispatch]:
    """Draw and run; fails with the difference and the line that reproduces the smallest case."""
    dispatch = drawn(pair.target, seed, limits)
    outcome, differences = play(pair, dispatch)
    counts.add(
        pair.target.name,
        cases=1,
        dispatches=1,
        faults=int(outcome.fault is not None),
        cycles=outcome.counters["cycles"],
        differences=len(differences),
    )
    if not differences:
        return outcome, dispatch
    if os.environ.get(NO_SHRINK):
        pytest.fail("\n".join(differences), pytrace=False)
    for change in SMALLER:
        tried = dataclasses.replace(limits, **change)
        if play(pair, drawn(pair.target, seed, tried))[1]:
            limits = tried
    dispatch = drawn(pair.target, seed, limits)
    edits = shrink(dispatch, lambda smaller: bool(play(pair, smaller)[1]))
    differences = play(pair, edited(dispatch, edits))[1]
    options = [f"--{k}={int(v)}" for k, v in dataclasses.asdict(limits).items()]
    line = command("random", pair.target.name, str(seed), *options, *as_options(edits))
    pytest.fail("\n".join([*differences, f"to reproduce: {line}"]), pytrace=False)


def watch_queue(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The launches that the queue has room for after each start from now on."""
    free: list[int] = []
    start = Session.start

    def watched(session: Session, *arguments: Any) -> None:
        start(session, *arguments)
        free.append(session.read("status") >> 16)

    monkeypatch.setattr(Session, "start", watched)
    return free


def is_waveform(path: Path) -> bool:
    """Whether it is a VCD with a header and at least ten times at which something changes."""
    header, _, changes = path.read_text().partition("$enddefinitions $end")
    return "$var " in header and len(re.findall(r"^#\d+$", changes, re.M)) > 10
