"""Records a call: a device that tells a recorder what each dispatch does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Protocol, runtime_checkable

import numpy as np

from hwc.errors import DispatchError, UserError, counted
from hwc.package import HostStep, Package, Plan
from hwc.package import Kernel as PackageKernel
from hwc.runtime.devices import Device, DeviceMemory
from hwc.runtime.stretches import operators_of
from hwc.runtime.trace.layout import HostWork, KernelSource, MachineWork, Step, lay_out
from hwc.runtime.trace.model import Trace
from hwc.runtime.trace.recorder import Recorder
from isa.dispatch import VERSION_WORDS, Job, Outcome
from isa.load import load
from isa.target import Target
from sim.decode import Program, advance
from sim.kernel import Kernel

_WORD = load().word_bits // 8


@runtime_checkable
class RecordingDevice(Device, Protocol):
    """A device that can report what its engines do; traces show its `name`."""

    name: str

    def record(self, memory: Any, job: Job, recorder: Recorder) -> Outcome:
        """Run one dispatch to its end; if it is done, tell the recorder what happened."""
        ...


class RecordedDevice:
    """Runs dispatches on a device, one after another, and records them."""

    def __init__(self, device: Device, recorder: Recorder) -> None:
        """Record what a device does.

        Raises:
            DispatchError: the device cannot report what it does.
        """
        if not isinstance(device, RecordingDevice):
            raise DispatchError(
                f"a {type(device).__name__} cannot be traced: trace on the simulator, or on `rtl`"
            )
        self.name = device.name
        self._device = device
        self._recorder = recorder

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return memory of the device."""
        return self._device.allocate(nbytes)

    def run(self, memory: Any, job: Job) -> Outcome:
        """Run one dispatch to its end."""
        return self._device.record(memory, job, self._recorder)


def images_of(memory: DeviceMemory, job: Job) -> tuple[bytes, bytes]:
    """Return the bytes of a dispatch's program and packet."""
    program, packet = (memory.view(address, _WORD * n).tobytes() for address, n in job.images)
    return program, packet


def kernels_of(target: Target, images: tuple[bytes, bytes], job: Job) -> list[Kernel]:
    """Return the kernels that a dispatch completes, decoded from its program and packet."""
    words, packet = (np.frombuffer(image, "<u8").tolist() for image in images)
    program = Program(target, words, packet[VERSION_WORDS:], job.window)
    kernels: list[Kernel] = []
    pc = 0
    while (part := advance(program, pc)).kernel is not None:
        kernels.append(part.kernel)
        pc = part.next_pc
    return kernels


def check_strips(strips: range | slice | None) -> range | None:
    """Return the strips that a caller wants as a range.

    Raises:
        UserError: the strips are not consecutive numbers of at least 0.
    """
    if strips is None:
        return None
    if isinstance(strips, range | slice) and strips.step in (None, 1):
        start = 0 if strips.start is None else strips.start
        if strips.stop is not None and 0 <= start < strips.stop:
            return range(start, strips.stop)
    raise UserError(
        f"strips: error: got {strips!r}, expected consecutive strips, such as range(1000, 1200)"
    )


def trace_of(package: Package, plan: Plan, device: str, recorder: Recorder) -> Trace:
    """Return the trace of a call that followed a plan and was recorded.

    Raises:
        UserError: the call has none of the strips to record.
    """
    wanted, strips = recorder.strips, recorder.total_strips
    if wanted is not None and wanted.start >= strips:
        raise UserError(
            f"strips {wanted.start}:{wanted.stop}: error: the call has "
            f"{counted(strips, 'strip')}, numbered from 0"
        )
    program = f"{package.entry} of {package.source_name} on {package.target['name']}"
    return lay_out(program, device, _steps(package, plan), recorder)


def _steps(package: Package, plan: Plan) -> Sequence[Step]:
    """Return the steps of a call, with the operators of their kernels."""
    steps: list[Step] = []
    for stretch in package.stretches:
        if stretch.steps and isinstance(stretch.steps[0], HostStep):
            steps.append(HostWork(operators_of(stretch)))
            continue
        own = plan[stretch.choices.start : stretch.choices.stop]
        dispatches = package.link(own, stretch.steps)
        if not dispatches:
            continue
        sources = [_source(package, kernel) for kernel in package.kernels(own, stretch.steps)]
        operators = ", ".join(source.operators for source in sources)
        left = iter(sources)
        split = [list(islice(left, len(dispatch.kernels))) for dispatch in dispatches]
        steps.append(MachineWork(operators, split))
    return steps


def _source(package: Package, kernel: PackageKernel) -> KernelSource:
    places = (f"{package.source_name}:{line.line}:{line.column}" for line in kernel.lines)
    return KernelSource(kernel.source, tuple(dict.fromkeys(places)))
