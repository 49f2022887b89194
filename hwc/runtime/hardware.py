"""The hardware as a device by name; what simulates it is imported when it is asked for."""

from __future__ import annotations

from hwc.runtime.devices import Device, register
from isa.target import Target


def _open(target: Target) -> Device:
    from hwc.runtime.rtl_device import RtlMachine  # noqa: PLC0415 - most calls need no hardware

    return RtlMachine(target)


register("rtl", _open)
