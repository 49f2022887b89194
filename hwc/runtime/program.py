"""A package that can be called with arrays."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hwc import package as hwx
from hwc.errors import DispatchError, PackageError, UserError
from hwc.package import HostStep, Package, Plan, Stretch, Tensor
from hwc.package.host_types import tensor_type
from hwc.package.model import sizes_of
from hwc.package.shapes import check_declared
from hwc.plans.choose import Planner
from hwc.plans.names import all_plans, plan_name, plan_of
from hwc.runtime.arguments import bind, check_types, to_arrays
from hwc.runtime.devices import ClosableDevice, Device, DeviceMemory, open_device
from hwc.runtime.display import program_html, program_text
from hwc.runtime.engines import check_output, open_part
from hwc.runtime.host_elements import elements, fill
from hwc.runtime.lifetime import Lifetime
from hwc.runtime.phases import Lap, Watch, no_lap
from hwc.runtime.placement import Placement, place
from hwc.runtime.recent import Recent
from hwc.runtime.results import Result, StepResult, Timing
from hwc.runtime.roofline import roofline_share
from hwc.runtime.steps import Call, Placed, ReadyStep, StepRun, in_all, ready_steps
from hwc.runtime.stored_elements import join, split
from hwc.runtime.stretches import needed_later, operators_of
from hwc.runtime.timing import CallTimer, call_shapes
from hwc.runtime.trace import Trace
from hwc.runtime.trace.calls import RecordedDevice, check_strips, trace_of
from hwc.runtime.trace.recorder import Recorder
from hwc.shapes.steps import Evaluation
from isa.progress import tracked
from isa.target import Target

if TYPE_CHECKING:
    from hwc.frontend.language import Language
    from hwc.frontend.source import Source

DEFAULT_DEVICE = "simulator"

LINKED_PLANS = 64
"""The largest number of plans for which linked programs are cached, for each stretch."""
PLACEMENTS = 64
"""The largest number of sets of sizes for which placements are cached, for each stretch."""


class Program:
    """A package on a device; calling it with arrays runs it.

    Arguments are copied; results belong to the caller. Any number of threads may call a program at
    the same time; the device `rtl` runs their dispatches one after another. Every check of a call
    happens before anything runs. See `hwc.runtime.arguments` for the accepted arguments.

    Close a program that is no longer needed, or use the program in a `with` statement: the process
    of the device `rtl` then ends at once. A device that was passed as an object stays open.
    `source` is the text that the package was compiled from. `language` and `libraries` are what the
    caller passed to the compiler with it.
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
        self._owns_device = isinstance(device, str)
        self.device_name = device if isinstance(device, str) else type(device).__name__
        self._lifetime = Lifetime(package.source_name)
        self._stretches = package.stretches
        self._ready = Recent[list[ReadyStep]](LINKED_PLANS * len(self._stretches))
        self._placements = Recent[Placement](PLACEMENTS * len(self._stretches))
        self._later = needed_later(package, self._stretches)
        self._operators = [operators_of(stretch) for stretch in self._stretches]
        self._parts = {
            stretch.first: open_part(step, package.constants, package.source_name)
            for stretch in self._stretches
            for step in stretch.steps
            if isinstance(step, HostStep)
        }
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
        """The names of all plans, the first plan first; [''] if there is no choice.

        With several choices, there is one plan for each combination of their alternatives.
        """
        return [plan_name(self.package, plan) for plan in all_plans(self.package)]

    @property
    def source(self) -> Source | None:
        """What the package was compiled from; None if it was loaded."""
        return self._source

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

        Symbols that only a step on the host determines are left out. `arrays` are the arguments;
        only a program whose sizes depend on elements needs them.

        Raises:
            DispatchError: the shapes do not fit.
        """
        return self._sizes(shapes, arrays).values

    def _sizes(
        self, shapes: Sequence[Sequence[int]], arrays: Sequence[NDArray[Any]] | None
    ) -> Evaluation:
        """Check the shapes of a call; return the sizes that they determine. More may be added."""

        def element(argument: int, indices: tuple[int, ...]) -> int:
            assert arrays is not None
            return int(arrays[argument][indices])

        elements = None if arrays is None else element
        return self.package.shape_program.begin(self.inputs, shapes, elements)

    def specialize(self, **shapes: Sequence[int | None] | int) -> str:
        """Return the program with given sizes, as MLIR text that conforms to TOSA 1.0.

        `shapes` are the sizes of arguments by name, as in `specialize(a=(4, None), b=(1, 8))`; None
        leaves a size as it is. A name from `hwc.symbols` has one size, as in `specialize(n=4)`. The
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
        """Make the checks of a call that need no elements: types, sizes and space in memory.

        Raises:
            DispatchError: the arguments do not fit.
            UserError: there is no plan with this name.
        """
        check_types(self.inputs, dtypes)
        check_declared(self.inputs, shapes)
        if not self.package.shape_program.needs_elements and not self.package.host_steps:
            symbols = self.symbols(shapes)
            steps = self._linked(self.plan(symbols, plan))
            place(self.package, steps, symbols, self.target.address_bits)

    def plan(self, symbols: Mapping[str, int], name: str | None = None) -> Plan:
        """Return the plan of a call: the one called `name`, or the one with the fewest cycles.

        Raises:
            UserError: there is no plan with this name.
            DispatchError: the plan cannot run at these sizes.
        """
        return self._plan(symbols, name, range(len(self.package.choices)))

    def _plan(self, symbols: Mapping[str, int], name: str | None, choices: range) -> Plan:
        """Return the plan of a call, for some of the choices."""
        if name is not None:
            plan = plan_of(self.package, name)[choices.start : choices.stop]
            assert self._planner is not None, "a package with names of plans has a choice"
            refused = self._planner.refused(plan, symbols, choices)
            if refused is not None:
                raise DispatchError(
                    f"plan {name!r}: the alternative {refused!r} is for other sizes only; leave "
                    f"out the plan, and the call runs one that fits"
                )
            return plan
        return () if self._planner is None else self._planner.plan(symbols, choices)

    def close(self) -> None:
        """Close the program: refuse new calls, wait for the calls under way, close the device.

        Closing a program again does nothing.
        """
        self._lifetime.end()
        if self._owns_device and isinstance(self._device, ClosableDevice):
            self._device.close()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return program_text(self)

    def _repr_html_(self) -> str:
        """Return the program for a notebook."""
        return program_html(self)

    @property
    def closed(self) -> bool:
        """Whether the program is closed."""
        return self._lifetime.ended

    def __call__(self, /, *arguments: object, plan: str | None = None, **named: object) -> Result:
        """Run the program; `plan` names the plan to follow instead of the best one.

        `arguments` are in the order of the program; `named` are the others, by the names that they
        have in the program, as in `program(x, b=b)`. Pass a name that is not a Python keyword
        argument as in `program(**{"input.1": x})`. Pass an argument called `plan` by position.

        Raises:
            UserError: there is no such plan; nothing ran.
            DispatchError: the arguments do not fit; nothing ran.
            MachineError: the machine refused a dispatch.
        """
        return self._call(arguments, named, plan, no_lap)

    def timed(
        self, /, *arguments: object, plan: str | None = None, **named: object
    ) -> tuple[Result, dict[str, float]]:
        """Run the program; return the result and the seconds that each phase of the call took.

        `hwc.runtime.phases.PHASES` lists the phases. Arguments and errors are those of a call.
        """
        watch = Watch()
        return self._call(arguments, named, plan, watch.lap), watch.seconds

    def time(
        self, *shapes: Sequence[int], plan: str | None = None, **named_shapes: Sequence[int] | int
    ) -> Timing:
        """Return the cycles, the counters and the kernels of a call, without arrays.

        `shapes` are the shapes of the arguments, in order; `named_shapes` are the shapes of the
        others by name, as in `time((4, 5), b=(1, 5))`. A name from `hwc.symbols` stands for one
        size, as in `time(n=4)`. The figures are exactly those of a call on the simulator with such
        arguments, and a call that would fail fails here with the same error. The time and memory
        that this takes do not depend on the number of elements. Steps on the host have no cycles.

        Raises:
            UserError: there is no plan with this name.
            DispatchError: the shapes do not fit, or the sizes of the program depend on elements or
                on the results of a step on the host.
            MachineError: the machine would refuse a dispatch.
        """
        return self._timer.time(call_shapes(self.package, shapes, named_shapes), plan)

    @cached_property
    def _timer(self) -> CallTimer:
        from hwc.runtime.simulator import Simulator  # noqa: PLC0415 - other devices need none

        own = self._device if isinstance(self._device, Simulator) else Simulator(self.target)
        prepare = self._plan, self._linked, self._placed
        return CallTimer(self.package, self.target, self._stretches, self._later, own, *prepare)

    def traced(
        self,
        /,
        *arguments: object,
        plan: str | None = None,
        strips: range | slice | None = None,
        **named: object,
    ) -> tuple[Result, Trace]:
        """Run the program; return the result and a trace of the call (see docs/tracing.md).

        `strips` are the strips to trace, such as `range(1000, 1200)`, numbered across the whole
        call. Without `strips`, all strips are traced, and merged if there are many. Arguments are
        those of a call.

        Raises:
            UserError: the call has no such strips.
            DispatchError: the device cannot be traced. Other errors are those of a call.
        """
        recorder = Recorder(check_strips(strips))
        program = copy.copy(self)
        program._device = device = RecordedDevice(self._device, recorder)
        result = program(*arguments, plan=plan, **named)
        chosen = plan_of(self.package, result.plan) if result.plan else ()
        return result, trace_of(self.package, chosen, device.name, recorder)

    def trace(
        self,
        *shapes: Sequence[int],
        plan: str | None = None,
        strips: range | slice | None = None,
        **named_shapes: Sequence[int] | int,
    ) -> Trace:
        """Return the trace of a call on the simulator from its shapes, without arrays.

        Shapes, plan and errors are those of `time`, strips those of `traced`.
        """
        from hwc.runtime.simulator import RecordingTimer  # noqa: PLC0415 - as in `_timer`

        recorder = Recorder(check_strips(strips))
        timer = replace(self._timer, timer=RecordingTimer(self.target, recorder))
        timing = timer.time(call_shapes(self.package, shapes, named_shapes), plan)
        chosen = plan_of(self.package, timing.plan) if timing.plan else ()
        return trace_of(self.package, chosen, "simulator", recorder)

    def _call(
        self, values: Sequence[object], named: Mapping[str, object], plan: str | None, lap: Lap
    ) -> Result:
        if plan is not None and not isinstance(plan, str):
            raise DispatchError(_no_plan(self.inputs, plan))
        with self._lifetime:
            return self._run_call(bind(self.inputs, values, named), plan, lap)

    def _run_call(self, arguments: Sequence[object], plan: str | None, lap: Lap) -> Result:
        arrays = to_arrays(self.inputs, arguments)
        lap("arguments")
        sizes = self._sizes([a.shape for a in arrays], arrays)
        lap("sizes")
        held = {
            name: part
            for tensor, array in zip(self.inputs, arrays, strict=True)
            for (name, _), part in zip(tensor.parts, split(tensor.type, array), strict=True)
        }
        runs: list[StepRun] = []
        chosen: Plan = ()
        steps: list[StepResult] = []
        stretches = tuple(zip(self._stretches, self._later, self._operators, strict=True))
        for stretch, later, operators in tracked("running", stretches, "steps"):
            start = time.perf_counter()
            before = set(held)
            if stretch.first in self._parts:
                self._run_on_host(stretch, held, sizes, lap)
                counters = share = None
            else:
                own = self._plan(sizes.values, plan, stretch.choices)
                lap("plan")
                run = self._run_stretch(stretch, own, held, later, sizes.values, lap)
                chosen += own
                runs.append(run)
                counters = run.counters
                share = roofline_share(counters, self.target)
            made = dict.fromkeys(a.shape for name, a in held.items() if name not in before)
            held = {name: array for name, array in held.items() if name in later}
            seconds = time.perf_counter() - start
            steps.append(StepResult(operators, tuple(made), counters, share, seconds))
        outputs = self._collect(held, sizes.values)
        name = plan_name(self.package, chosen)
        all_runs = in_all(runs)
        total = all_runs.counters
        shapes = tuple(a.shape for a in arrays)
        result = Result(
            outputs, total["cycles"], total, name, tuple(steps), all_runs.kernels, shapes
        )
        lap("copy_out")
        return result

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
        outputs = self._parts[stretch.first].run(inputs)
        for number, (tensor, array) in enumerate(zip(step.outputs, outputs, strict=True)):
            check_output(step, number, array, tensor_type(tensor.type).dtype)
            sizes.learned[stretch.first, number] = tensor.name, array.shape
            held[tensor.buffer] = array
        lap("device")
        self.package.shape_program.proceed(sizes)
        lap("sizes")

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
        steps = self._linked(plan, stretch)
        lap("link")
        placement = self._placed(stretch, plan, steps, held, later, symbols)
        lap("place")
        try:
            memory = self._device.allocate(placement.size)
            fill(self.package, memory, placement, symbols, held)
            lap("copy_in")
            run = self._run(steps, memory, placement, symbols, lap)
            for name in placement.buffers:
                if name in later and name not in held:
                    buffer = self.package.buffer(name)
                    data = elements(memory, placement, symbols, buffer)
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

    def _placed(
        self,
        stretch: Stretch,
        plan: Plan,
        steps: Sequence[ReadyStep],
        held: Collection[str],
        later: frozenset[str],
        symbols: Mapping[str, int],
    ) -> Placement:
        """Return where a call's buffers are; cached for the next call with these sizes.

        The cache key does not need `held`: the same names are always held before a stretch.
        """
        results = None if len(self._stretches) == 1 else later
        bits = self.target.address_bits
        return self._placements.get(
            (stretch.first, plan, *symbols.values()),
            lambda: place(self.package, steps, symbols, bits, held, results),
        )

    def _linked(self, plan: Plan, stretch: Stretch | None = None) -> list[ReadyStep]:
        """Return the linked steps of a plan; cached for the next call with this plan."""
        whole = stretch is None or len(self._stretches) == 1
        return self._ready.get(
            (0 if stretch is None else stretch.first, plan),
            lambda: ready_steps(self.package, plan, *(() if whole else (stretch,))),
        )

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
        call = Call(self._device, memory, placed, lap)
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
        for tensor in self.outputs:
            data = join(tensor.type, [held[name] for name, _ in tensor.parts])
            data = self._shaped(tensor, data, symbols)
            outputs.append(data.copy() if tensor.buffer in given else data)
            given.add(tensor.buffer)
        return tuple(outputs)


def _no_plan(inputs: Sequence[Tensor], value: object) -> str:
    """Return the message for a value that does not name a plan."""
    text = f"plan: got a value of type {type(value).__name__}, expected the name of a plan"
    if any(tensor.name == "plan" for tensor in inputs):
        text += "; the argument %plan is given by its position"
    return text


def _show(shape: object) -> str:
    """Format the sizes of an argument, or one size, as on a command line; the parser checks."""
    if isinstance(shape, Iterable) and not isinstance(shape, str):
        return "x".join(map(_show, cast("Iterable[object]", shape))) or "scalar"
    return "?" if shape is None else str(shape)
