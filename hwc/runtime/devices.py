"""Devices: what runs a dispatch. The simulator is one; others register themselves under a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError
from isa.target import Target


@dataclass(frozen=True)
class Job:
    """What the host writes to the machine's registers before it starts it.

    Addresses are in bytes, lengths in 64-bit words; `window` is the range of addresses that streams
    may touch, as (base, limit), both multiples of 4096.
    """

    program_address: int
    program_words: int
    packet_address: int
    packet_words: int
    window: tuple[int, int]


@dataclass(frozen=True)
class Fault:
    """Why the machine stopped: fault name, word of the program, operand code or 0, dimension."""

    name: str
    pc: int
    stream: int
    dimension: int


@dataclass(frozen=True)
class Outcome:
    """How a dispatch ended: its counters, and the fault if it did not reach `halt`."""

    counters: Mapping[str, int]
    fault: Fault | None = None


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
    """A machine that runs dispatches one at a time."""

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return memory of at least `nbytes` bytes; its base is a multiple of 4096."""
        ...

    def run(self, memory: Any, job: Job) -> Outcome:
        """Run one dispatch to its end."""
        ...


DeviceFactory = Callable[[Target], Device]
_FACTORIES: dict[str, DeviceFactory] = {}


def register(name: str, factory: DeviceFactory) -> None:
    """Make a device known under a name; `factory` builds it for a target."""
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
