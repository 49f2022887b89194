"""One dispatch: the host's job for a machine, and the outcome that the machine reports.

The simulator, the hardware and the devices of the runtime all take a `Job` and return an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isa.load import load
from isa.operands import operand_text

IDLE = "idle"
RUNNING = "running"
DONE = "done"
FAULT = "fault"
ABORTED = "aborted"
STATUSES = (IDLE, RUNNING, DONE, FAULT, ABORTED)
"""The states of a machine, by the number in its register `status`."""

HALT_WORDS = 1
"""Words of a program after its last kernel: `halt`."""

VERSION_WORDS = 1
"""Words of a packet before its first parameter: the version of the instruction set."""

NO_FAULT = "none"
"""Name of a `Fault` without a fault code: an error on the bus stopped the program."""


@dataclass(frozen=True)
class Job:
    """What the host writes to the machine's registers before it starts the machine.

    Addresses are in bytes, lengths in 64-bit words; `window` is the range of addresses that streams
    may use, as (base, limit). `isa/machine.yaml` says how each address is aligned.
    """

    program_address: int
    program_words: int
    packet_address: int
    packet_words: int
    window: tuple[int, int]

    @property
    def images(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Address and number of words, of the program and of the packet."""
        return (
            (self.program_address, self.program_words),
            (self.packet_address, self.packet_words),
        )


@dataclass(frozen=True)
class Fault:
    """Why a program stopped: the name of the fault, and the number of the word in the program.

    `stream` is an operand code, `dimension` counts from the outermost dimension; both are 0 if the
    fault is not about a stream. `text` explains the fault to the user. The machine does not report
    a text, so comparisons ignore it.
    """

    name: str
    pc: int
    stream: int = 0
    dimension: int = 0
    text: str = field(default="", compare=False)

    @property
    def code(self) -> int:
        """Number of the fault that the host reads."""
        return load().faults[self.name].code

    def __str__(self) -> str:
        """Describe the fault in one line."""
        where = f", {_stream(self.stream)}, dimension {self.dimension}" if self.stream else ""
        text = f": {self.text}" if self.text else ""
        return f"{self.name} at word {self.pc}{where}{text}"


@dataclass(frozen=True)
class KernelRun:
    """The cycles and counters of one kernel of a dispatch.

    `pc` is the word of its `loop`, and `sizes` are its iteration sizes, outermost first. The other
    numbers are cycles since the start of the dispatch: its fetch began at `start`, its first strip
    was stored at `stored_first`, and its last write response came at `end`. For a kernel without
    points, all three are the end of set-up.

    `counters` has every name of `isa/counters.yaml`. Its `cycles` run from the end of the kernel
    before, or from the time when program and packet were loaded, to `end`: kernels overlap, but
    their `cycles` do not (docs/timing.md, section "Counters of a kernel").
    """

    pc: int
    sizes: tuple[int, ...]
    start: int
    stored_first: int
    end: int
    counters: Mapping[str, int]

    @property
    def occupied(self) -> int:
        """Cycles to `end` from the start of the fetch, or the previous kernel's end if earlier."""
        return max(self.counters["cycles"], self.end - self.start)


@dataclass(frozen=True)
class Outcome:
    """How a dispatch ended.

    `status` is "done" if the program reached `halt` and "fault" if it did not. `counters` has every
    name of `isa/counters.yaml` in the order of that file; after a fault it counts the kernels that
    ended before the fault and the cycles up to the fault. It is empty if nothing was timed.
    `axi_error` says that the bus answered with an error, which can happen only on hardware;
    `status` is then "fault", and the fault, if there is one, has the name "none".

    `kernels` has the counters of each kernel that ended, in order; None if the device cannot tell
    kernels apart. They repeat what `counters` says, so comparisons ignore them.
    """

    status: str
    fault: Fault | None = None
    counters: Mapping[str, int] = field(default_factory=dict)
    axi_error: bool = False
    kernels: tuple[KernelRun, ...] | None = field(default=None, compare=False)


def _stream(code: int) -> str:
    """Name a stream; a code that is not an operand can come only from defective hardware."""
    known = load().operand_class(code) is not None
    return f"stream {operand_text(code)}" if known else f"operand code {code}"
