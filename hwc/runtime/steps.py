"""The steps of a call for the machine, ready to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import MachineError
from hwc.package import BufferRef, Dispatch, Package, Plan, Stretch
from hwc.plans.names import alternatives_name, plan_name
from hwc.runtime.devices import Device, DeviceMemory, run_all
from hwc.runtime.phases import Lap
from isa.dispatch import DONE, VERSION_WORDS, Job, Outcome
from isa.errors import DecodeError

_WORD = isa.load().word_bits // 8


@dataclass(frozen=True)
class Call:
    """What a step needs from a call: the device with its memory, addresses and sizes.

    `lap` is told when a phase of the call ends.
    """

    device: Device
    memory: DeviceMemory
    addresses: Mapping[str, int]
    symbols: Mapping[str, int]
    window: tuple[int, int]
    lap: Lap


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

    def run(self, call: Call, areas: Sequence[int]) -> Mapping[str, int]:
        """Run the step, whose areas lie at these addresses; return the machine's counters.

        Raises:
            MachineError: the machine refused the step.
        """
        ...


def ready_steps(package: Package, plan: Plan, stretch: Stretch | None = None) -> list[ReadyStep]:
    """Return what a call that follows a plan runs, in order; `plan` may be for a stretch only."""
    if stretch is None:
        steps, name = package.steps, plan_name(package, plan)
    else:
        steps = stretch.steps
        name = alternatives_name([package.choices[n] for n in stretch.choices], plan)
    dispatches = package.link(plan, steps)
    uses = [kernel.buffers for kernel in package.kernels(plan, steps)]
    return [ReadyDispatches(dispatches, uses, name)] if dispatches else []


class ReadyDispatches:
    """Dispatches, one after another; each has two areas, the program and the packet."""

    def __init__(
        self, dispatches: Sequence[Dispatch], uses: Sequence[frozenset[str]], plan: str = ""
    ) -> None:
        """Prepare the dispatches of a plan; `uses` has the buffers of each kernel, in order."""
        self._plan = plan
        self._uses = uses
        self._dispatches = dispatches
        self._images = [np.array(d.words, dtype="<u8").view(np.uint8) for d in dispatches]

    @property
    def uses(self) -> Sequence[frozenset[str]]:
        """The buffers of each kernel, in order."""
        return self._uses

    @property
    def areas(self) -> tuple[int, ...]:
        """Bytes of each program and of its packet, which begins with the version."""
        return tuple(
            nbytes
            for dispatch, image in zip(self._dispatches, self._images, strict=True)
            for nbytes in (image.nbytes, _WORD * (VERSION_WORDS + len(dispatch.parameters)))
        )

    def run(self, call: Call, areas: Sequence[int]) -> Mapping[str, int]:
        """Store programs and packets, and start the machine."""
        jobs: list[Job] = []
        places = zip(areas[::2], areas[1::2], strict=True)
        for dispatch, image, (program, at) in zip(
            self._dispatches, self._images, places, strict=True
        ):
            words = packet(dispatch, call.addresses, call.symbols)
            call.memory.view(program, image.nbytes)[:] = image
            call.memory.view(at, words.nbytes)[:] = words.view(np.uint8)
            jobs.append(Job(program, len(dispatch.words), at, len(words), call.window))
        call.lap("packet")
        done, outcome = run_all(call.device, call.memory, jobs)
        call.lap("device")
        if outcome.status != DONE:
            raise MachineError(_describe(done, self._dispatches[done], self._plan, outcome))
        return outcome.counters


def packet(
    dispatch: Dispatch, addresses: Mapping[str, int], symbols: Mapping[str, int]
) -> NDArray[np.uint64]:
    """Return the packet's words: the version, then each parameter's address or value."""
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
