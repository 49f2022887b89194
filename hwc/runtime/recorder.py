"""The device `rtl`, with a waveform that ends at a given cycle."""

from __future__ import annotations

import contextlib
from pathlib import Path

from hwc.runtime.rtl import RtlDevice
from isa.dispatch import Job, Outcome
from isa.target import Target
from rtl_models.simulation.errors import HardwareError
from sim.memory import Memory


class Recorder:
    """Hardware that writes a waveform up to a cycle of one dispatch, numbered from 0.

    That dispatch ends with the exception `Recorded`.
    """

    def __init__(self, target: Target, waves: Path, dispatch: int, cycles: int) -> None:
        self.hardware = RtlDevice(target, waves)
        self._left = dispatch
        self._cycles = cycles

    def allocate(self, nbytes: int) -> Memory:
        """Return memory for the hardware."""
        return self.hardware.allocate(nbytes)

    def close(self) -> None:
        """Stop the hardware; the waveform is then complete."""
        self.hardware.close()

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch; stop the last one at the wanted cycle."""
        if self._left:
            self._left -= 1
            return self.hardware.run(memory, job)
        with contextlib.suppress(HardwareError):
            self.hardware.run(memory, job, cycles=self._cycles)
        raise Recorded


class Recorded(Exception):  # noqa: N818 - nothing went wrong
    """The waveform is complete."""
