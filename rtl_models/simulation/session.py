"""A running machine in hardware simulation: a process of the bench that serves dispatches."""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isa.dispatch import NO_FAULT, STATUSES, Fault, Job, Outcome
from isa.errors import UserError
from isa.load import load
from isa.target import Target
from rtl_models.simulation import verilator
from rtl_models.simulation.build import (
    MEMORY_BASE,
    SOURCES,
    BuildError,
    build,
    coverage_arguments,
    find_build,
)

MIN_MEMORY_BYTES = 1 << 20
_REGISTER = re.compile(r"^\s*\} (\w+)(?:\[\w+\])? @ (0x[0-9a-fA-F]+)", re.M)
_IDLE_CYCLES = 1 << 22
"""Longer than any body keeps the bus without a transfer."""

NO_LIMIT = 1 << 62
_LOG = logging.getLogger("hwc.hardware")
_LOG_CYCLES = 1 << 20
"""How often a run says how far it is if nobody asks to know: about every ten seconds."""

_TRACE = "trace.txt"


class HardwareError(UserError):
    """The simulated hardware did not come to an end, or one of its assertions failed."""


class UnavailableError(HardwareError):
    """The hardware could not be simulated; that says nothing about the hardware."""


class KilledError(UnavailableError):
    """A signal ended the process that simulates the hardware."""


@dataclass(frozen=True)
class StripEvent:
    """What an engine did with a strip, in cycles since start; kernels are counted from 0.

    `stream` is the operand code for `broadcast`, else 0. Of `fetch` only `start` is known.
    """

    engine: str
    kernel: int
    stream: int
    strip: int
    start: int
    end: int


class Session:
    """One process of the bench. Memory keeps the last words; `memory_base` is its first address.

    `progress` is called with the cycles of a run so far, a few times a second or more seldom.
    """

    def __init__(
        self,
        target: Target,
        memory_bytes: int = MIN_MEMORY_BYTES,
        *,
        waves: Path | None = None,
        progress: Callable[[int], None] | None = None,
        seed: int = 0,
    ) -> None:
        """Build the hardware if need be and start it; `waves` is emptied first.

        Registers and memories without a reset hold random values at first, drawn from `seed`, a
        number below 2^31; if it is 0, they hold 0.

        Raises:
            BuildError: it cannot be built.
            UserError: the waveform's file cannot be written.
        """
        self.target = target
        self.memory_bytes = max(MIN_MEMORY_BYTES, 1 << max(memory_bytes - 1, 0).bit_length())
        kind = "" if waves is None else "vcd" if waves.suffix == ".vcd" else "fst"
        if find_build(target, self.memory_bytes, waves=kind) is None:
            if kind == "fst" and not can_write_fst():
                raise BuildError(
                    f"{waves}: error: a waveform of kind FST needs the header lz4.h (Debian, "
                    f"Ubuntu: `apt install liblz4-dev`); or name a file x.vcd, which needs nothing"
                )
            also = f", with waveforms ({kind})" if kind else ""
            _LOG.info(
                "building the hardware for target %s with %d MiB of memory%s: minutes, once",
                *(target.name, self.memory_bytes >> 20, also),
            )
        executable = build(target, self.memory_bytes, waves=kind)
        if waves is not None:
            need_writable(waves)
        self._progress = progress or _log_progress
        self._files = Path(tempfile.mkdtemp(prefix="hwc-rtl-"))
        self._registers = registers()
        self._process = subprocess.Popen(
            [str(executable), *_seed_arguments(seed), *coverage_arguments(target)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="surrogateescape",  # as in paths
            cwd=self._files,
        )
        self._end = weakref.finalize(self, _stop, self._process, self._files)
        self.place(MEMORY_BASE)
        if waves is not None:
            self._send(f"wave {waves.resolve()}")

    def close(self) -> None:
        """End the process; a waveform is complete then."""
        self._end()

    def place(self, base: int) -> None:
        """Let memory begin at `base`, a multiple of a bus word, with the words that it has."""
        self.memory_base = base
        self._send(f"base {base:x}")

    def load(self, address: int, data: NDArray[np.uint8]) -> None:
        """Store whole bus words at `address`, a multiple of a bus word."""
        word = self.target.axi_bytes
        path = self._files / "load.bin"
        path.write_bytes(data.reshape(-1, word)[:, ::-1].tobytes())
        self._send(f"load {path.name} {(address - self.memory_base) // word} {len(data) // word}")

    def save(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """Read whole bus words back."""
        word = self.target.axi_bytes
        path = self._files / "save.hex"
        self._ask(f"save {path.name} {(address - self.memory_base) // word} {nbytes // word}")
        data = np.frombuffer(bytes.fromhex(path.read_text()), np.uint8)
        return np.ascontiguousarray(data.reshape(-1, word)[:, ::-1]).reshape(-1)

    def reset(self) -> None:
        """Reset the machine; memory keeps its words."""
        self._send("reset")

    def stall(self, seed: int) -> None:
        """Reset, and let every channel of memory hesitate at random from now on; 0: no more."""
        self._send(f"stall {seed}")

    def write(self, register: str, value: int) -> None:
        """Write a register."""
        answer = self._ask(f"write {self._registers[register]:x} {value:x}")
        assert answer == ["wrote", "0"], answer

    def read(self, register: str, index: int = 0) -> int:
        """Read a register."""
        answer = self._ask(f"read {self._registers[register] + 8 * index:x}")
        assert answer[::2] == ["value", "0"], answer
        return int(answer[1], 16)

    def start(self, job: Job) -> None:
        """Write the registers of a dispatch and start it."""
        self.write("program_address", job.program_address)
        self.write("program_words", job.program_words)
        self.write("packet_address", job.packet_address)
        self.write("packet_words", job.packet_words)
        self.write("window_base", job.window[0])
        self.write("window_limit", job.window[1])
        self.write("control", 1)

    def wait(self, cycles: int = NO_LIMIT) -> bool:
        """Run until the machine stops or `cycles` have passed; whether it has stopped."""
        return self._ask(f"wait {cycles} {_IDLE_CYCLES}") == ["stopped"]

    def outcome(self) -> Outcome:
        """Read status, fault and counters; the machine may still be idle or running."""
        status, word = self.read("status"), self.read("fault")
        names = {f.code: f.name for f in load().faults.values()}
        fault = None
        if word:
            code, stream, dimension = word & 0xFF, word >> 8 & 0x3F, word >> 16 & 7
            fault = Fault(names.get(code, NO_FAULT), word >> 32, stream, dimension)
        counters = {name: self.read("counter", i) for i, name in enumerate(load().counters)}
        return Outcome(STATUSES[status & 3], fault, counters, bool(status >> 8 & 1))

    def run(
        self, job: Job, *, trace: list[StripEvent] | None = None, cycles: int = NO_LIMIT
    ) -> Outcome:
        """Run a dispatch to its end; a list given as `trace` receives what the engines did.

        The list receives it as well if the dispatch does not end.

        Raises:
            HardwareError: the dispatch does not end, or not within `cycles`.
        """
        path = self._files / _TRACE
        path.unlink(missing_ok=True)
        if trace is not None:
            self._send(f"trace {path.name}")
        try:
            self.start(job)
            stopped = self.wait(cycles)
            if trace is not None:
                self._send("trace -")
        finally:
            if trace is not None and path.exists():
                trace.extend(map(_event, path.read_text().splitlines()))
        if not stopped:
            limit = f" within {cycles} cycles" if cycles != NO_LIMIT else ""
            raise HardwareError(
                f"error: the hardware for target {self.target.name} does not come to an end"
                f"{limit}; this is a defect worth reporting"
            )
        return self.outcome()

    def _send(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._failed([])

    def _ask(self, command: str) -> list[str]:
        """Send a command and return the words of its answer."""
        self._send(command)
        assert self._process.stdout is not None
        other: list[str] = []
        for line in self._process.stdout:
            words = line.split()
            if words and words[0] in {"saved", "wrote", "value", "stopped", "running"}:
                return words
            if words and words[0] == "cycle":
                self._progress(int(words[1]))
            else:
                other.append(line)
        return self._failed(other)

    def _failed(self, lines: list[str]) -> list[str]:
        assert self._process.stdout is not None
        said = [line.strip() for line in (*lines, *self._process.stdout)]
        # After the first error Verilator only adds that it stops, and aborts.
        wrong = [line for line in said if "%Error" in line or "%Fatal" in line]
        code = self._process.wait()
        if code < 0 and not wrong:
            raise KilledError(
                f"error: the process that simulates the hardware for target {self.target.name} was "
                f"ended by {signal.Signals(-code).name}"
            )
        reason = next(iter(wrong or said), f"exit code {code}")
        raise HardwareError(
            f"error: the hardware for target {self.target.name} stopped by itself: {reason}"
        )


def _seed_arguments(seed: int) -> list[str]:
    return [f"+verilator+rand+reset+{2 if seed else 0}", f"+verilator+seed+{max(seed, 1)}"]


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


def _log_progress(cycles: int) -> None:
    if cycles % _LOG_CYCLES == 0:
        _LOG.info("%s cycles of the hardware simulated", f"{cycles:,}")


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


def registers() -> dict[str, int]:
    """Return the byte offset of every register of the host, from their description."""
    text = (SOURCES / "core" / "host_registers.rdl").read_text(encoding="utf-8")
    return {name: int(offset, 16) for name, offset in _REGISTER.findall(text)}


def _event(line: str) -> StripEvent:
    engine, *numbers = line.split()
    return StripEvent(engine, *map(int, numbers))


def _stop(process: subprocess.Popen[str], files: Path) -> None:
    """End a bench, which quits where its input ends, and remove its files."""
    if process.stdin is not None and not process.stdin.closed:
        with contextlib.suppress(BrokenPipeError):  # the process has ended already
            process.stdin.close()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    shutil.rmtree(files, ignore_errors=True)
