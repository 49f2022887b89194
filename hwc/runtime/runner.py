"""Runs calls of a package with arrays, on a device and on the engines of the host."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from numpy.typing import NDArray

from hwc.errors import DispatchError, PackageError
from hwc.package import HostStep, Package, Plan, Stretch, Tensor
from hwc.package.host_types import tensor_type
from hwc.package.model import sizes_of
from hwc.plans.names import plan_name
from hwc.recent import Recent
from hwc.runtime.accounts import Copies, accounts_of, copies_of
from hwc.runtime.arguments import to_arrays
from hwc.runtime.devices import Device, DeviceMemory
from hwc.runtime.engines import check_output, open_parts
from hwc.runtime.host_elements import elements, fill
from hwc.runtime.indices import check_indices
from hwc.runtime.phases import Lap
from hwc.runtime.placement import Placement
from hwc.runtime.preparation import Preparation
from hwc.runtime.results import Result, StepResult
from hwc.runtime.roofline import roofline_share
from hwc.runtime.steps import Call, Placed, ReadyStep, StepRun, in_all
from hwc.runtime.stored_elements import join, split
from hwc.runtime.stretches import operators_of
from hwc.shapes.steps import Evaluation
from isa.progress import tracked


def begin(
    package: Package,
    shapes: Sequence[Sequence[int]],
    arrays: Sequence[NDArray[Any]] | None = None,
) -> Evaluation:
    """Check the shapes of a call; return the sizes that they determine. More may be added.

    Only a package whose sizes depend on elements needs the `arrays`.

    Raises:
        DispatchError: the shapes do not fit.
    """

    def element(argument: int, indices: tuple[int, ...]) -> int:
        assert arrays is not None
        return int(arrays[argument][indices])

    return package.shape_program.begin(package.inputs, shapes, None if arrays is None else element)


KNOWN_SHAPES = 64
"""The largest number of sets of shapes for which sizes are cached."""


class Runner:
    """Runs the calls of a package on one device."""

    def __init__(self, prepared: Preparation, device: Device) -> None:
        self.package = package = prepared.package
        self.prepared = prepared
        self.device = device
        self._sizes = Recent[Evaluation](KNOWN_SHAPES)
        self._operators = [operators_of(stretch) for stretch in prepared.stretches]
        on_host = {
            stretch.first: step
            for stretch in prepared.stretches
            for step in stretch.steps
            if isinstance(step, HostStep)
        }
        parts = open_parts(on_host.values(), package.constants, package.source_name)
        self._parts = dict(zip(on_host, parts, strict=True))
        # Otherwise the sizes depend on elements, or on what the host computes.
        self._shapes_decide = not (package.shape_program.needs_elements or self._parts)

    def on(self, device: Device) -> Runner:
        """Return a runner of the same package on another device."""
        other = copy.copy(self)
        other.device = device
        return other

    def run(self, arguments: Sequence[object], plan: str | None, lap: Lap) -> Result:
        """Run a call; `plan` names the plan to follow, and `lap` is told of every phase's end.

        Arguments and errors are those of `Program.__call__`.
        """
        arrays = to_arrays(self.package.inputs, arguments)
        lap("arguments")
        shapes = tuple([a.shape for a in arrays])
        sizes = self._sizes_of(shapes, arrays)
        lap("sizes")
        held = {
            name: part
            for tensor, array in zip(self.package.inputs, arrays, strict=True)
            for (name, _), part in zip(tensor.parts, split(tensor.type, array), strict=True)
        }
        runs: list[StepRun] = []
        chosen: Plan = ()
        steps: list[StepResult] = []
        copies, on_host = Copies(), 0.0
        prepared = self.prepared
        stretches = tuple(zip(prepared.stretches, prepared.later, self._operators, strict=True))
        for stretch, later, operators in tracked("running", stretches, "steps"):
            start = time.perf_counter()
            before = set(held)
            if stretch.first in self._parts:
                self._run_on_host(stretch, held, sizes, lap)
                counters = share = None
            else:
                own = prepared.plan(sizes.values, plan, stretch.choices)
                lap("plan")
                run = self._run_stretch(stretch, own, held, later, sizes.values, lap)
                chosen += own
                runs.append(run)
                if self._parts:
                    linked = prepared.linked(own, stretch)
                    copies += copies_of(self.package, linked, before, later, sizes.values)
                counters = run.counters
                share = roofline_share(counters, prepared.target)
            made = dict.fromkeys(a.shape for name, a in held.items() if name not in before)
            held = {name: array for name, array in held.items() if name in later}
            seconds = time.perf_counter() - start
            on_host += seconds if counters is None else 0.0
            steps.append(StepResult(operators, tuple(made), counters, share, seconds))
        outputs = self._collect(held, sizes.values)
        name = plan_name(self.package, chosen)
        all_runs = in_all(runs)
        total = all_runs.counters
        accounts = accounts_of(self.package, sizes.values, copies, on_host)
        result = Result(
            outputs, total["cycles"], total, name, tuple(steps), all_runs.kernels, shapes, accounts
        )
        lap("copy_out")
        return result

    def _sizes_of(
        self, shapes: tuple[tuple[int, ...], ...], arrays: Sequence[NDArray[Any]]
    ) -> Evaluation:
        """Return the sizes of a call; they are cached if the shapes alone decide them."""
        if not self._shapes_decide:
            return begin(self.package, shapes, arrays)
        return self._sizes.get(shapes, lambda: begin(self.package, shapes))

    def _run_on_host(
        self, stretch: Stretch, held: dict[str, NDArray[Any]], sizes: Evaluation, lap: Lap
    ) -> None:
        """Run the host step of a stretch, and learn the sizes of its results."""
        (step,) = stretch.steps
        assert isinstance(step, HostStep)
        inputs = {
            tensor.name: self._shaped(tensor, held[tensor.buffer], sizes.values)
            for tensor in step.inputs
        }
        for rule in step.indices:
            check_indices(rule, inputs[rule.tensor], sizes)
        outputs = self._parts[stretch.first].run(inputs)
        for number, (tensor, array) in enumerate(zip(step.outputs, outputs, strict=True)):
            check_output(step, number, array, tensor_type(tensor.type).dtype, sizes.values)
            sizes.learned[stretch.first, number] = tensor.name, array.shape
            held[tensor.buffer] = array
        lap("device")
        self.package.shape_program.proceed(sizes)
        lap("sizes")

    def _run_stretch(
        self,
        stretch: Stretch,
        plan: Plan,
        held: dict[str, NDArray[Any]],
        later: frozenset[str],
        symbols: Mapping[str, int],
        lap: Lap,
    ) -> StepRun:
        """Run a stretch on the machine; store in `held` what is needed `later`."""
        steps = self.prepared.linked(plan, stretch)
        lap("link")
        placement = self.prepared.placed(stretch, plan, steps, held, later, symbols)
        lap("place")
        try:
            memory = self.device.allocate(placement.size)
            fill(self.package, memory, placement, symbols, held)
            lap("copy_in")
            run = self._run(steps, memory, placement, symbols, lap)
            for name in placement.buffers:
                if name in later and name not in held:
                    buffer = self.package.buffer(name)
                    data = elements(memory, placement, buffer)
                    data = data.reshape(sizes_of(buffer.shape, symbols))
                    # A view saves a copy but keeps the whole memory alive. A small array must not
                    # do that.
                    held[name] = data.copy() if 4 * data.nbytes < placement.size else data
        except MemoryError as error:
            raise DispatchError(
                f"the call needs {placement.size} bytes of memory and room to compute, more than "
                "the host has free"
            ) from error
        return run

    def _run(
        self,
        steps: Sequence[ReadyStep],
        memory: DeviceMemory,
        placement: Placement,
        symbols: Mapping[str, int],
        lap: Lap,
    ) -> StepRun:
        base = memory.base
        addresses = {name: base + offset for name, offset in placement.buffers.items()}
        placed = Placed(addresses, symbols, (base, base + placement.window))
        call = Call(self.device, memory, placed, lap)
        return in_all(
            [
                step.run(call, [base + offset for offset in offsets])
                for step, offsets in zip(steps, placement.areas, strict=True)
            ]
        )

    def _collect(
        self, held: Mapping[str, NDArray[Any]], symbols: Mapping[str, int]
    ) -> tuple[NDArray[Any], ...]:
        outputs: list[NDArray[Any]] = []
        given: set[str] = set()
        for tensor in self.package.outputs:
            data = join(tensor.type, [held[name] for name, _ in tensor.parts])
            data = self._shaped(tensor, data, symbols)
            outputs.append(data.copy() if tensor.buffer in given else data)
            given.add(tensor.buffer)
        return tuple(outputs)

    def _shaped(
        self, tensor: Tensor, array: NDArray[Any], symbols: Mapping[str, int]
    ) -> NDArray[Any]:
        """Return the array of a tensor in its shape.

        Raises:
            PackageError: the array has another number of elements.
        """
        shape = sizes_of(tensor.shape, symbols)
        if array.size != prod(shape):
            raise PackageError(
                f"{self.package.source_name}: error: damaged package: %{tensor.name} has "
                f"{array.size} elements, and the package expects the shape {shape}"
            )
        return array if array.shape == shape else array.reshape(shape)
