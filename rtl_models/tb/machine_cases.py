"""Cases of the machine's bench: dispatches, and what the simulator says of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from isa.target import Target
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, Dispatch
from sim import counters, timing
from sim.decode import Program, advance
from sim.execute import execute
from sim.kernel import Kernel
from sim.machine import Machine
from sim.memory import Memory

NEVER_LOADED = ("program_too_large", "packet_too_large")
Ranges = list[tuple[int, int]]


@dataclass
class Case:
    """A dispatch as the bench plays it, and what is to come of it.

    Memory has a fixed `latency` or hesitates at random, by `seed`. `error` says which read or write
    beat ends in an error, `reset` after how many the run is broken off and begun again, `abort`
    after how many cycles it is aborted and begun again. `reads` and `writes` are the address ranges
    that the bus may carry, and must. In a `crowd` as many bursts wait for memory as can.
    """

    name: str
    seed: int
    program_address: int
    program_words: int
    packet_address: int
    packet_words: int
    window: tuple[int, int]
    status: str
    fault: tuple[int, int, int, int]
    counters: dict[str, int]
    cycles: int
    load_beats: int
    reads: Ranges
    writes: Ranges
    error: tuple[str, int] | None = None
    reset: tuple[str, int] | None = None
    abort: int | None = None
    latency: int | None = None
    crowd: bool = False


@dataclass
class Setting:
    """A case with memory before and after it."""

    case: Case
    before: bytes
    after: bytes


class Played:
    """A dispatch with its memory; makes cases of it."""

    def __init__(self, target: Target, name: str, dispatch: Dispatch) -> None:
        self.target = target
        self.name = f"{target.name} {name}"
        self.dispatch = dispatch
        self.memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        dispatch.store(self.memory)
        self.before = self.bytes()

    def bytes(self) -> bytes:
        """All of memory as it is."""
        return self.memory.view(MEMORY_BASE, MEMORY_BYTES).tobytes()

    def kernels(self) -> list[Kernel]:
        """The kernels that run, if program and packet are loaded."""
        packet = self.dispatch.packet[1:]
        program = Program(self.target, self.dispatch.words, packet, self.dispatch.window)
        found: list[Kernel] = []
        pc = 0
        while (part := advance(program, pc)).kernel is not None:
            found.append(part.kernel)
            pc = part.next_pc
        return found

    def whole(self, *, seed: int = 0, latency: int | None = None) -> Setting:
        """Run it in the simulator from beginning to end.

        Memory is to have that latency, or to hesitate by that seed.
        """
        run = Machine(self.target).run(self.memory, self.dispatch.job)
        after = self.bytes()
        fault = run.fault
        loaded = fault is None or fault.name not in NEVER_LOADED
        kernels = self.kernels() if loaded and not (fault and fault.name == "bad_version") else []
        found = (fault.code, fault.pc, fault.stream, fault.dimension) if fault else (0, 0, 0, 0)
        case = self._case(seed, kernels, run.status, found, dict(run.counters), loaded)
        case.latency = latency
        return Setting(case, self.before, after)

    def _case(
        self,
        seed: int,
        kernels: list[Kernel],
        status: str,
        fault: tuple[int, int, int, int],
        counted: dict[str, int],
        loaded: bool = True,
    ) -> Case:
        kernels = [kernel for kernel in kernels if kernel.points]
        job = self.dispatch.job
        images = [(at, at + 8 * words) for at, words in job.images if loaded]
        return Case(
            self.name,
            seed,
            *job.images[0],
            *job.images[1],
            job.window,
            status,
            fault,
            {name: counted[name] for name in counters.ANY_TIMING},
            counted["cycles"],
            sum(self._words(first, end) for first, end in images),
            images + [(s.address, s.address + s.nbytes) for k in kernels for s in k.inputs],
            [(s.address, s.address + s.nbytes) for k in kernels for s in k.outputs],
        )

    def _words(self, first: int, end: int) -> int:
        """Bus words that hold these bytes."""
        word = self.target.axi_bytes
        return -(-end // word) - first // word if first < end else 0

    def beats(self, kind: str) -> list[int]:
        """How many beats the load, if they are read, and each kernel take; all of it must run."""
        parts = [timing.kernel_time(self.target, kernel) for kernel in self.kernels()]
        found = [part.get(f"{kind}_beats", 0) for part in parts]
        load = sum(self._words(at, at + 8 * words) for at, words in self.dispatch.job.images)
        return [load, *found] if kind == "read" else found

    def failing(self, seed: int, kind: str, random: Random) -> Setting:
        """Run it to the end of a kernel of which one beat fails, or of its load.

        Data of the failing beat are right, so that memory says that the kernel went on to its end.
        """
        kernels = self.kernels()
        parts = [timing.kernel_time(self.target, kernel) for kernel in kernels]
        beats = self.beats(kind)
        first = -1 if kind == "read" else 0  # the load counts as kernel -1
        # The kernel after an error in a write has begun, unless it waits for what is written.
        told = [
            number
            for number, count in enumerate(beats)
            if count and (kind == "read" or _waits(kernels[number], kernels[number + 1 :]))
        ]
        chosen = random.choice(told)
        last = chosen + first
        at = sum(beats[:chosen]) + random.randrange(beats[chosen])
        for kernel in kernels[: last + 1]:
            execute(kernel, self.memory)
        fault = (0, kernels[last].pc if last >= 0 else 0, 0, 0)
        counted = counters.total([*parts[: last + 1], {"cycles": 0}])
        case = self._case(seed, kernels[: last + 1], "fault", fault, counted)
        case.error = kind, at
        return Setting(case, self.before, self.bytes())


def _waits(kernel: Kernel, later: list[Kernel]) -> bool:
    """Whether the next kernel with points, if there is one, reads what this one writes."""
    following = next((k for k in later if k.points), None)
    if following is None:
        return True
    written = [stream.extent for stream in kernel.outputs]
    read = [stream.extent for stream in following.inputs]
    return any(max(a, c) < min(b, d) for a, b in written for c, d in read)
