"""A package that is ready to be called with arrays."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

import isa
from hwc import package as hwx
from hwc.errors import DispatchError, UserError
from hwc.package import Buffer, Package, Plan, Tensor
from hwc.package.model import sizes_of
from hwc.package.shapes import check_declared
from hwc.plans.choose import Planner
from hwc.plans.names import all_plans, plan_name, plan_of
from hwc.runtime.arguments import check_types, to_arrays
from hwc.runtime.devices import Device, DeviceMemory, open_device
from hwc.runtime.host_elements import host_elements
from hwc.runtime.phases import Lap, Watch, no_lap
from hwc.runtime.placement import Placement, place
from hwc.runtime.steps import Call, ReadyStep, ready_steps
from hwc.runtime.stored_elements import join, split
from isa.target import Target

if TYPE_CHECKING:
    from hwc.frontend.language import Language
    from hwc.frontend.source import Source

DEFAULT_DEVICE = "simulator"

LINKED_PLANS = 64
"""The plans whose linked programs are kept, at most; the plan used longest ago goes first."""


@dataclass(frozen=True)
class Result:
    """The result of a call: one array per result of the program, and the machine's counters.

    `cycles` and `counters` are summed over the call's dispatches; `counters` has the names of
    `isa/counters.yaml`, in that order. `plan` is the name of the plan that ran, '' if the package
    has no choice.
    """

    outputs: tuple[NDArray[Any], ...]
    cycles: int
    counters: Mapping[str, int]
    plan: str = ""


class Program:
    """A package on a device; calling it with arrays runs it.

    Arguments are copied, results are the caller's own. Any number of threads may call a program at
    the same time; the device `rtl` runs their dispatches one after another. Every check of a call
    happens before anything runs. See `hwc.runtime.arguments` for what is accepted as an argument.
    `source` is the text that the package was compiled from, `language` what the caller said about
    it then, and `libraries` what defined its operators.
    """

    def __init__(
        self,
        package: Package,
        device: str | Device = DEFAULT_DEVICE,
        source: Source | None = None,
        language: Language | None = None,
        libraries: Sequence[Source] = (),
    ) -> None:
        self.package = package
        self._source = source
        self._language = language
        self._libraries = libraries
        self.target = Target.from_dict(dict(package.target), where=package.source_name)
        self._device = open_device(device, self.target) if isinstance(device, str) else device
        self._ready: dict[Plan, list[ReadyStep]] = {}
        self._ready_lock = threading.Lock()
        self._planner = Planner(package, self.target) if package.choices else None

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The declared arguments."""
        return self.package.inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The declared results."""
        return self.package.outputs

    @property
    def plans(self) -> list[str]:
        """The names of all plans, that of the first plan first; [''] if there is no choice.

        With several choices there is one plan for each combination of their alternatives.
        """
        return [plan_name(self.package, plan) for plan in all_plans(self.package)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the package as a `.hwx` file.

        Raises:
            PackageError: the file cannot be written.
        """
        hwx.save(self.package, path)

    def symbols(
        self, shapes: Sequence[Sequence[int]], arrays: Sequence[NDArray[Any]] | None = None
    ) -> dict[str, int]:
        """Check the shapes of a call and return the value of every symbol; nothing runs.

        `arrays` are the arguments; only a program whose sizes depend on elements needs them.

        Raises:
            DispatchError: the shapes do not fit.
        """

        def element(argument: int, indices: tuple[int, ...]) -> int:
            assert arrays is not None
            return int(arrays[argument][indices])

        elements = None if arrays is None else element
        return self.package.shape_program.evaluate(self.inputs, shapes, elements)

    def specialize(self, **shapes: Sequence[int | None] | int) -> str:
        """Return the program with given sizes as MLIR text in the form of TOSA 1.0.

        `shapes` are the sizes of arguments by name, as in `specialize(a=(4, None), b=(1, 8))`; None
        leaves a size as it is. A name of `hwc.symbols` has one size, as in `specialize(n=4)`. The
        text can be compiled again.

        Raises:
            UserError: there is no such argument, no call of the program has these sizes, or the
                program was loaded from a package, which does not hold the text.
        """
        from hwc.compiler import specialize  # noqa: PLC0415 - running a package needs no compiler

        if self._source is None:
            raise UserError(
                f"{self.package.source_name}: error: a package does not hold the text of its "
                "program; compile the text, and specialize that"
            )
        dims = ",".join(f"{name}={_show(shape)}" for name, shape in shapes.items())
        return specialize(
            self._source,
            dims,
            entry=self.package.entry,
            language=self._language,
            libraries=self._libraries,
        )

    def check(
        self,
        shapes: Sequence[Sequence[int]],
        dtypes: Sequence[np.dtype[Any]],
        plan: str | None = None,
    ) -> None:
        """Check a call as far as that needs no element: types, sizes, and room in the memory.

        Raises:
            DispatchError: the arguments do not fit.
            UserError: there is no plan with this name.
        """
        check_types(self.inputs, dtypes)
        check_declared(self.inputs, shapes)
        if not self.package.shape_program.needs_elements:
            symbols = self.symbols(shapes)
            steps = self._linked(self.plan(symbols, plan))
            place(self.package, steps, symbols, self.target.address_bits)

    def plan(self, symbols: Mapping[str, int], name: str | None = None) -> Plan:
        """Return the plan of a call: the one called `name`, or the one with the fewest cycles.

        Raises:
            UserError: there is no plan with this name.
            DispatchError: the plan cannot run at these sizes.
        """
        if name is not None:
            plan = plan_of(self.package, name)
            assert self._planner is not None, "a package with names of plans has a choice"
            refused = self._planner.refused(plan, symbols)
            if refused is not None:
                raise DispatchError(
                    f"plan {name!r}: the alternative {refused!r} is for other sizes only; leave "
                    f"out the plan, and the call runs one that fits"
                )
            return plan
        return () if self._planner is None else self._planner.plan(symbols)

    def __call__(self, *arguments: object, plan: str | None = None) -> Result:
        """Run the program; `plan` names the plan to follow instead of the best one.

        Raises:
            UserError: there is no such plan; nothing ran.
            DispatchError: the arguments do not fit; nothing ran.
            MachineError: the machine refused a dispatch.
        """
        return self._call(arguments, plan, no_lap)

    def timed(self, *arguments: object, plan: str | None = None) -> tuple[Result, dict[str, float]]:
        """Run the program, and return the seconds that each phase of the call took as well.

        `hwc.runtime.phases.PHASES` says what the phases are. Errors are those of a call.
        """
        watch = Watch()
        return self._call(arguments, plan, watch.lap), watch.seconds

    def _call(self, arguments: Sequence[object], plan: str | None, lap: Lap) -> Result:
        arrays = to_arrays(self.inputs, arguments)
        lap("arguments")
        symbols = self.symbols([a.shape for a in arrays], arrays)
        lap("sizes")
        chosen = self.plan(symbols, plan)
        lap("plan")
        steps = self._linked(chosen)
        lap("link")
        placement = place(self.package, steps, symbols, self.target.address_bits)
        lap("place")
        try:
            memory = self._device.allocate(placement.size)
            self._fill(memory, placement, symbols, arrays)
            lap("copy_in")
            counters = self._run(steps, memory, placement, symbols, lap)
            outputs = self._collect(memory, placement, symbols)
        except MemoryError as error:
            raise DispatchError(
                f"the call needs {placement.size} bytes of memory and room to compute, more than "
                "the host has free"
            ) from error
        name = plan_name(self.package, chosen)
        result = Result(outputs, counters["cycles"], counters, name)
        lap("copy_out")
        return result

    def _linked(self, plan: Plan) -> list[ReadyStep]:
        """Return the linked steps of a plan; they are kept for the next call with this plan."""
        with self._ready_lock:
            steps = self._ready.pop(plan, None)
            if steps is None:
                steps = ready_steps(self.package, plan)
            self._ready[plan] = steps
            if len(self._ready) > LINKED_PLANS:
                del self._ready[next(iter(self._ready))]
            return steps

    def _fill(
        self,
        memory: DeviceMemory,
        placement: Placement,
        symbols: Mapping[str, int],
        arrays: Sequence[NDArray[Any]],
    ) -> None:
        for tensor, array in zip(self.inputs, arrays, strict=True):
            for (name, _), part in zip(tensor.parts, split(tensor.type, array), strict=True):
                if name in placement.buffers:
                    buffer = self.package.buffer(name)
                    elements = _elements(memory, placement, symbols, buffer)
                    elements.reshape(part.shape)[...] = part
        for buffer in self.package.buffers:
            if buffer.name not in placement.buffers:
                continue
            if buffer.kind in {"values", "positions"}:
                elements = _elements(memory, placement, symbols, buffer)
                elements[...] = host_elements(buffer, symbols)
            elif buffer.kind == "constant":
                data = np.frombuffer(
                    self.package.constants, np.uint8, buffer.nbytes(symbols), buffer.offset
                )
                memory.view(memory.base + placement.buffers[buffer.name], len(data))[:] = data

    def _run(
        self,
        steps: Sequence[ReadyStep],
        memory: DeviceMemory,
        placement: Placement,
        symbols: Mapping[str, int],
        lap: Lap,
    ) -> dict[str, int]:
        base = memory.base
        addresses = {name: base + offset for name, offset in placement.buffers.items()}
        window = base, base + placement.window
        call = Call(self._device, memory, addresses, symbols, window, lap)
        total = dict.fromkeys(isa.load().counters, 0)
        for step, offsets in zip(steps, placement.areas, strict=True):
            counted = step.run(call, [base + offset for offset in offsets])
            for name, value in counted.items():
                total[name] += value
        return total

    def _collect(
        self, memory: DeviceMemory, placement: Placement, symbols: Mapping[str, int]
    ) -> tuple[NDArray[Any], ...]:
        outputs: list[NDArray[Any]] = []
        given: set[str] = set()
        for tensor in self.outputs:
            data = join(
                tensor.type,
                [
                    _elements(memory, placement, symbols, self.package.buffer(name))
                    for name, _ in tensor.parts
                ],
            )
            data = data.reshape(sizes_of(tensor.shape, symbols))
            # A view spares a copy but keeps the whole memory alive, which a small one must not.
            if tensor.buffer in given or 4 * data.nbytes < placement.size:
                data = data.copy()
            given.add(tensor.buffer)
            outputs.append(data)
        return tuple(outputs)


def _show(shape: object) -> str:
    """Write the sizes of an argument, or one size, as on a command line, whose reader checks it."""
    if isinstance(shape, Iterable) and not isinstance(shape, str):
        return "x".join(map(_show, cast("Iterable[object]", shape))) or "scalar"
    return "?" if shape is None else str(shape)


def _elements(
    memory: DeviceMemory, placement: Placement, symbols: Mapping[str, int], buffer: Buffer
) -> NDArray[Any]:
    address = memory.base + placement.buffers[buffer.name]
    return memory.view(address, buffer.nbytes(symbols)).view(isa.load().types[buffer.type].dtype)
