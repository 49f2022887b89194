"""The simulator as a device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hwc.runtime.trace.calls import images_of, kernels_of
from hwc.runtime.trace.recorder import Recorder
from hwc.runtime.trace.simulated import SimulatedTrace
from isa.dispatch import DONE, Job, Outcome
from isa.progress import Task
from isa.target import Target
from sim.machine import Machine
from sim.memory import Memory
from sim.trace import SequenceRecord


class Simulator:
    """Runs dispatches with exact results and the cycles of the timing model."""

    name = "simulator"

    def __init__(self, target: Target) -> None:
        self._machine = Machine(target)

    def allocate(self, nbytes: int) -> Memory:
        """Return memory with undefined contents."""
        return Memory(nbytes, cleared=False)

    def run(self, memory: Memory, job: Job) -> Outcome:
        """Run one dispatch to its end."""
        return self._machine.run(memory, job)

    def time(self, program: bytes, packet: bytes, job: Job) -> Outcome:
        """Return the outcome of a dispatch with these images, without memory or results."""
        return self._machine.time(program, packet, job)

    def record(self, memory: Memory, job: Job, recorder: Recorder) -> Outcome:
        """Run one dispatch to its end; if it is done, tell the recorder what happened."""
        run = partial(self._machine.run, memory, job)
        return self._record(images_of(memory, job), job, recorder, run)

    def record_time(self, program: bytes, packet: bytes, job: Job, recorder: Recorder) -> Outcome:
        """Do the same as `record` for a dispatch with these images, without memory or results."""
        run = partial(self._machine.time, program, packet, job)
        return self._record((program, packet), job, recorder, run)

    def _record(
        self,
        images: tuple[bytes, bytes],
        job: Job,
        recorder: Recorder,
        run: Callable[..., Outcome],
    ) -> Outcome:
        target = self._machine.target
        kernels = kernels_of(target, images, job)
        with Task("tracing", sum(kernel.strips for kernel in kernels), "strips") as tracing:
            trace = SimulatedTrace(target, recorder, kernels, tracing)
            sequence: list[SequenceRecord] = []
            outcome = run(trace=trace, sequence=sequence)
        if outcome.status == DONE:
            trace.end(sequence, outcome)
        return outcome


class RecordingTimer:
    """Times dispatches without memory, and records them."""

    def __init__(self, target: Target, recorder: Recorder) -> None:
        self._simulator = Simulator(target)
        self._recorder = recorder

    def time(self, program: bytes, packet: bytes, job: Job) -> Outcome:
        """Return the outcome of a dispatch with these images."""
        return self._simulator.record_time(program, packet, job, self._recorder)
