"""The result of a call, in total and step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from hwc.runtime.accounts import Accounts
from hwc.runtime.display import (
    result_html,
    result_text,
    row_html,
    step_text,
    timing_html,
    timing_text,
)
from hwc.runtime.kernels import KernelResult, kernel_table
from hwc.runtime.roofline import bytes_moved, ideal_cycles, roofline_share
from isa.target import Target


@dataclass(frozen=True)
class Result:
    """The result of a call: one array per result of the program, and the machine's counters.

    `cycles` and `counters` are sums over the call's dispatches; `counters` has the names of
    `isa/counters.yaml`, in that order. `plan` is the name of the plan that ran, '' if the package
    has no choice. `steps` has a row for each step, in order.

    `kernels` has a row for each kernel of every step on the machine, in the order of execution. It
    is None if the device does not tell kernels apart: the hardware counts all kernels together.
    `shapes` are the shapes of the arguments. `accounts` say what share of a model's arithmetic the
    machine computed, and what the host did; None for a program of the machine alone.
    """

    outputs: tuple[NDArray[Any], ...]
    cycles: int
    counters: Mapping[str, int]
    plan: str = ""
    steps: tuple[StepResult, ...] = ()
    kernels: tuple[KernelResult, ...] | None = None
    shapes: tuple[tuple[int, ...], ...] = ()
    accounts: Accounts | None = None

    def __repr__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        """Return the result for a notebook."""
        return result_html(self)

    def kernel_table(self) -> list[dict[str, Any]] | None:
        """Return the kernels as rows of values by column name, a form that pandas.DataFrame takes.

        The columns are a `number` in the order of execution, the attributes of `KernelResult`, and
        the counters of the machine. None if `kernels` is None.
        """
        return None if self.kernels is None else kernel_table(self.kernels)

    def table(self) -> list[dict[str, Any]]:
        """Return the steps as rows of values by column name, a form that pandas.DataFrame takes.

        The columns are those of `StepResult`, with the number of the `step` and what the step ran
        `on` ("machine" or "host"). For the machine, there are also `cycles`, `bytes` on the bus and
        the share of the `roofline`; these are None for the host.
        """
        return [{"step": number, **step.row()} for number, step in enumerate(self.steps)]


@dataclass(frozen=True)
class StepResult:
    """What one step of a program took, on the machine or on the host.

    `operators` says which operators the step has. `sizes` are the sizes of the tensors that the
    step computes for other steps or the caller. `counters` are the machine's counters, and
    `roofline` is the share of the roofline that they reach (see `hwc.runtime.roofline`); both are
    None for a step on the host. `seconds` is time on this computer; the machine's time is in the
    cycles.
    """

    operators: str
    sizes: tuple[tuple[int, ...], ...]
    counters: Mapping[str, int] | None
    roofline: float | None
    seconds: float

    def __repr__(self) -> str:
        return step_text(self)

    def _repr_html_(self) -> str:
        """Return the step for a notebook."""
        return row_html(self.row())

    def row(self) -> dict[str, Any]:
        """Return the step as a row of `Result.table`."""
        counters = self.counters
        return {
            "on": "host" if counters is None else "machine",
            "sizes": self.sizes,
            "cycles": None if counters is None else counters["cycles"],
            "bytes": None if counters is None else bytes_moved(counters),
            "roofline": self.roofline,
            "seconds": self.seconds,
            "operators": self.operators,
        }


@dataclass(frozen=True)
class Timing:
    """What a call with given shapes takes: everything that a `Result` says, except outputs.

    `cycles`, `counters`, `plan`, `kernels` and `shapes` are those of a `Result` on the simulator.
    `accounts` are those of a `Result`, without a time of the host: nothing ran.
    """

    cycles: int
    counters: Mapping[str, int]
    plan: str
    kernels: tuple[KernelResult, ...]
    target: Target = field(repr=False)
    shapes: tuple[tuple[int, ...], ...] = ()
    accounts: Accounts | None = None

    def __repr__(self) -> str:
        return timing_text(self)

    def _repr_html_(self) -> str:
        """Return the figures for a notebook."""
        return timing_html(self)

    @property
    def ideal_cycles(self) -> int:
        """The fewest cycles in which buses, lanes and special functions can do the work."""
        return ideal_cycles(self.counters, self.target)

    @property
    def roofline(self) -> float:
        """Ideal cycles over cycles: 1 if the call never waits; 0 if nothing runs."""
        return roofline_share(self.counters, self.target)

    def kernel_table(self) -> list[dict[str, Any]]:
        """Return the kernels as rows, as `Result.kernel_table` does."""
        return kernel_table(self.kernels)
