"""The simulated machine: executes a dispatch on memory and says how long it takes.

Results come from `sim.execute`, one kernel after another, as the sequential semantics of the
instruction set say; cycles come from `sim.timing`. Neither influences the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from isa.errors import UserError
from isa.load import load
from isa.target import Target
from sim import counters, timing
from sim.decode import Program, step
from sim.execute import execute
from sim.kernel import Fault
from sim.memory import Memory
from sim.trace import StripRecord

DONE = "done"
FAULT = "fault"


@dataclass(frozen=True)
class Run:
    """The outcome of a dispatch: `status` is "done" or "fault", `counters` those of the host.

    `counters` has every name of `isa/counters.yaml` in its order; it is empty for a run without
    timing. After a fault it counts the kernels that ended before and the cycles up to the fault.
    """

    status: str
    fault: Fault | None
    counters: Mapping[str, int] = field(default_factory=dict)


class Machine:
    """A machine of one target; it keeps nothing between runs."""

    def __init__(self, target: Target) -> None:
        """Make a machine of this target."""
        self.target = target

    def run(
        self,
        memory: Memory,
        program_address: int,
        program_words: int,
        packet_address: int,
        packet_words: int,
        *,
        window: tuple[int, int],
        trace: list[StripRecord] | None = None,
        with_timing: bool = True,
    ) -> Run:
        """Execute the program with the packet, both in `memory`, until `halt` or a fault.

        Streams may use the addresses of `window` only: base and limit. A list given as `trace`
        receives the records of every strip. `with_timing` off leaves out the timing model.
        UserError if an address is not aligned as the host's registers demand, or is outside of
        `memory`.
        """
        self._check_registers(memory, program_address, packet_address, window)
        parts: list[dict[str, int]] = []
        images = (program_address, program_words), (packet_address, packet_words)
        fault, cycles = self._check_images(memory, *images)
        if fault is None:
            words = _words(memory, program_address, program_words)
            parameters = _words(memory, packet_address, packet_words)[1:]
            program = Program(self.target, words, parameters, window)
            fault, cycles = self._execute(program, memory, cycles, parts, trace, with_timing)
        status = FAULT if fault else DONE
        if not with_timing:
            return Run(status, fault)
        return Run(status, fault, counters.total([*parts, {"cycles": cycles}]))

    def _check_registers(
        self, memory: Memory, program_address: int, packet_address: int, window: tuple[int, int]
    ) -> None:
        limits = load().limits
        rules = (
            ("program_address", program_address, limits.image_alignment),
            ("packet_address", packet_address, limits.image_alignment),
            ("window_base", window[0], limits.window_alignment),
            ("window_limit", window[1], limits.window_alignment),
        )
        for name, value, alignment in rules:
            if value < 0 or value % alignment:
                raise UserError(f"{name}: {value:#x} is not a multiple of {alignment}")
        base, limit = window
        if base < limit and not (memory.base <= base and limit <= memory.end):
            raise UserError(
                f"window: [{base:#x}, {limit:#x}) is not inside of the simulated memory "
                f"[{memory.base:#x}, {memory.end:#x})"
            )

    def _check_images(
        self, memory: Memory, program: tuple[int, int], packet: tuple[int, int]
    ) -> tuple[Fault | None, int]:
        """Check what is checked at start; returns the fault, and the cycles that this takes."""
        target, version = self.target, load().version
        if program[1] > target.instruction_words:
            text = f"{program[1]} words, the target holds {target.instruction_words}"
            return Fault("program_too_large", 0, text=text), timing.word_cycles(1)
        if packet[1] > target.parameter_words:
            text = f"{packet[1]} words, the target holds {target.parameter_words}"
            return Fault("packet_too_large", 0, text=text), timing.word_cycles(1)
        cycles = timing.load_cycles(target, (program, packet))
        found = _words(memory, *packet)[:1]
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
        """Execute kernel after kernel; returns the fault if any, and the cycles up to the end."""
        pc = 0
        while True:
            part = step(program, pc)
            cycles += timing.word_cycles(part.words)
            if part.decoded:
                cycles += timing.setup_cycles(part.decoded, part.streams)
            if part.kernel is None:
                return part.fault, cycles
            execute(part.kernel, memory)
            if with_timing:
                time = timing.kernel_time(self.target, part.kernel, start=cycles, trace=trace)
                cycles += time.pop("cycles", 0)
                parts.append(time)
            pc = part.next_pc


def _words(memory: Memory, address: int, count: int) -> list[int]:
    """Read 64-bit words."""
    size = load().word_bits // 8
    words: np.ndarray = memory.view(address, count * size).view("<u8")
    return words.tolist()
