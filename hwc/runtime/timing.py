"""Computes the cycles and counters of a call from the shapes of its arguments alone."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import isa
from hwc.errors import DispatchError
from hwc.package import HostStep, Package, Plan, Tensor
from hwc.package.shapes import wrong_count
from hwc.plans.names import plan_name
from hwc.runtime.accounts import Copies, accounts_of, copies_of
from hwc.runtime.host_elements import check_host_elements
from hwc.runtime.preparation import Preparation
from hwc.runtime.results import Timing
from hwc.runtime.steps import Placed, StepRun, Timer, in_all
from hwc.shapes.steps import Dim, Element, Evaluation, Learned, argument

Shape: TypeAlias = Sequence[int]

_BASE = isa.load().limits.window_alignment
"""The base address of a call's memory: any multiple of the alignment gives the same cycles."""


@dataclass(frozen=True)
class CallTimer:
    """Times calls of a package, which are prepared as for a run."""

    prepared: Preparation
    timer: Timer

    @property
    def package(self) -> Package:
        """The package whose calls are timed."""
        return self.prepared.package

    def time(self, shapes: Sequence[Shape], plan: str | None) -> Timing:
        """Time a call with these shapes; errors are those of `Program.time`."""
        symbols = self._symbols(shapes)
        held = {name for tensor in self.package.inputs for name, _ in tensor.parts}
        runs: list[StepRun] = []
        chosen: Plan = ()
        copies = Copies()
        prepared = self.prepared
        for stretch, later in zip(prepared.stretches, prepared.later, strict=True):
            if isinstance(stretch.steps[0] if stretch.steps else None, HostStep):
                made = {t.buffer for step in stretch.steps for t in _outputs(step)}
                held = (held | made) & later
                continue
            own = prepared.plan(symbols, plan, stretch.choices)
            chosen += own
            steps = prepared.linked(own, stretch)
            placement = prepared.placed(stretch, own, steps, held, later, symbols)
            check_host_elements(self.package, placement.buffers, symbols)
            addresses = {name: _BASE + offset for name, offset in placement.buffers.items()}
            where = Placed(addresses, symbols, (_BASE, _BASE + placement.window))
            runs += (
                step.time(self.timer, where, [_BASE + offset for offset in offsets])
                for step, offsets in zip(steps, placement.areas, strict=True)
            )
            if self.package.work is not None:
                copies += copies_of(self.package, steps, held, later, symbols)
            held = (held | placement.buffers.keys()) & later
        name = plan_name(self.package, chosen)
        own = tuple(map(tuple, shapes))
        run = in_all(runs)
        counters, kernels = run.counters, run.kernels or ()
        accounts = accounts_of(self.package, symbols, copies)
        return Timing(counters["cycles"], counters, name, kernels, prepared.target, own, accounts)

    def _symbols(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        """Check the shapes of a call, and return the value of every symbol.

        Raises:
            DispatchError: the shapes do not fit, or do not determine every size.
        """
        program = self.package.shape_program
        for step in program.steps:
            if isinstance(step, Element):
                who = argument(step.argument, self.package.inputs[step.argument].name)
                raise DispatchError(
                    f"sizes of this program depend on elements of {who}, so its cycles do too: "
                    f"run it with arrays, whose result has the same counters"
                )
        call = program.begin(self.package.inputs, shapes)
        while call.position < len(program.steps):
            self._pass_learned(call)
            program.proceed(call)
        return call.values

    def _pass_learned(self, call: Evaluation) -> None:
        """Pass on the size that a step on the host will determine, if it is already known."""
        step = self.package.shape_program.steps[call.position]
        assert isinstance(step, Learned), "the evaluation stops before nothing else"
        if step.result not in call.values:
            host = self.package.steps[step.step]
            of = f" ({host.source})" if isinstance(host, HostStep) else ""
            raise DispatchError(
                f"sizes of this program depend on what step {step.step}{of} computes on the host, "
                f"so its cycles do too: run it with arrays, whose result has the same counters"
            )
        call.position += 1


def _outputs(step: object) -> Sequence[Tensor]:
    return step.outputs if isinstance(step, HostStep) else ()


def call_shapes(
    package: Package, shapes: Sequence[object], named: Mapping[str, object]
) -> list[tuple[int, ...]]:
    """Return the shape of each argument, from shapes given in order and shapes given by name.

    A name is the name of an argument, or of a symbol, which has one size.

    Raises:
        DispatchError: a shape is missing, is given twice or is not a list of sizes.
    """
    inputs = package.inputs
    if len(shapes) > len(inputs):
        raise DispatchError(wrong_count(inputs, len(shapes)))
    given = {tensor.name: shape for tensor, shape in zip(inputs, shapes, strict=False)}
    steps = package.shape_program.steps if named else ()
    dims = [step for step in steps if isinstance(step, Dim) and step.named]
    symbols = {step.result for step in dims}
    sizes: dict[str, int] = {}
    names = [tensor.name for tensor in inputs]
    for name, value in named.items():
        if name in given:
            raise DispatchError(f"argument '{name}' has two shapes: by its place, and by its name")
        if name in names:
            given[name] = value
        elif name in symbols:
            sizes[name] = _size(f"size '{name}'", value)
        else:
            known = ", ".join([*names, *sorted(symbols)]) or "none"
            raise DispatchError(f"there is no argument or size '{name}': known are {known}")
    found = [_shape(number, tensor, given, sizes) for number, tensor in enumerate(inputs)]
    for dim in dims:
        wanted = sizes.get(dim.result)
        for size in found[dim.argument][dim.dimension : dim.dimension + 1]:
            if wanted is not None and size != wanted:
                raise DispatchError(
                    f"size '{dim.result}' is given as {wanted}, but the shapes make it {size}"
                )
    return found


def _shape(
    number: int, tensor: Tensor, given: Mapping[str, object], sizes: Mapping[str, int]
) -> tuple[int, ...]:
    """Return the shape of an argument: the given shape, or the one that the sizes determine."""
    who = argument(number, tensor.name)
    if tensor.name in given:
        value = given[tensor.name]
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            got = value if isinstance(value, int | str | bytes) else type(value).__name__
            raise DispatchError(f"{who}: got {got!r}, expected a shape such as (4, 5)")
        return tuple(_size(f"{who}, dimension {d}", size) for d, size in enumerate(value))
    missing = [size for size in tensor.shape if isinstance(size, str) and size not in sizes]
    if missing:
        raise DispatchError(
            f"{who}: got no shape ({tensor}); give one by its place, or by its name, or give each "
            f"of its sizes by a name of hwc.symbols"
        )
    return tuple(sizes[size] if isinstance(size, str) else size for size in tensor.shape)


def _size(who: str, value: object) -> int:
    """Return a size; anything with `__index__`, such as NumPy's integers, is a whole number."""
    try:
        size = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        size = -1
    if size < 0 or isinstance(value, bool):
        raise DispatchError(f"{who}: got {value!r}, expected a whole number, 0 or more")
    return size
