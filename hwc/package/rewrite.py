"""Replaces the machine code of a package; words come in the order in which `hwc disasm` shows them.

There are two orders. The words of a plan are its dispatches, one after another, each with its
`halt`; they name parameters of the packet. The stored words are the kernels of all steps, one after
another; they name the kernel's own parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import isa
from hwc.package.link import Memories, chosen_numbers
from hwc.package.machine import BufferRef, Kernel, MachineStep, Parameter
from hwc.package.model import Package, Plan
from hwc.package.words import parameter_of
from isa.errors import DecodeError


class WordError(Exception):
    """A word that is not allowed at its place: its index among the words, and the problem."""

    def __init__(self, at: int, problem: str) -> None:
        super().__init__(problem)
        self.at = at


@dataclass(frozen=True)
class _Place:
    """Where the words of one kernel belong: the step and the number of the kernel in the step.

    A word that names a parameter has an index into `parameters`. `last` says that `halt` follows.
    """

    step: int
    number: int
    parameters: tuple[Parameter, ...]
    last: bool


def rewritten(package: Package, plan: Plan | None, words: Sequence[int]) -> Package:
    """Return the package with new words for a plan, or for all stored kernels (None).

    The number of kernels and their descriptions for people do not change. Kernels that the plan
    does not run keep their words.

    Raises:
        WordError: the words are not the kernels of the package.
    """
    places = list(_stored(package) if plan is None else _linked(package, plan))
    kernels = [list(step.kernels) for step in package.steps]
    given: dict[tuple[int, int], Kernel] = {}
    at = 0
    for place in places:
        old = package.steps[place.step].kernels[place.number]
        if plan is None and at < len(words) and _name(words[at]) == "halt":
            problem = "'halt' ends the program of a plan, expected a stored kernel"
            raise WordError(at, f"{problem}: name the plan that the text belongs to")
        end = _end(words, at, len(places))
        kernel = _kernel(old, place.parameters, words[at:end], at)
        _check(package, kernel, at)
        if given.setdefault((place.step, place.number), kernel) != kernel:
            raise WordError(at, "this kernel runs twice in the plan, with different words")
        kernels[place.step][place.number] = kernel
        at = end
        if place.last:
            if at == len(words) or _name(words[at]) != "halt":
                raise WordError(min(at, len(words) - 1), "expected 'halt' after this kernel")
            at += 1
    if at < len(words):
        raise WordError(at, f"expected no more words after {_kernels(len(places))}")
    steps = tuple(
        replace(step, kernels=tuple(new)) for step, new in zip(package.steps, kernels, strict=True)
    )
    return replace(package, steps=steps)


def _stored(package: Package) -> Iterator[_Place]:
    for i, step in enumerate(package.steps):
        for number, kernel in enumerate(step.kernels):
            yield _Place(i, number, kernel.parameters, False)


def _linked(package: Package, plan: Plan) -> Iterator[_Place]:
    left = iter(plan)
    numbers = iter(
        [
            (i, number)
            for i, step in enumerate(package.steps)
            if isinstance(step, MachineStep)
            for number in chosen_numbers(step, [next(left) for _ in step.choices])
        ]
    )
    for dispatch in package.link(plan):
        count = len(dispatch.kernels)
        for k in range(count):
            yield _Place(*next(numbers), dispatch.parameters, k == count - 1)


def _end(words: Sequence[int], at: int, kernels: int) -> int:
    """Return the index after the `end` of the kernel that begins at `at`."""
    for i in range(at, len(words)):
        if _name(words[i]) == "end":
            return i + 1
    what = "a kernel ends with 'end'" if at < len(words) else "there are too few kernels"
    raise WordError(max(len(words) - 1, 0), f"{what}: expected {_kernels(kernels)}")


def _kernel(
    old: Kernel, parameters: Sequence[Parameter], words: Sequence[int], first: int
) -> Kernel:
    """Return the kernel with new words, which name parameters by index into `parameters`."""
    own = {p: i for i, p in enumerate(old.parameters)}
    new: list[int] = []
    for at, word in enumerate(words, first):
        try:
            found = parameter_of(word)
        except DecodeError as error:
            raise WordError(at, str(error)) from None
        if found is None:
            new.append(word)
            continue
        if found.index >= len(parameters):
            last = f"p0 to p{len(parameters) - 1}" if parameters else "none"
            raise WordError(at, f"there is no parameter p{found.index}; there are {last}")
        index = own.setdefault(parameters[found.index], len(own))
        new.append(word + ((index - found.index) << found.low))
    lines = old.lines if len(new) == len(old.words) else ()
    return Kernel(tuple(new), tuple(own), old.source, lines)


def _check(package: Package, kernel: Kernel, first: int) -> None:
    """Refuse a kernel that a package cannot have, or that the target cannot hold."""
    for at, word in enumerate(kernel.words):
        parameter = parameter_of(word)
        name = _name(word)
        if name == "halt":
            raise WordError(first + at, "'halt' is not part of a kernel")
        if parameter is None:
            continue
        meant = kernel.parameters[parameter.index]
        if isinstance(meant, BufferRef) != (name == "base"):
            expected, got = ("an address", "size") if name == "base" else ("a size", "address of")
            raise WordError(first + at, f"'{name}' takes {expected}, got the {got} {meant.name}")
    memories = Memories(package.target["instruction_words"], package.target["parameter_words"])
    if not memories.hold(kernel):
        raise WordError(
            first,
            f"the kernel needs more than the target's {memories.instruction_words} instruction "
            f"words or {memories.parameter_words} parameter words",
        )


def _name(word: int) -> str:
    try:
        return isa.decode(word).name
    except DecodeError:
        return ""


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count} kernels"
