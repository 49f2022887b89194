"""Checks that a program, a result and a trace are of one call: a page of two calls is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwc.errors import UserError, counted
from hwc.package import Package
from hwc.reports.words import by_x
from hwc.runtime.kernels import KernelResult
from hwc.runtime.results import Result, Timing
from hwc.runtime.trace.model import SliceTrack, Trace
from isa.target import Target


def check_result(package: Package, target: Target, result: Result | Timing) -> None:
    """Check that a result is of a call of this package on this target.

    Raises:
        UserError: it is not; the message says what was given and what was expected.
    """
    kernels = result.kernels
    if kernels is None:
        raise UserError(
            "the result does not tell kernels apart, because the hardware counts them together; "
            "call the program on the simulator, which has the same counters"
        )
    found = result.target if isinstance(result, Timing) else kernels[0].target if kernels else None
    if found is not None and found != target:
        raise _other_result(f"it is from target {found.name}", _of_target(found, target))
    if result.shapes:
        given, expected = len(result.shapes), len(package.inputs)
        if given != expected:
            raise _other_result(f"it has {counted(given, 'argument')}", f"takes {expected}")
    _check_kernels(package, result.plan, kernels)
    if package.host_steps and isinstance(result, Result):
        steps, expected = len(result.steps), len(package.steps)
        if steps != expected:
            raise _other_result(f"it has {counted(steps, 'step')}", f"has {expected}")


def check_trace(package: Package, result: Result | Timing, trace: Trace) -> None:
    """Check that a trace is of the call that a result is of.

    Raises:
        UserError: it is not; the message says what was given and what was expected.
    """
    expected = f"{package.entry} of {package.source_name} on {package.target['name']}"
    if trace.program != expected:
        raise _other_trace(f"it is of {trace.program}", f"is of {expected}")
    if trace.cycles != result.cycles:
        took = _cycles(result.cycles)
        raise _other_trace(f"it ends after {_cycles(trace.cycles)}", f"has {took}")
    kernels = result.kernels or ()
    for number, operators, sizes in _traced_kernels(trace):
        given = f"its kernel {number} is {operators}, {sizes}"
        if number >= len(kernels):
            raise _other_trace(given, f"has {counted(len(kernels), 'kernel')}")
        own = kernels[number]
        if (operators, sizes) != (own.operators, by_x(own.sizes)):
            text = f"{own.operators}, {by_x(own.sizes)}"
            raise _other_trace(given, f"has kernel {number} {text}")


def _cycles(cycles: int) -> str:
    """Return a number of cycles as people read it."""
    return f"{cycles:,} cycle{'' if cycles == 1 else 's'}"


def _of_target(found: Target, target: Target) -> str:
    """Return what the target of a program has that another one lacks."""
    if found.name != target.name:
        return f"is for target {target.name}"
    mine, other = target.to_dict(), found.to_dict()
    name = next(name for name in mine if mine[name] != other[name])
    return f"is for a target of that name with {name} {mine[name]} instead of {other[name]}"


def _check_kernels(package: Package, plan: str, kernels: Sequence[KernelResult]) -> None:
    """Check that a call of the package that follows the plan runs these kernels."""
    names, choices = plan.split(",") if plan else [], package.choices
    known = [[alternative.name for alternative in choice.alternatives] for choice in choices]
    if len(names) != len(choices) or any(
        name not in some for name, some in zip(names, known, strict=True)
    ):
        given = f"it followed plan {plan}" if plan else "it followed no plan"
        plans = "; ".join(", ".join(some) for some in known[:3])
        has = f"has the plans {plans}" if len(known) == 1 else f"has {len(known)} choices"
        raise _other_result(given, has if known else "has no choice of plans")
    chosen = tuple(some.index(name) for name, some in zip(names, known, strict=True))
    numbers = package.kernel_numbers(chosen, package.steps)
    own = package.kernels(chosen, package.steps)
    expected = [(*place, kernel.source) for place, kernel in zip(numbers, own, strict=True)]
    for number, (kernel, one) in enumerate(zip(kernels, expected, strict=False)):
        if (kernel.step, kernel.kernel, kernel.operators) != one:
            raise _other_result(
                f"its kernel {number} is kernel {kernel.kernel} of step {kernel.step}, "
                f"{kernel.operators}",
                f"has there kernel {one[1]} of step {one[0]}, {one[2]}",
            )
    if len(kernels) != len(expected):
        given = f"it has {counted(len(kernels), 'kernel')}"
        raise _other_result(given, f"runs {len(expected)}")


def _traced_kernels(trace: Trace) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the operators and the sizes of each kernel that a trace tells apart."""
    for track in trace.tracks:
        for one in track.slices if isinstance(track, SliceTrack) else ():
            if track.name == "kernels" and "kernel" in one.args:
                yield int(one.args["kernel"]), str(one.args["operators"]), str(one.args["sizes"])


def _other_result(given: str, expected: str) -> UserError:
    return UserError(
        f"the result is of another call: {given}, and the program {expected}: give a result of "
        "this program"
    )


def _other_trace(given: str, expected: str) -> UserError:
    return UserError(
        f"the trace is of another call: {given}, and the result {expected}: give the result and "
        "the trace of one call"
    )
