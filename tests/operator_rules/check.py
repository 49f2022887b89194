"""Checks that legal examples are right, and that misfits are refused in all forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from e2e.support.no_engine import ReachedError, without_engine
from operator_rules import elementwise, moves, sums
from operator_rules.table import FORMS, Array, Example, Form, Misfit

from hwc.cli.compare import Tolerance, difference
from hwc.compiler import compile_package
from hwc.errors import MachineError, UserError
from hwc.frontend.source import Source
from hwc.models.compile import Cut
from hwc.package import HostStep, Package
from hwc.runtime.program import Program
from hwc.tosa import parts
from isa.target import load_target

PLACE = re.compile(r"-:\d+:\d+: error: ")
REFUSED, ACCEPTED, CRASHED = "refused", "accepted", "crashed"


@dataclass(frozen=True, eq=False)
class Case:
    """An example in a form, with a misfit or without."""

    example: Example
    form: Form
    misfit: Misfit | None = None

    @property
    def changed(self) -> Example:
        """The example with the misfit."""
        return self.example if self.misfit is None else self.example.broken(self.misfit)

    def __str__(self) -> str:
        rule = f": {self.misfit.rule}" if self.misfit else ""
        return f"{self.example.operator}, {self.form}{rule}"


class Found(NamedTuple):
    """What became of a case with a misfit: the verdict, the error, and what the error lacks."""

    case: Case
    verdict: str
    message: str = ""
    lacks: tuple[str, ...] = ()


def examples() -> list[Example]:
    """Return the examples of all operators."""
    return [*elementwise.examples(), *moves.examples(), *sums.examples()]


def misfits(chosen: Iterable[Example]) -> list[Case]:
    """Return the misfits in all forms."""
    return [
        Case(example, form, misfit)
        for example in chosen
        for misfit in example.every_misfit()
        for form in FORMS
    ]


class Programs:
    """Compiles programs. Parts on the host wait for `load`, as the start of IREE takes long."""

    def __init__(self) -> None:
        self._packages: dict[tuple[str, tuple[str, ...]], Package | UserError] = {}
        self._parts: dict[str, parts.PartText] = {}
        self._modules: dict[str, bytes] = {}

    def compiled(self, case: Case) -> Package | UserError:
        """Return the package of a case, or why it is refused; its parts are not compiled yet."""
        on_host = case.form.place == "host" and case.example.machine
        key = case.changed.text(case.form), (case.example.operator,) if on_host else ()
        if key not in self._packages:
            self._packages[key] = self._compile(*key)
        return self._packages[key]

    def _compile(self, text: str, kept: tuple[str, ...]) -> Package | UserError:
        prefix = f"program{len(self._packages)}_"

        def keep(own: Mapping[str, parts.PartText]) -> bytes:
            self._parts.update({f"{prefix}{name}": part for name, part in own.items()})
            return b""

        try:
            with patch("hwc.tosa.compile.parts_module", keep):
                cut = Cut(kept) if kept else None
                package = compile_package(Source("-", text), load_target("accel"), cut=cut).package
        except UserError as error:
            return error
        return _changed(package, lambda step: replace(step, function=prefix + step.function))

    def load(self) -> None:
        """Compile the parts of all programs; those that IREE refuses are left out."""
        self._load(self._parts)
        self._parts = {}

    def _load(self, together: Mapping[str, parts.PartText]) -> None:
        try:
            self._modules |= dict.fromkeys(together, parts.parts_module(together))
        except parts.RefusedError as refused:
            left = {n: part for n, part in together.items() if refused.node not in part.nodes}
            if 0 < len(left) < len(together):
                self._load(left)
            elif len(together) > 1:  # IREE does not say which part it refuses
                every, half = [*together.items()], len(together) // 2
                self._load(dict(every[:half]))
                self._load(dict(every[half:]))

    def program(self, package: Package) -> Program | None:
        """Return a package as a program; None if IREE does not compile a part."""
        functions = {s.function for s in package.steps if isinstance(s, HostStep)}
        if not functions <= self._modules.keys():
            return None
        return Program(
            _changed(package, lambda step: replace(step, model=self._modules[step.function]))
        )


def _changed(package: Package, change: Callable[[HostStep], HostStep]) -> Package:
    steps = (change(step) if isinstance(step, HostStep) else step for step in package.steps)
    return replace(package, steps=tuple(steps))


def arguments(example: Example) -> list[Array]:
    """Return the arguments of the program of an example."""
    arrays = zip(example.operands, example.arrays(), strict=True)
    return [array for operand, array in arrays if not operand.constant]


def judged(chosen: Sequence[Example]) -> dict[Case, str | None]:
    """Return what is wrong with each legal example in each form; None if it is right."""
    every = [Case(example, form) for example in chosen for form in FORMS]
    programs = Programs()
    for case in every:
        programs.compiled(case)
    programs.load()
    return {case: _problem(case, programs) for case in every}


def _problem(case: Case, programs: Programs) -> str | None:
    package = programs.compiled(case)
    if isinstance(package, UserError):
        return f"refused: {str(package).splitlines()[0]}"
    program = programs.program(package)
    if program is None:
        return NOT_COMPILED
    expected = case.example.meaning(*case.example.arrays())
    expected = expected if isinstance(expected, tuple) else (expected,)
    ulp = case.example.ulp
    if ulp and case.form.place == "host":
        ulp = max(ulp, HOST_ULP)
    outputs = program(*arguments(case.example)).outputs
    for output, value, result in zip(outputs, expected, case.example.results, strict=True):
        array = np.asarray(value).astype(output.dtype)
        wrong = difference(output, array, Tolerance(ulp=ulp))
        if wrong is not None or output.shape != result.shape:
            return f"wrong: {str(wrong or output.shape).splitlines()[0]}"
    return None


HOST_ULP = 4
"""How far a function on the host may be from NumPy's: IREE's are less exact than the machine's."""

NOT_COMPILED = "IREE refuses it"
"""What is said of a legal example that IREE does not compile."""


def refusals(cases: Iterable[Case]) -> list[Found]:
    """Return what became of misfits."""
    programs = Programs()
    return [refusal(case, programs) for case in cases]


def refusal(case: Case, programs: Programs) -> Found:
    """Return what became of a misfit; the engine does not run, as it must not be reached."""
    package = programs.compiled(case)
    try:
        if isinstance(package, UserError):
            raise package
        with without_engine():
            Program(package)(*arguments(case.changed))
    except MachineError as error:
        return Found(case, CRASHED, str(error))
    except UserError as error:
        return Found(case, REFUSED, str(error), tuple(_lacks(case, str(error))))
    except ReachedError:
        return Found(case, ACCEPTED)
    except Exception as error:  # every other one is a crash
        return Found(case, CRASHED, f"{type(error).__name__}: {error}")
    return Found(case, ACCEPTED)


def _lacks(case: Case, message: str) -> Iterator[str]:
    """Yield what a message has to say and does not."""
    if not PLACE.match(message):
        yield "place"
    if f"'tosa.{case.example.operator}'" not in message:
        yield "operator"
    if "IREE" in message:
        yield "hwc's own words"
    for text in case.misfit.says if case.misfit else ():
        for pattern in _patterns(case, text):
            if not re.search(pattern, message, re.S):
                yield pattern


def _patterns(case: Case, said: str) -> Sequence[str]:
    """Return patterns for what a message says: text, or a size and where it comes from."""
    place = re.fullmatch(r"(r?)(\d+)\.(\d+)", said)
    if place is None:
        return [said if re.search(r"\W", said) else rf"\b{said}\b"] if said else []
    of_result, number, dimension = place[1], int(place[2]), int(place[3])
    changed = case.changed
    tensor = (changed.results if of_result else changed.operands)[number]
    size = tensor.shape[dimension]
    if case.form.dynamic and of_result:
        says = rf"\b{size} \(which the type of the result says\)"
        return [rf"{says}|dimension {dimension} of the result of .* is {size}\b"]
    if case.form.dynamic and not tensor.constant:
        return [rf"\b{size} \(dimension {dimension} of argument \d+ \(%a{number}\)"]
    if of_result:
        return [rf"\b{size}\b", "the result"]
    what = rf"operand {number}\b"
    return [rf"\b{size}\b", rf"{what}.*\b{tensor.sizes}\b|\b{tensor.sizes}\b.*{what}"]
