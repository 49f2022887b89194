"""The steps of a call for the machine, ready to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import MachineError
from hwc.package import BufferRef, Dispatch, Package, Plan, Stretch
from hwc.plans.names import alternatives_name, plan_name
from hwc.runtime.devices import Device, DeviceMemory, joined, run_all
from hwc.runtime.kernels import KernelRef, KernelResult
from hwc.runtime.phases import Lap
from isa.dispatch import DONE, VERSION_WORDS, Job, Outcome
from isa.errors import DecodeError
from isa.target import Target

_WORD = isa.load().word_bits // 8


@dataclass(frozen=True)
class Placed:
    """The memory of a call: the addresses of buffers, the window of streams, and sizes."""

    addresses: Mapping[str, int]
    symbols: Mapping[str, int]
    window: tuple[int, int]


@dataclass(frozen=True)
class Call:
    """What a step needs from a call: the device with its memory, and where everything is placed.

    `lap` is called when a phase of the call ends.
    """

    device: Device
    memory: DeviceMemory
    placed: Placed
    lap: Lap


class Timer(Protocol):
    """Says how a dispatch ends and how long it takes, without running it."""

    def time(self, program: bytes, packet: bytes, job: Job) -> Outcome:
        """Return the outcome of a job with these images; it has the counters of every kernel."""
        ...


@dataclass(frozen=True)
class StepRun:
    """What a step took: the machine's counters, and the kernels if the device tells them apart."""

    counters: Mapping[str, int]
    kernels: tuple[KernelResult, ...] | None


def in_all(runs: Sequence[StepRun]) -> StepRun:
    """Return what steps took in total: the sums of their counters, and the kernels of all."""
    if len(runs) == 1:
        return runs[0]
    counters = {name: sum(run.counters[name] for run in runs) for name in isa.load().counters}
    kernels: list[KernelResult] = []
    for run in runs:
        if run.kernels is None:
            return StepRun(counters, None)
        kernels += run.kernels
    return StepRun(counters, tuple(kernels))


class ReadyStep(Protocol):
    """A step that is ready to run, any number of times."""

    @property
    def uses(self) -> Sequence[frozenset[str]]:
        """The names of the buffers that each kernel of the step reads or writes, in order."""
        ...

    @property
    def areas(self) -> tuple[int, ...]:
        """The sizes in bytes of the areas of memory that the step needs besides the buffers."""
        ...

    def run(self, call: Call, areas: Sequence[int]) -> StepRun:
        """Run the step, with its areas at these addresses.

        Raises:
            MachineError: the machine refused the step.
        """
        ...

    def time(self, timer: Timer, placed: Placed, areas: Sequence[int]) -> StepRun:
        """Return the same as `run`, but run nothing.

        Raises:
            MachineError: the machine would refuse the step.
        """
        ...


def ready_steps(package: Package, plan: Plan, stretch: Stretch | None = None) -> list[ReadyStep]:
    """Return the steps of a call that follows a plan, in order; a plan may be for one stretch."""
    if stretch is None:
        steps, first, name = package.steps, 0, plan_name(package, plan)
    else:
        steps, first = stretch.steps, stretch.first
        name = alternatives_name([package.choices[n] for n in stretch.choices], plan)
    dispatches = package.link(plan, steps)
    if not dispatches:
        return []
    dispatch = (n for n, each in enumerate(dispatches) for _ in each.kernels)
    numbers = package.kernel_numbers(plan, steps)
    kernels = package.kernels(plan, steps)
    uses: list[frozenset[str]] = []
    refs: list[KernelRef] = []
    for own, (step, number), kernel in zip(dispatch, numbers, kernels, strict=True):
        uses.append(kernel.buffers)
        lines = tuple(sorted({line.line for line in kernel.lines}))
        refs.append(KernelRef(first + step, number, own, kernel.source, lines))
    target = Target.from_dict(dict(package.target), where=package.source_name)
    return [ReadyDispatches(dispatches, uses, refs, target, name)]


class ReadyDispatches:
    """Dispatches, one after another; each has two areas, the program and the packet."""

    def __init__(
        self,
        dispatches: Sequence[Dispatch],
        uses: Sequence[frozenset[str]],
        refs: Sequence[KernelRef],
        target: Target,
        plan: str = "",
    ) -> None:
        """Prepare the dispatches of a plan; `uses` and `refs` have an entry for each kernel."""
        self._plan = plan
        self._uses = uses
        self._refs = refs
        self._target = target
        self._dispatches = dispatches
        self._images = [np.array(d.words, dtype="<u8").tobytes() for d in dispatches]

    @property
    def uses(self) -> Sequence[frozenset[str]]:
        """The buffers of each kernel, in order."""
        return self._uses

    @property
    def areas(self) -> tuple[int, ...]:
        """The sizes in bytes of each program and its packet; the packet begins with the version."""
        return tuple(
            nbytes
            for dispatch, image in zip(self._dispatches, self._images, strict=True)
            for nbytes in (len(image), _WORD * (VERSION_WORDS + len(dispatch.parameters)))
        )

    def run(self, call: Call, areas: Sequence[int]) -> StepRun:
        """Store programs and packets, and start the machine."""
        jobs: list[Job] = []
        for image, packet, job in self._prepared(call.placed, areas):
            for at, data in ((job.program_address, image), (job.packet_address, packet)):
                call.memory.view(at, len(data))[:] = np.frombuffer(data, np.uint8)
            jobs.append(job)
        call.lap("packet")
        done, outcome = run_all(call.device, call.memory, jobs)
        call.lap("device")
        return self._checked(done, outcome)

    def time(self, timer: Timer, placed: Placed, areas: Sequence[int]) -> StepRun:
        """Ask for the outcome of every dispatch, up to one that the machine would refuse."""
        outcome, done = None, -1
        for prepared in self._prepared(placed, areas):
            outcome, done = joined(outcome, timer.time(*prepared)), done + 1
            if outcome.status != DONE:
                break
        assert outcome is not None, "there is nothing to run"
        return self._checked(done, outcome)

    def _prepared(self, placed: Placed, areas: Sequence[int]) -> Iterator[tuple[bytes, bytes, Job]]:
        """Yield the program, the packet and the job of each dispatch."""
        for number, (dispatch, image) in enumerate(
            zip(self._dispatches, self._images, strict=True)
        ):
            words = packet(dispatch, placed.addresses, placed.symbols)
            program, at = areas[2 * number : 2 * number + 2]
            job = Job(program, len(dispatch.words), at, len(words), placed.window)
            yield image, words.tobytes(), job

    def _checked(self, number: int, outcome: Outcome) -> StepRun:
        """Return what the dispatches up to the one with this number took."""
        if outcome.status != DONE:
            raise MachineError(_describe(number, self._dispatches[number], self._plan, outcome))
        if outcome.kernels is None:
            return StepRun(outcome.counters, None)
        results = tuple(
            KernelResult(*ref, run, self._target)
            for ref, run in zip(self._refs, outcome.kernels, strict=True)
        )
        return StepRun(outcome.counters, results)


def packet(
    dispatch: Dispatch, addresses: Mapping[str, int], symbols: Mapping[str, int]
) -> NDArray[np.uint64]:
    """Return the packet's words: the version, then the address or value of each parameter."""
    values = [
        addresses[p.name] if isinstance(p, BufferRef) else symbols[p.name]
        for p in dispatch.parameters
    ]
    return np.array([isa.load().version, *values], dtype="<u8")


def _describe(index: int, dispatch: Dispatch, plan: str, outcome: Outcome) -> str:
    """Name the dispatch and kernel that the machine did not finish, and the reason."""
    fault = outcome.fault
    if outcome.axi_error or fault is None:
        return f"dispatch {index}: the machine met an error on the bus"
    kernel = sum(_is_end(word) for word in dispatch.words[: fault.pc])
    source = f" ({dispatch.kernels[kernel]})" if kernel < len(dispatch.kernels) else ""
    stream = ""
    if fault.stream:
        stream = f", stream {isa.operand_text(fault.stream)}, dimension {fault.dimension}"
    of = f" --plan {plan}" if plan else ""
    return (
        f"machine fault {fault.name} in dispatch {index}, kernel {kernel}{source}, "
        f"word {fault.pc}{stream}: the arguments passed every check of the package, so the package "
        f"was changed, or hwc has a defect worth reporting; `hwc disasm{of}` shows the words"
    )


def _is_end(word: int) -> bool:
    try:
        return isa.decode(word).name == "end"
    except DecodeError:
        return False
