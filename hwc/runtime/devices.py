"""Devices run dispatches. Two come with hwc; others can be registered under a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError
from isa.dispatch import DONE, Job, Outcome
from isa.target import Target


class DeviceMemory(Protocol):
    """The memory that host and machine share."""

    @property
    def base(self) -> int:
        """The lowest address."""
        ...

    def view(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """Return `nbytes` bytes at `address`, to be read and written in place."""
        ...


class Device(Protocol):
    """A machine that runs dispatches; several threads may use it at the same time."""

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return memory of at least `nbytes` bytes; its base is a multiple of 4096."""
        ...

    def run(self, memory: Any, job: Job) -> Outcome:
        """Run one dispatch to its end."""
        ...


@runtime_checkable
class QueueingDevice(Device, Protocol):
    """A device that can have several dispatches in flight."""

    def run_all(self, memory: Any, jobs: Sequence[Job]) -> tuple[int, Outcome]:
        """Run dispatches in order, and stop after one that is not done.

        Returns the number of completed dispatches, and the outcome of the last dispatch that ran.
        The outcome has the counters summed over all dispatches, and the kernels of all.
        """
        ...


@runtime_checkable
class ClosableDevice(Device, Protocol):
    """A device that holds something, such as a process, until it is closed."""

    def close(self) -> None:
        """Release what the device holds; nothing runs at this time."""
        ...


def run_all(device: Device, memory: Any, jobs: Sequence[Job]) -> tuple[int, Outcome]:
    """Run one or more dispatches on any device, as `QueueingDevice.run_all` does."""
    outcome = None
    if len(jobs) > 1 and isinstance(device, QueueingDevice):
        return device.run_all(memory, jobs)
    for done, job in enumerate(jobs):
        outcome = joined(outcome, device.run(memory, job))
        if outcome.status != DONE:
            return done, outcome
    assert outcome is not None, "there is nothing to run"
    return len(jobs), outcome


def joined(before: Outcome | None, outcome: Outcome) -> Outcome:
    """Combine the outcome of a dispatch with `before`, the outcome of earlier dispatches."""
    if before is None:
        return outcome
    sums = {name: n + before.counters[name] for name, n in outcome.counters.items()}
    kernels = None
    if before.kernels is not None and outcome.kernels is not None:
        kernels = before.kernels + outcome.kernels
    return replace(outcome, counters=sums, kernels=kernels)


DeviceFactory = Callable[[Target], Device]


def _simulator(target: Target) -> Device:
    from hwc.runtime.simulator import Simulator  # noqa: PLC0415 - imported when needed

    return Simulator(target)


def _rtl(target: Target) -> Device:
    from hwc.runtime.rtl import RtlDevice  # noqa: PLC0415 - most calls need no hardware

    return RtlDevice(target)


_FACTORIES: dict[str, DeviceFactory] = {"simulator": _simulator, "rtl": _rtl}


def register(name: str, factory: DeviceFactory) -> None:
    """Register a device under a name; `factory` builds the device for a target."""
    _FACTORIES[name] = factory


def device_names() -> list[str]:
    """Return the names of the devices that `open_device` knows."""
    return sorted(_FACTORIES)


def open_device(name: str, target: Target) -> Device:
    """Return the device called `name`, built for `target`.

    Raises:
        DispatchError: there is no such device.
    """
    if name not in _FACTORIES:
        raise DispatchError(f"no device {name!r}: known are {', '.join(device_names())}")
    return _FACTORIES[name](target)
