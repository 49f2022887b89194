"""The simulated machine: executes a dispatch on memory and says how long it takes.

Results come from `sim.execute`, one kernel after another, as the sequential semantics of the
instruction set say; cycles come from `sim.timing`. Neither influences the other.
"""

from __future__ import annotations

import numpy as np

from isa.dispatch import DONE, FAULT, Fault, Job, Outcome
from isa.errors import UserError
from isa.load import load
from isa.target import Target
from sim import counters, timing
from sim.decode import Program, advance
from sim.execute import execute
from sim.memory import Memory
from sim.semantics import lookup_table
from sim.trace import StripRecord


class Machine:
    """A machine of one target; it keeps nothing between runs."""

    def __init__(self, target: Target) -> None:
        """Make a machine of this target."""
        self.target = target

    def run(
        self,
        memory: Memory,
        job: Job,
        *,
        trace: list[StripRecord] | None = None,
        with_timing: bool = True,
    ) -> Outcome:
        """Execute a dispatch, whose program and packet are in `memory`, until `halt` or a fault.

        A list given as `trace` receives the records of every strip. `with_timing` off leaves out
        the timing model, and with it the counters.

        Raises:
            UserError: an address is not aligned as the host's registers demand, or is outside of
                `memory`.
        """
        self._check_registers(memory, job)
        parts: list[dict[str, int]] = []
        fault, cycles = self._check_images(memory, job)
        if fault is None:
            words = _words(memory, job.program_address, job.program_words)
            parameters = _words(memory, job.packet_address, job.packet_words)[1:]
            program = Program(self.target, words, parameters, job.window)
            fault, cycles = self._execute(program, memory, cycles, parts, trace, with_timing)
        status = FAULT if fault else DONE
        if not with_timing:
            return Outcome(status, fault)
        return Outcome(status, fault, counters.total([*parts, {"cycles": cycles}]))

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

    def _check_images(self, memory: Memory, job: Job) -> tuple[Fault | None, int]:
        """Make the checks at start; return the fault, and the cycles up to it or the first word."""
        target, version = self.target, load().version
        if job.program_words > target.instruction_words:
            text = f"{job.program_words} words, the target holds {target.instruction_words}"
            return Fault("program_too_large", 0, text=text), timing.word_cycles(1)
        if job.packet_words > target.parameter_words:
            text = f"{job.packet_words} words, the target holds {target.parameter_words}"
            return Fault("packet_too_large", 0, text=text), timing.word_cycles(1)
        cycles = timing.load_cycles(target, job.images)
        found = _words(memory, job.packet_address, job.packet_words)[:1]
        if found != [version]:
            text = f"the packet's first word is {found[0] if found else 'missing'}, not {version}"
            return Fault("bad_version", 0, text=text), cycles
        return None, cycles

    def _execute(
        self,
        program: Program,
        memory: Memory,
        cycles: int,
        parts: list[dict[str, int]],
        trace: list[StripRecord] | None,
        with_timing: bool,
    ) -> tuple[Fault | None, int]:
        """Execute kernel after kernel; return the fault, if any, and the cycles up to the end.

        The words after a kernel are executed from the start of its fetch on.
        """
        pc, table = 0, lookup_table.EMPTY
        last: timing.AtWork | None = None
        while True:
            part = advance(program, pc)
            cycles += timing.word_cycles(part.words)
            if part.decoded:
                cycles += timing.setup_cycles(self.target, part.decoded, part.inputs, part.outputs)
            if part.kernel is None:
                return part.fault, max(cycles, last.end if last else 0)
            table = execute(part.kernel, memory, table)
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
                    end=cycles + time.counters.pop("cycles"),
                    before=last.end if last else 0,
                )
                parts.append(time.counters)
            pc = part.next_pc


def _words(memory: Memory, address: int, count: int) -> list[int]:
    """Read 64-bit words."""
    size = load().word_bits // 8
    words: np.ndarray = memory.view(address, count * size).view("<u8")
    return words.tolist()
