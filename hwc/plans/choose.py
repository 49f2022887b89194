"""The plan of a call: for each choice, the alternative that takes the fewest cycles at its sizes.

Kernels run one after another, so the cycles of a plan are roughly the sum of the cycles of its
choices. Each choice is therefore decided on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from hwc.errors import PackageError
from hwc.package import Choice, MachineStep, Package, Plan
from hwc.plans.estimate import KernelCycles, kernel_bytes, kernel_cycles, total_cycles
from hwc.plans.kernel_model import KernelModel
from isa.target import Target
from sim.decode import Program, structure_fault
from sim.kernel import Kernel

EQUAL = 1.01
"""A factor: the estimate cannot reliably tell apart cycles within this factor of the fewest."""

_REMEMBERED = 4096
"""The maximum number of sizes for which a decision is cached."""


Kernels: TypeAlias = "Mapping[KernelModel, Kernel | None]"
"""The kernels of a choice for given sizes; None if the machine would refuse them."""


@dataclass(frozen=True)
class Alternative:
    """An alternative of a choice, ready to be estimated."""

    name: str
    kernels: tuple[KernelModel, ...]

    def nbytes(self, kernels: Kernels, target: Target) -> int:
        """Return the bytes that the kernels read and write; the machine has to accept the sizes."""
        known = (kernels[model] for model in self.kernels)
        return sum(kernel_bytes(kernel, target) for kernel in known if kernel is not None)


@dataclass(frozen=True)
class Decision:
    """A choice, ready to be decided; `symbols` are the symbols that its kernels read, in order."""

    alternatives: tuple[Alternative, ...]
    symbols: tuple[str, ...]

    @classmethod
    def of(cls, step: MachineStep, choice: Choice) -> Decision:
        """Decode the kernels of a choice."""
        models = {number: KernelModel.of(step.kernels[number]) for number in choice.kernels}
        symbols = {name for number in choice.kernels for name in step.kernels[number].symbols}
        return cls(
            tuple(
                Alternative(a.name, tuple(models[n] for n in a.kernels))
                for a in choice.alternatives
            ),
            tuple(sorted(symbols)),
        )

    def cycles(self, symbols: Mapping[str, int], target: Target) -> list[int | None]:
        """Return the estimated cycles of each alternative; None if the machine would refuse it."""
        return self._cycles(self._kernels(symbols, target), target)

    def _kernels(self, symbols: Mapping[str, int], target: Target) -> Kernels:
        """Return the kernels of all alternatives for these sizes, each only once."""
        models = {model: None for a in self.alternatives for model in a.kernels}
        return {model: model.at(symbols, target) for model in models}

    def _cycles(self, kernels: Kernels, target: Target) -> list[int | None]:
        known = {
            model: None if kernel is None else kernel_cycles(model, kernel, target)
            for model, kernel in kernels.items()
        }
        return [_total([known[model] for model in a.kernels]) for a in self.alternatives]

    def best(self, symbols: Mapping[str, int], target: Target) -> int | None:
        """Return the number of the alternative that takes the fewest cycles; the first in a tie.

        Alternatives within a factor `EQUAL` of the fewest cycles are considered equal; among them,
        the one that moves the fewest bytes is best. None if the machine would refuse every
        alternative. No call has such sizes, because the first alternative needs nothing but what
        the shape program requires.
        """
        kernels = self._kernels(symbols, target)
        estimates = self._cycles(kernels, target)
        least = min((cycles for cycles in estimates if cycles is not None), default=0)
        most = least * EQUAL
        equal = [n for n, cycles in enumerate(estimates) if cycles is not None and cycles <= most]
        if len(equal) < 2:  # noqa: PLR2004 - one plan needs no tie-break
            return equal[0] if equal else None
        return min(equal, key=lambda n: self.alternatives[n].nbytes(kernels, target))


def _problems(package: Package, target: Target) -> Iterator[str]:
    """Yield what is wrong with the kernels of choices; they are estimated before anything runs."""
    for index, step in enumerate(package.steps):
        for number in sorted({n for choice in step.choices for n in choice.kernels}):
            kernel = step.kernels[number]
            parameters = (0,) * len(kernel.parameters)
            fault = structure_fault(Program(target, kernel.words, parameters, (0, 0)))
            if fault is not None:
                yield f"step {index} kernel {number}, word {fault.pc}: {fault.text}"


def _total(cycles: list[KernelCycles | None]) -> int | None:
    known = [kernel for kernel in cycles if kernel is not None]
    return total_cycles(known) if len(known) == len(cycles) else None


class Planner:
    """Chooses the plan of each call of one package."""

    def __init__(self, package: Package, target: Target) -> None:
        """Decode the kernels of all choices.

        Raises:
            PackageError: the machine would refuse a kernel at all sizes.
        """
        self._target = target
        for problem in _problems(package, target):
            raise PackageError(f"{package.source_name}: error: damaged package: {problem}")
        self.decisions = tuple(
            Decision.of(step, choice)
            for step in package.steps
            if isinstance(step, MachineStep)
            for choice in step.choices
        )
        self._best = lru_cache(maxsize=_REMEMBERED)(self._decide)

    def plan(self, symbols: Mapping[str, int], choices: Sequence[int] | None = None) -> Plan:
        """Return the plan that takes the fewest cycles for these values of the symbols.

        The plan is for `choices`, by number and in order: all choices (None), or the choices of
        steps that run together.
        """
        numbers = range(len(self.decisions)) if choices is None else choices
        return tuple(self.best(number, symbols) for number in numbers)

    def best(self, number: int, symbols: Mapping[str, int]) -> int:
        """Return the alternative of choice `number` that takes the fewest cycles."""
        names = self.decisions[number].symbols
        return self._best(number, tuple(symbols[name] for name in names))

    def refused(
        self, plan: Plan, symbols: Mapping[str, int], choices: Sequence[int] | None = None
    ) -> str | None:
        """Return the name of the first alternative of a plan that cannot run at these sizes.

        `choices` are as in `plan`.
        """
        numbers = range(len(self.decisions)) if choices is None else choices
        for decision, number in zip((self.decisions[n] for n in numbers), plan, strict=True):
            if decision.cycles(symbols, self._target)[number] is None:
                return decision.alternatives[number].name
        return None

    def _decide(self, number: int, sizes: tuple[int, ...]) -> int:
        decision = self.decisions[number]
        return decision.best(dict(zip(decision.symbols, sizes, strict=True)), self._target) or 0
