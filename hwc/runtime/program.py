"""A package that can be called with arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hwc import package as hwx
from hwc.errors import DispatchError, UserError
from hwc.package import Package, Plan, Tensor
from hwc.package.shapes import check_declared
from hwc.plans.names import all_plans, plan_name, plan_of
from hwc.runtime.arguments import bind, check_types
from hwc.runtime.devices import ClosableDevice, Device, open_device
from hwc.runtime.display import program_html, program_text
from hwc.runtime.lifetime import Lifetime
from hwc.runtime.phases import Lap, Watch, no_lap
from hwc.runtime.placement import place
from hwc.runtime.preparation import Preparation
from hwc.runtime.results import Result, Timing
from hwc.runtime.runner import Runner, begin
from hwc.runtime.timing import CallTimer, call_shapes
from hwc.runtime.trace import Trace
from hwc.runtime.trace.calls import RecordedDevice, check_strips, trace_of
from hwc.runtime.trace.recorder import Recorder
from isa.target import Target

if TYPE_CHECKING:
    from hwc.frontend.language import Language
    from hwc.frontend.source import Source

DEFAULT_DEVICE = "simulator"


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
        self._prepared = Preparation(package, self.target)
        self._runner = Runner(self._prepared, self._device)

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
        return begin(self.package, shapes, arrays).values

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
            steps = self._prepared.linked(self.plan(symbols, plan))
            place(self.package, steps, symbols, self.target.address_bits)

    def plan(self, symbols: Mapping[str, int], name: str | None = None) -> Plan:
        """Return the plan of a call: the one called `name`, or the one with the fewest cycles.

        Raises:
            UserError: there is no plan with this name.
            DispatchError: the plan cannot run at these sizes.
        """
        return self._prepared.plan(symbols, name, range(len(self.package.choices)))

    def close(self) -> None:
        """Close the program: refuse new calls, wait for the calls under way, close the device.

        Closing a program again does nothing.
        """
        self._lifetime.end()
        if self._owns_device and isinstance(self._device, ClosableDevice):
            self._device.close()

    def __enter__(self) -> Program:
        self._lifetime.check()
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
            UserError: no plan has this name; nothing ran.
            DispatchError: the arguments do not fit; nothing ran.
            MachineError: the machine refused a dispatch.
        """
        return self._call(arguments, named, plan)

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
        return CallTimer(self._prepared, own)

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
        device = RecordedDevice(self._device, recorder)
        result = self._call(arguments, named, plan, runner=self._runner.on(device))
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
        self,
        values: Sequence[object],
        named: Mapping[str, object],
        plan: str | None,
        lap: Lap = no_lap,
        runner: Runner | None = None,
    ) -> Result:
        if plan is not None and not isinstance(plan, str):
            raise DispatchError(_no_plan(self.inputs, plan))
        with self._lifetime:
            return (runner or self._runner).run(bind(self.inputs, values, named), plan, lap)


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
