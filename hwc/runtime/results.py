"""The result of a call, in all and step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Result:
    """The result of a call: one array per result of the program, and the machine's counters.

    `cycles` and `counters` are summed over the call's dispatches; `counters` has the names of
    `isa/counters.yaml`, in that order. `plan` is the name of the plan that ran, '' if the package
    has no choice. `steps` has a row for each step, in order.
    """

    outputs: tuple[NDArray[Any], ...]
    cycles: int
    counters: Mapping[str, int]
    plan: str = ""
    steps: tuple[StepResult, ...] = ()


@dataclass(frozen=True)
class StepResult:
    """What one step of a program took, on the machine or on the host.

    `operators` says which operators the step has; `counters` are the machine's, None for a step on
    the host. `seconds` are those of this computer: the machine's time is in the cycles.
    """

    operators: str
    counters: Mapping[str, int] | None
    seconds: float
