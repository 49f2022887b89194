"""The runtime: checks a call's arguments, places its buffers, dispatches and returns arrays."""

from hwc.runtime.api import compile, load
from hwc.runtime.devices import Device, DeviceMemory, device_names, register
from hwc.runtime.kernels import KernelResult
from hwc.runtime.program import Program
from hwc.runtime.results import Result, StepResult, Timing
from isa.dispatch import Fault, Job, Outcome

__all__ = [
    "Device",
    "DeviceMemory",
    "Fault",
    "Job",
    "KernelResult",
    "Outcome",
    "Program",
    "Result",
    "StepResult",
    "Timing",
    "compile",
    "device_names",
    "load",
    "register",
]
