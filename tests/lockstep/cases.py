"""A program of the compiler's tests with shapes, in lockstep; legal, or made illegal on the way.

What the host checks before a call never reaches the machine. A refused case therefore changes a
packet or a length after the host's checks: the machine is the last line of defence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest
from lockstep import counts
from lockstep.programs import Text
from lockstep.support import command

from hwc.cli.random_shapes import random_shapes
from hwc.cli.values import random_array
from hwc.errors import MachineError, UserError
from hwc.package import BufferRef, Dispatch, Package
from hwc.runtime.program import Program
from isa.dispatch import Job, Outcome
from isa.target import Target
from sim.memory import Memory

Shapes: TypeAlias = list[tuple[int, ...]]

KINDS = ("random", "ones", "mixed", "zero")
"""Kinds of shapes: around lanes and strips; all dynamic sizes 1; small, many 1; some sizes 0."""

WRONG = ("grown", "huge", "shifted", "away", "onto", "version", "parameters", "words")
"""What is changed so that the machine refuses: a size by one, or to 2^31; an address by one byte,
to the window's end, to another buffer's; the packet's version; the lengths of packet, program."""


def draw(package: Package, target: Target, kind: str, rng: np.random.Generator, points: int):
    """Shapes of a kind; None if the package accepts none."""
    sizes = {"ones": (1,), "mixed": (1, 2, 3, target.lanes + 1), "zero": (0,)}.get(kind, ())
    try:
        return random_shapes(package, target, rng, points, sizes)
    except UserError:
        return None


class Refused:
    """A pair of simulator and hardware that gets one dispatch of a package with a wrong word."""

    def __init__(self, pair: Any, plan: Sequence[Dispatch], wrong: str, dispatch: int) -> None:
        self.pair, self.wrong, self.at = pair, wrong, dispatch
        self.plan, self.seen = plan, 0

    def allocate(self, nbytes: int) -> Memory:
        return self.pair.allocate(nbytes)

    def run(self, memory: Memory, job: Job) -> Outcome:
        if self.seen == self.at:
            job = self._changed(memory, job)
        self.seen += 1
        return self.pair.run(memory, job)

    def _changed(self, memory: Memory, job: Job) -> Job:
        packet = memory.view(job.packet_address, 8 * job.packet_words).view("<u8")
        parameters = self.plan[self.at].parameters
        buffers = [1 + i for i, p in enumerate(parameters) if isinstance(p, BufferRef)]
        sizes = [1 + i for i, p in enumerate(parameters) if not isinstance(p, BufferRef)]
        wrong = self.wrong
        if wrong in ("grown", "huge") and not sizes:
            wrong = "shifted" if wrong == "grown" else "away"
        if wrong in ("shifted", "away", "onto") and not buffers:
            wrong = "version"
        words = job.program_words - (wrong == "words")
        packet_words = job.packet_words - (wrong == "parameters")
        if wrong == "version":
            packet[0] += 1
        elif wrong == "grown":
            packet[sizes[-1]] += 1
        elif wrong == "huge":
            packet[sizes[0]] = 1 << 31
        elif wrong == "shifted":
            packet[buffers[0]] += 1
        elif wrong == "away":
            packet[buffers[-1]] = job.window[1]
        elif wrong == "onto":
            packet[buffers[-1]] = packet[buffers[0]] + 4
        return Job(job.program_address, words, job.packet_address, packet_words, job.window)


def play(pair: Any, package: Package, shapes: Shapes, seed: int, wrong: str = "") -> list[str]:
    """Run it with random values; returns the differences.

    MachineError if the machine refuses it although nothing was changed.
    """
    rng = np.random.default_rng([seed, len(shapes)])
    arrays = [random_array(s, t.type, rng) for s, t in zip(shapes, package.inputs, strict=True)]
    device = pair
    if wrong:
        program = Program(package, pair)
        plan = package.link(program.plan(program.symbols(shapes, arrays)))
        device = Refused(pair, plan, wrong, seed % max(1, len(plan)))
    pair.differences.clear()
    try:
        Program(package, device)(*arrays)
    except MachineError:
        if not wrong and not pair.differences:
            raise
    return list(pair.differences)


def check(
    pair: Any, text: Text, package: Package, shapes: Shapes, seed: int, wrong: str = ""
) -> None:
    """Run and count it; fails with the smallest shapes that differ and the command for them."""
    before = {what: getattr(pair, what) for what in ("dispatches", "faults", "cycles")}
    differences = play(pair, package, shapes, seed, wrong)
    done = {what: getattr(pair, what) - number for what, number in before.items()}
    counts.add(pair.target.name, cases=1, differences=len(differences), **done)
    if differences:
        shapes = smaller(pair, package, shapes, seed, wrong)
        differences = play(pair, package, shapes, seed, wrong) or differences
        options = [f"--shapes={as_text(shapes)}", f"--seed={seed}"]
        options += [f"--wrong={wrong}"] if wrong else []
        line = command("program", pair.target.name, text.name, *options)
        pytest.fail("\n".join([*differences, f"to reproduce: {line}"]), pytrace=False)


def smaller(pair: Any, package: Package, shapes: Shapes, seed: int, wrong: str) -> Shapes:
    """The smallest shapes that still differ, every size that occurs made smaller in turn."""
    progress = True
    while progress:
        progress = False
        for size in sorted({n for shape in shapes for n in shape}, reverse=True):
            for less in dict.fromkeys((1, 2, 3, size // 2, size - 1)):
                tried = [tuple(less if n == size else n for n in shape) for shape in shapes]
                if 0 < less < size and _differs(pair, package, tried, seed, wrong):
                    shapes, progress = tried, True
                    break
    return shapes


def _differs(pair: Any, package: Package, shapes: Shapes, seed: int, wrong: str) -> bool:
    try:
        return bool(play(pair, package, shapes, seed, wrong))
    except UserError:  # the host refuses these shapes
        return False


def as_text(shapes: Sequence[Sequence[int]]) -> str:
    """Shapes as an option: `4x1,1x5`, a scalar being `-`."""
    return ",".join("x".join(map(str, shape)) or "-" for shape in shapes)


def from_text(text: str) -> Shapes:
    """The shapes of an option."""
    parts = [part for part in text.split(",") if part]
    return [() if part == "-" else tuple(map(int, part.split("x"))) for part in parts]
