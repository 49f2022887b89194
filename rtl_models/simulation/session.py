"""A running machine in hardware simulation: a process of the bench that serves dispatches."""

from __future__ import annotations

import shutil
import signal
import subprocess
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isa.dispatch import DONE, NO_FAULT, RUNNING, STATUSES, Fault, Job, Outcome
from isa.errors import UserError
from isa.load import load
from isa.progress import Task
from isa.target import Target
from rtl_models.simulation import verilator
from rtl_models.simulation.bench import Bench, shared_memory, start_bench, stop_bench
from rtl_models.simulation.build import (
    MEMORY_BASE,
    BuildError,
    build,
    coverage_arguments,
    find_build,
    initial_values,
)
from rtl_models.simulation.errors import HardwareError, KilledError
from rtl_models.simulation.host_registers import fields, registers

MIN_MEMORY_BYTES = 1 << 20
_CONTROL = {name: field.mask for name, field in fields("control").items()}
_STATUS, _FAULT = fields("status"), fields("fault")
_COMPLETED = fields("completed")["count"]
_INTERRUPTS = {name: field.mask for name, field in fields("irq_pending").items()}
_IDLE_CYCLES = 1 << 22
"""Longer than any body keeps the bus without a transfer."""

NO_LIMIT = 1 << 62
_DETAILS = {"strip", "span", "part", "kernel", "ring", "bus"}
"""How the lines of a trace with details begin: see machine_bench.sv and detail_trace.sv."""


@dataclass(frozen=True)
class StripEvent:
    """What an engine did with a strip, in cycles since start; kernels are counted from 0.

    `stream` is the operand code for `broadcast`, else 0; `phase` is that of `lane` and `special`,
    else 0. Of `fetch` only `start` is known.
    """

    engine: str
    kernel: int
    stream: int
    strip: int
    phase: int
    start: int
    end: int


class Session:
    """One process of the bench. Memory keeps the last words; `memory_base` is its first address.

    The memory is pages that both processes map. They belong to no file, so nothing is left behind
    and no disk can be full.

    A session belongs to one thread at a time: an answer has no name of the command that asked for
    it. After an error or an interrupt only `close` may be called.
    """

    def __init__(
        self,
        target: Target,
        memory_bytes: int = MIN_MEMORY_BYTES,
        *,
        waves: Path | None = None,
        seed: int = 0,
    ) -> None:
        """Build the hardware if need be and start it; `waves` is emptied first.

        Registers and memories without a reset hold random values at first, drawn from `seed`, a
        number below 2^31; if it is 0, they hold 0.

        Raises:
            BuildError: it cannot be built or started.
            UnavailableError: there is not so much memory.
            UserError: the waveform's file cannot be written.
        """
        self.target = target
        self.memory_bytes = max(MIN_MEMORY_BYTES, 1 << max(memory_bytes - 1, 0).bit_length())
        kind = "" if waves is None else "vcd" if waves.suffix == ".vcd" else "fst"
        if kind == "fst" and find_build(target, waves=kind) is None and not can_write_fst():
            raise BuildError(
                f"{waves}: error: a waveform of kind FST needs the header lz4.h (Debian, "
                f"Ubuntu: `apt install liblz4-dev`); or name a file x.vcd, which needs nothing"
            )
        executable = build(target, waves=kind)
        if waves is not None:
            need_writable(waves)
        self._task: Task | None = None
        self._registers = registers()
        self._trace: list[StripEvent] | None = None
        self._detail: Callable[[list[str]], None] | None = None
        with shared_memory(self.memory_bytes) as (descriptor, self._memory):
            measured = coverage_arguments(target)
            # Random bits that a reset clears have not been moved by a test: coverage has none.
            command = [str(executable), *initial_values(0 if measured else seed), *measured]
            self._process = start_bench(command, descriptor)
            self._bench = Bench(self._process)
            self._end = weakref.finalize(self, stop_bench, self._bench)
            self._send(f"memory {descriptor} {self.memory_bytes}")
        self.place(MEMORY_BASE)
        if waves is not None:
            self._send(f"wave {waves.resolve()}")

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; a waveform is complete then, unless a run was interrupted."""
        self._end()

    def place(self, base: int) -> None:
        """Let memory begin at `base`, a multiple of a bus word, with the words that it has."""
        self.memory_base = base
        self._send(f"base {base:x}")

    def load(self, address: int, data: NDArray[np.uint8]) -> None:
        """Store bytes at `address`."""
        first = address - self.memory_base
        self._memory[first : first + len(data)] = data

    def save(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """Return a copy of the bytes at `address`."""
        first = address - self.memory_base
        return self._memory[first : first + nbytes].copy()

    def reset(self) -> None:
        """Reset the machine; memory keeps its words.

        A run that it ends may write one word more before the reset: only after the answer is memory
        the host's alone.
        """
        self._ask("reset")

    def stall(self, seed: int) -> None:
        """Reset, and let every channel of memory hesitate at random from now on; 0: no more."""
        self._ask(f"stall {seed}")

    def write(self, register: str, value: int) -> None:
        """Write a register."""
        answer = self._ask(f"write {self._registers[register]:x} {value:x}")
        assert answer == ["wrote", "0"], answer

    def read(self, register: str, index: int = 0) -> int:
        """Read a register."""
        answer = self._ask(f"read {self._registers[register] + 8 * index:x}")
        assert answer[::2] == ["value", "0"], answer
        return int(answer[1], 16)

    def start(self, job: Job, control: Sequence[str] = ("start", "resume")) -> None:
        """Write the registers of a dispatch and start it; a fault before it is over with.

        `control` names the bits to set in the register of that name: see `host_registers.md`.
        """
        self.write("program_address", job.program_address)
        self.write("program_words", job.program_words)
        self.write("packet_address", job.packet_address)
        self.write("packet_words", job.packet_words)
        self.write("window_base", job.window[0])
        self.write("window_limit", job.window[1])
        self.write("control", sum(_CONTROL[name] for name in control))

    def wait(self, cycles: int = NO_LIMIT) -> bool:
        """Run until the machine stops or interrupts or for `cycles`; whether it has stopped."""
        return self._ask(f"wait {cycles} {_IDLE_CYCLES}") == ["stopped"]

    def outcome(self) -> Outcome:
        """Read status, fault and counters; the machine may still be idle or running."""
        status, word = self._status(), self.read("fault")
        names = {f.code: f.name for f in load().faults.values()}
        fault = None
        if word:
            code, stream, dimension, pc = (
                _FAULT[name].of(word) for name in ("code", "stream", "dimension", "pc")
            )
            fault = Fault(names.get(code, NO_FAULT), pc, stream, dimension)
        counters = {name: self.read("counter", i) for i, name in enumerate(load().counters)}
        return Outcome(STATUSES[status["state"]], fault, counters, bool(status["axi_error"]))

    def run(
        self,
        job: Job,
        *,
        trace: list[StripEvent] | None = None,
        detail: Callable[[list[str]], None] | None = None,
        cycles: int = NO_LIMIT,
        expected: int | None = None,
    ) -> Outcome:
        """Run a dispatch to its end; a list given as `trace` receives what the engines did.

        The list receives it as well if the dispatch does not end. `detail` is called with the words
        of each line of the bench's trace with details. `expected` are the cycles that it should
        take, if they are known, for those who observe progress.

        Raises:
            HardwareError: the dispatch does not end, or not within `cycles`.
        """
        if trace is not None:
            self._trace = trace
            self._send("trace 1")
        if detail is not None:
            self._detail = detail
            self._send("trace 2")
        self.start(job)
        with self._simulating(expected):
            stopped = self.wait(cycles)
        if trace is not None or detail is not None:
            self._send("trace 0")
            self._trace = self._detail = None
        if not stopped:
            limit = f" within {cycles} cycles" if cycles != NO_LIMIT else ""
            raise HardwareError(self._does_not_end(limit))
        return self.outcome()

    def run_all(self, jobs: Sequence[Job]) -> tuple[int, Outcome]:
        """Run dispatches one after another, as many of them in the machine's queue as it holds.

        Returns how many were done, and the outcome of the last that ran, whose counters are the
        sums over all that ran. One that faults is the last.

        Raises:
            HardwareError: a dispatch does not end.
        """
        before = _COMPLETED.of(self.read("completed"))
        self._clear_interrupts()
        self.write("irq_enable", _INTERRUPTS["done"] | _INTERRUPTS["fault"])
        with Task("running", len(jobs), "dispatches") as running:
            for number, job in enumerate(jobs):
                while not ((status := self._status())["free"] or status["held"]):
                    self._wait_for_launch()
                    running.advance()
                if number and status["held"]:
                    break
                self.start(job, ("start", "keep_counters" if number else "resume"))
            while STATUSES[self._status()["state"]] == RUNNING:
                self._wait_for_launch()
                running.advance()
        self.write("control", _CONTROL["flush"])
        self.write("irq_enable", 0)
        outcome = self.outcome()
        ended = _COMPLETED.of(self.read("completed") - before)
        return ended - (outcome.status != DONE), outcome

    def _status(self) -> dict[str, int]:
        word = self.read("status")
        return {name: field.of(word) for name, field in _STATUS.items()}

    def _clear_interrupts(self) -> None:
        self.write("irq_pending", sum(_INTERRUPTS.values()))

    def _wait_for_launch(self) -> None:
        """Run until a launch has ended."""
        with self._simulating(None):
            stopped = self.wait()
        if not stopped and not self.read("irq_pending"):
            raise HardwareError(self._does_not_end())
        self._clear_interrupts()

    def _does_not_end(self, limit: str = "") -> str:
        return (
            f"error: the hardware for target {self.target.name} does not come to an end{limit}; "
            "this is a defect worth reporting"
        )

    @contextmanager
    def _simulating(self, cycles: int | None) -> Iterator[None]:
        """Wait for the hardware, which tells its cycles now and then."""
        with Task("simulating the hardware", cycles, "cycles") as self._task:
            yield
        self._task = None

    def _send(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._failed([])

    def _ask(self, command: str) -> list[str]:
        """Send a command and return the words of its answer."""
        assert self._process.stdout is not None
        other: list[str] = []
        self._bench.busy = True
        self._send(command)
        for line in self._process.stdout:
            words = line.split()
            if words and words[0] in {"wrote", "value", "stopped", "running", "reset"}:
                self._bench.busy = False
                return words
            if words and words[0] == "cycle":
                if self._task is not None:
                    self._task.reach(int(words[1]))
            elif self._detail is not None and words and words[0] in _DETAILS:
                if line.endswith("\n"):  # a process that is killed may leave the first half
                    self._detail(words)
            elif words and words[0] == "strip" and self._trace is not None:
                if line.endswith("\n"):  # a process that is killed may leave the first half
                    self._trace.append(StripEvent(words[1], *map(int, words[2:])))
            else:
                other.append(line)
        return self._failed(other)

    def _failed(self, lines: list[str]) -> list[str]:
        assert self._process.stdout is not None
        said = [line.strip() for line in (*lines, *self._process.stdout)]
        # After the first error Verilator only adds that it stops, and aborts.
        wrong = [line for line in said if "%Error" in line or "%Fatal" in line]
        code = self._process.wait()
        self._bench.busy = False
        if code < 0 and not wrong:
            raise KilledError(
                f"error: the process that simulates the hardware for target {self.target.name} was "
                f"ended by {signal.Signals(-code).name}"
            )
        reason = next(iter(wrong or said), f"exit code {code}")
        raise HardwareError(
            f"error: the hardware for target {self.target.name} stopped by itself: {reason}"
        )


def need_writable(waves: Path) -> None:
    """Make an empty file for a waveform: the bench would say nothing if it cannot.

    Raises:
        UserError: it cannot be written.
    """
    try:
        if "\n" in str(waves.resolve()):
            raise OSError(0, "its path has a line break")
        waves.open("wb").close()
    except OSError as error:
        raise UserError(
            f"{waves}: error: cannot write a waveform: {error.strerror or error}"
        ) from error


def can_write_fst() -> bool:
    """Whether the header is there that Verilator's writer of FST files includes."""
    verilator.provide()
    compiler = shutil.which("c++")
    if compiler is None:
        return True  # then the build says what is missing
    command = [compiler, "-E", "-x", "c++", "-"]
    text = "#include <lz4.h>\n"
    return not subprocess.run(
        command, input=text, text=True, capture_output=True, check=False
    ).returncode
