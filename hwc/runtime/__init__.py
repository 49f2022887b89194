"""The runtime: checks a call's arguments, places its buffers, dispatches, and gives back arrays."""

from hwc.runtime.api import compile, load
from hwc.runtime.devices import Device, DeviceMemory, device_names, register
from hwc.runtime.program import Program, Result
from isa.dispatch import Fault, Job, Outcome

__all__ = [
    "Device",
    "DeviceMemory",
    "Fault",
    "Job",
    "Outcome",
    "Program",
    "Result",
    "compile",
    "device_names",
    "load",
    "register",
]
