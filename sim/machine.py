"""The simulated machine: executes a dispatch on memory and says how long it takes.

Results come from `sim.execute`, one kernel after another, following the sequential semantics of the
instruction set; cycles come from `sim.timing`. Neither influences the other, and no element
influences the kernels or their cycles. So kernels and cycles are worked out before anything is
computed, and cached for the next dispatch with the same program and packet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from isa.dispatch import DONE, FAULT, Fault, Job, KernelRun, Outcome
from isa.errors import UserError
from isa.load import load
from isa.progress import Task
from isa.target import Target
from sim import counters, timing
from sim.decode import Image, Program, advance
from sim.execute import execute
from sim.kernel import Kernel
from sim.memory import Memory
from sim.semantics import lookup_table
from sim.trace import SequenceRecord, StripTrace

COURSES = 64
"""How many courses of dispatches a machine caches; the least recently used one is evicted."""
PROGRAMS = 64
"""How many decoded programs a machine caches; the least recently used one is evicted."""


class _Images(NamedTuple):
    """Everything that determines a dispatch: the words of its images, and its registers."""

    program: bytes
    packet: bytes
    job: Job


@dataclass(frozen=True)
class _Course:
    """The kernels that a dispatch completes, the fault that ends it, and the machine's counters.

    `runs` has the cycles and counters of each kernel; None if nothing was timed.
    """

    kernels: tuple[Kernel, ...]
    fault: Fault | None
    counters: Mapping[str, int]
    runs: tuple[KernelRun, ...] | None

    @property
    def outcome(self) -> Outcome:
        """How the dispatch ends."""
        status = FAULT if self.fault else DONE
        return Outcome(status, self.fault, dict(self.counters), kernels=self.runs)


class Machine:
    """A machine of one target. Any number of threads may run dispatches on it."""

    def __init__(self, target: Target) -> None:
        """Make a machine of this target."""
        self.target = target
        self._course = lru_cache(COURSES)(self._work_out)
        self._image = lru_cache(PROGRAMS)(self._decoded)

    def run(
        self,
        memory: Memory,
        job: Job,
        *,
        trace: StripTrace | None = None,
        sequence: list[SequenceRecord] | None = None,
        with_timing: bool = True,
    ) -> Outcome:
        """Execute a dispatch, whose program and packet are in `memory`, until `halt` or a fault.

        A list given as `trace` receives the records of every strip; `sequence` receives the
        sequencer's records. Without `with_timing`, the timing model does not run, and there are no
        counters.

        Raises:
            UserError: an address is not aligned as the host's registers require, or is outside of
                `memory`.
        """
        self._check_registers(memory, job)
        target = self.target
        program = _image(memory, job.program_address, job.program_words, target.instruction_words)
        packet = _image(memory, job.packet_address, job.packet_words, target.parameter_words)
        images = _Images(program, packet, job)
        if trace is None and sequence is None:
            course = self._course(images, with_timing)
        else:
            course = self._work_out(images, with_timing, trace, sequence)
        table = lookup_table.EMPTY
        points = sum(kernel.points for kernel in course.kernels)
        with Task("simulating", points, "points") as simulating:
            for kernel in course.kernels:
                table = execute(kernel, memory, table, simulating)
        return course.outcome

    def time(
        self,
        program: bytes,
        packet: bytes,
        job: Job,
        *,
        trace: StripTrace | None = None,
        sequence: list[SequenceRecord] | None = None,
    ) -> Outcome:
        """Return how a dispatch with these images ends and how long it takes, without a memory.

        Nothing is computed. The outcome is the same as from `run` with the same job, whose
        addresses have to be valid. `trace` and `sequence` are as for `run`.
        """
        target = self.target
        images = _Images(
            program if job.program_words <= target.instruction_words else b"",
            packet if job.packet_words <= target.parameter_words else b"",
            job,
        )
        if trace is None and sequence is None:
            return self._course(images, True).outcome
        return self._work_out(images, True, trace, sequence).outcome

    def _check_registers(self, memory: Memory, job: Job) -> None:
        limits = load().limits
        base, limit = job.window
        rules = (
            ("program_address", job.program_address, limits.image_alignment),
            ("packet_address", job.packet_address, limits.image_alignment),
            ("window_base", base, limits.window_alignment),
            ("window_limit", limit, limits.window_alignment),
        )
        for name, value, alignment in rules:
            if value < 0 or value % alignment:
                raise UserError(f"{name}: {value:#x} is not a multiple of {alignment}")
        if base < limit and not (memory.base <= base and limit <= memory.end):
            raise UserError(
                f"window: [{base:#x}, {limit:#x}) is not inside the simulated memory "
                f"[{memory.base:#x}, {memory.end:#x})"
            )

    def _work_out(
        self,
        images: _Images,
        with_timing: bool,
        trace: StripTrace | None = None,
        sequence: list[SequenceRecord] | None = None,
    ) -> _Course:
        """Work out what a dispatch does and how long it takes."""
        job = images.job
        fault, cycles = self._check_images(images)
        kernels: list[Kernel] = []
        runs: list[KernelRun] = []
        if fault is None:
            parameters = _words(images.packet)[1:]
            image = self._image(images.program, len(parameters))
            program = Program(self.target, image.words, parameters, job.window)
            fault, cycles = self._walk(
                program, image, cycles, kernels, runs, trace, sequence, with_timing
            )
        if not with_timing:
            return _Course(tuple(kernels), fault, {}, None)
        counted = counters.total(run.counters for run in runs) | {"cycles": cycles}
        return _Course(tuple(kernels), fault, counted, tuple(runs))

    def _check_images(self, images: _Images) -> tuple[Fault | None, int]:
        """Make the initial checks; return any fault, and the cycles up to it or the first word."""
        target, version, job = self.target, load().version, images.job
        if job.program_words > target.instruction_words:
            text = f"{job.program_words} words, the target holds {target.instruction_words}"
            return Fault("program_too_large", 0, text=text), timing.word_cycles(1)
        if job.packet_words > target.parameter_words:
            text = f"{job.packet_words} words, the target holds {target.parameter_words}"
            return Fault("packet_too_large", 0, text=text), timing.word_cycles(1)
        cycles = timing.load_cycles(target, job.images)
        found = _words(images.packet)[:1]
        if found != [version]:
            text = f"the packet's first word is {found[0] if found else 'missing'}, not {version}"
            return Fault("bad_version", 0, text=text), cycles
        return None, cycles

    def _decoded(self, program: bytes, parameters: int) -> Image:
        return Image(self.target, _words(program), parameters)

    def _walk(
        self,
        program: Program,
        image: Image,
        cycles: int,
        kernels: list[Kernel],
        runs: list[KernelRun],
        trace: StripTrace | None,
        sequence: list[SequenceRecord] | None,
        with_timing: bool,
    ) -> tuple[Fault | None, int]:
        """Walk from kernel to kernel; return the fault, if any, and the cycles up to the end.

        The words after a kernel are executed from the start of the kernel's fetch on.
        """
        pc, last, ended = 0, None, cycles
        while True:
            part = advance(program, pc, image)
            begin, loop = cycles, cycles + timing.word_cycles(part.words)
            cycles = loop
            if part.decoded:
                cycles += timing.setup_cycles(self.target, part.decoded, part.inputs, part.outputs)
            if part.kernel is None:
                if sequence is not None:
                    sequence.append(SequenceRecord(begin, loop, loop))
                return part.fault, max(cycles, ended)
            kernels.append(part.kernel)
            ready, before = cycles, last
            if with_timing and part.kernel.points:
                cycles, starts = timing.take_over(last, cycles, part.kernel)
                time = timing.kernel_times(
                    self.target, part.kernel, starts, start=cycles, trace=trace
                )
                last = timing.AtWork(
                    part.kernel.outputs,
                    pipe=cycles + starts.pipe,
                    fetched=cycles + time.fetched,
                    landed=cycles + time.landed,
                    stored=cycles + time.stored,
                    end=cycles + time.counters["cycles"],
                    before=last.end if last else 0,
                )
                runs.append(
                    KernelRun(
                        part.kernel.pc,
                        part.kernel.iteration,
                        cycles,
                        cycles + time.stored_first,
                        last.end,
                        time.counters | {"cycles": last.end - ended},
                    )
                )
                ended = last.end
            elif with_timing:
                end = max(cycles, ended)
                none = counters.zero() | {"cycles": end - ended}
                runs.append(
                    KernelRun(part.kernel.pc, part.kernel.iteration, cycles, cycles, end, none)
                )
                ended = end
            if sequence is not None:
                fetch = max(0, before.fetch_free - ready) if before and part.kernel.points else 0
                waits = fetch, cycles - ready - fetch
                sequence.append(SequenceRecord(begin, loop, cycles, *waits, kernel=part.kernel.pc))
            pc = part.next_pc


_WORD = load().word_bits // 8


def _image(memory: Memory, address: int, words: int, most: int) -> bytes:
    """Return the words of an image; empty if there are more than the machine holds."""
    return memory.view(address, _WORD * words).tobytes() if words <= most else b""


def _words(data: bytes) -> list[int]:
    """Read 64-bit words."""
    return np.frombuffer(data, "<u8").tolist()
