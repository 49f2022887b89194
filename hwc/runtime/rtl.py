"""The device `rtl`: the hardware, simulated by Verilator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hwc.runtime.trace.calls import images_of, kernels_of
from hwc.runtime.trace.hardware import HardwareTrace
from hwc.runtime.trace.recorder import Recorder
from isa.dispatch import DONE, Job, Outcome
from isa.load import load
from isa.progress import is_observed
from isa.target import Target
from rtl_models.simulation.build import MEMORY_BASE
from rtl_models.simulation.errors import KilledError
from rtl_models.simulation.session import NO_LIMIT, Session, StripEvent
from sim.machine import Machine
from sim.memory import Memory

_T = TypeVar("_T")

_WORD = load().word_bits // 8

_GRANULE = 64
"""The largest bus word in bytes: memory is loaded and saved in multiples of this size."""


class RtlDevice:
    """Runs dispatches on the hardware of a target, which is built for the first dispatch.

    `waves` names a file for a waveform of everything that runs. Hardware that is restarted because
    it failed or needs more memory writes another file: x.vcd, x-2.vcd and so on. `waveforms` lists
    all of them; they are complete after `close`. The state of the hardware before its first reset
    is random, drawn from `seed`; with seed 0, the state is 0.

    Any number of threads may share a device: they take turns in using its one process.
    """

    name = "rtl"

    def __init__(
        self,
        target: Target,
        waves: Path | None = None,
        seed: int = 0,
    ) -> None:
        self.waveforms: list[Path] = []
        self._target = target
        self._waves = waves
        self._seed = seed
        self._session: Session | None = None
        self._lock = threading.RLock()

    def allocate(self, nbytes: int) -> Memory:
        """Return memory at the address where the hardware's memory begins."""
        return Memory(-(-max(nbytes, 1) // _GRANULE) * _GRANULE, MEMORY_BASE, cleared=False)

    def session(self, memory_bytes: int, base: int = MEMORY_BASE) -> Session:
        """Return the running hardware, with at least `memory_bytes` of memory from `base` on.

        Hardware whose process has ended is restarted.

        Raises:
            BuildError: the hardware cannot be built.
            UserError: the waveform cannot be written.
        """
        session = self._session
        if session is None or session.memory_bytes < memory_bytes or not session.alive:
            self.close()
            waves, number = self._waves, len(self.waveforms) + 1
            if waves is not None and number > 1:
                waves = waves.with_stem(f"{waves.stem}-{number}")
            session = self._session = Session(
                self._target, memory_bytes, waves=waves, seed=self._seed
            )
            if waves is not None:
                self.waveforms.append(waves)
        if session.memory_base != base:
            session.place(base)
        return session

    def close(self) -> None:
        """Stop the hardware; the next dispatch restarts it."""
        with self._lock:
            if self._session is not None:
                self._session.close()
                self._session = None

    def run(
        self,
        memory: Memory,
        job: Job,
        *,
        trace: list[StripEvent] | None = None,
        detail: Callable[[], Callable[[list[str]], None]] | None = None,
        cycles: int = NO_LIMIT,
    ) -> Outcome:
        """Run one dispatch on the hardware; `memory` is then as the hardware left it.

        If a signal kills the hardware's process (for example because the system is out of memory),
        the dispatch runs once more in another process. That is safe, because `memory` is written
        only at the very end. `detail` is called at the start of each of these runs and returns a
        function, which is called with the words of each line of the bench's detailed trace.

        Raises:
            HardwareError: the dispatch does not end, or not within `cycles`, or its process was
                killed twice. `memory` is unchanged, and the next dispatch restarts the hardware.
        """
        traced = 0 if trace is None else len(trace)
        expected = self._cycles(memory, job) if is_observed() else None

        def run(session: Session) -> Outcome:
            if trace is not None:
                del trace[traced:]  # from a process that was killed
            each = None if detail is None else detail()
            return session.run(job, trace=trace, detail=each, cycles=cycles, expected=expected)

        return self._on_hardware(memory, run)

    def record(self, memory: Memory, job: Job, recorder: Recorder) -> Outcome:
        """Run one dispatch to its end; if it is done, tell the recorder what happened.

        Raises:
            HardwareError: as in `run`.
        """
        kernels = kernels_of(self._target, images_of(memory, job), job)
        traces: list[HardwareTrace] = []

        def begin() -> HardwareTrace:
            traces.append(HardwareTrace(recorder, kernels))
            return traces[-1]

        outcome = self.run(memory, job, detail=begin)
        if outcome.status == DONE:
            traces[-1].end(outcome.counters["cycles"])
        return outcome

    def run_all(self, memory: Memory, jobs: Sequence[Job]) -> tuple[int, Outcome]:
        """Run dispatches one after another; the next ones wait in the machine's queue.

        Returns how many dispatches were done, and the outcome of the last one that ran, with the
        counters summed over all that ran. If a signal kills the hardware's process, all dispatches
        run once more.

        Raises:
            HardwareError: as in `run`.
        """
        return self._on_hardware(memory, lambda session: session.run_all(jobs))

    def _cycles(self, memory: Memory, job: Job) -> int:
        """Return the cycles that a dispatch takes according to the timing contract."""
        program = memory.view(job.program_address, _WORD * job.program_words)
        packet = memory.view(job.packet_address, _WORD * job.packet_words)
        timed = Machine(self._target).time(program.tobytes(), packet.tobytes(), job)
        return timed.counters["cycles"]

    def _on_hardware(self, memory: Memory, run: Callable[[Session], _T]) -> _T:
        """Run something on the hardware with this memory; retry once if its process is killed."""
        with self._lock:
            try:
                return self._run(memory, run)
            except KilledError:
                return self._run(memory, run)

    def _run(self, memory: Memory, run: Callable[[Session], _T]) -> _T:
        session = self.session(memory.size, memory.base)
        everything = memory.view(memory.base, memory.size)
        try:
            session.load(memory.base, everything)
            result = run(session)
            after = session.save(memory.base, memory.size)
        except BaseException:  # an interrupt as well: the state of the hardware is unknown
            self.close()
            raise
        everything[:] = after
        return result
