"""Calls of packages that load: small arguments, on the simulator, and some on the hardware too."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from fuzz.kinds import Defect
from fuzz.outcomes import refusal

from hwc.cli.values import random_array
from hwc.errors import MachineError, UserError
from hwc.package import Package
from hwc.runtime.devices import open_device
from hwc.runtime.program import Program
from isa.target import Target
from sim.memory import Memory

MOST_ELEMENTS = 1 << 14
"""Elements of an argument; more would be slow, and nothing else."""

MOST_BYTES = 1 << 24
"""Memory of a call; more would be slow, and results that large are what the call asks for."""

HARDWARE_BYTES = 1 << 20
"""Memory of a call that runs on the hardware as well, which is slower."""

SIZES = (1, 1, 2, 3, 4, 5, 8, 9, 17)
TRIES = 3


class TooLarge(Exception):  # noqa: N818 - the case is skipped
    """A call needs more memory than calls of cases get."""


class Simulator:
    """The simulator, with little memory."""

    def __init__(self, target: Target) -> None:
        self._device = open_device("simulator", target)

    def allocate(self, nbytes: int) -> Any:
        if nbytes > MOST_BYTES:
            raise TooLarge
        return self._device.allocate(nbytes)

    def run(self, memory: Any, job: Any) -> Any:
        return self._device.run(memory, job)


class Pair:
    """Simulator and hardware of one target as a device that raises what differs."""

    def __init__(self, target: Target, lockstep: Any = None) -> None:
        from hwc.runtime.lockstep import Lockstep  # noqa: PLC0415 - most runs need no hardware

        self.target = target
        self.lockstep = lockstep or Lockstep(target)

    def allocate(self, nbytes: int) -> Memory:
        if nbytes > HARDWARE_BYTES:
            raise TooLarge
        memory = self.lockstep.allocate(nbytes)
        memory.view(memory.base, memory.size)[:] = 0
        return memory

    def run(self, memory: Memory, job: Any) -> Any:
        outcome = self.lockstep.run(memory, job)
        if self.lockstep.differences:
            found = "; ".join(self.lockstep.differences)
            self.lockstep.differences.clear()
            raise Defect(f"simulator and hardware differ: {found}")
        return outcome


def play(package: Package, pair: Pair | None) -> str:
    """Call a package with a few shapes; return what became of it."""
    outcome = "loaded"
    try:
        target = Target.from_dict(dict(package.target), where=package.source_name)
        on_both = pair is not None and target == pair.target
        program = Program(package, pair if pair is not None and on_both else Simulator(target))
        for number in range(TRIES):
            rng = Random(number)
            shapes = _shapes(package, rng)
            if any(np.prod(shape, dtype=object) > MOST_ELEMENTS for shape in shapes):
                return "loaded, too large"
            given = np.random.default_rng(number)
            arrays = [
                random_array(s, t.type, given) for s, t in zip(shapes, package.inputs, strict=True)
            ]
            try:
                program(*arrays)
            except MachineError as error:
                return f"machine {refusal(error)}"
            except UserError as error:
                outcome = f"call {refusal(error)}"
                continue
            return "ran on both" if on_both else "ran"
    except TooLarge:
        return "loaded, needs too much memory"
    except UserError as error:
        return f"package {refusal(error)}"
    return outcome


def _shapes(package: Package, rng: Random) -> list[tuple[int, ...]]:
    """Draw sizes, dimension by dimension from the innermost, so that operands often broadcast."""
    wide = [rng.choice(SIZES) for _ in range(16)]
    drawn: dict[str, int] = {}
    return [
        tuple(
            d
            if isinstance(d, int)
            else drawn.setdefault(d, rng.choice((wide[(len(t.shape) - i) % 16], 1)))
            for i, d in enumerate(t.shape)
        )
        for t in package.inputs
    ]
