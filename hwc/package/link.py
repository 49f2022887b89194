"""The linker: combines the kernels that a plan runs into dispatches.

A dispatch is one start of the machine. The linker appends kernels to a program as long as the
target's memories can hold the program and its packet; then it begins the next dispatch. The packet
holds every address and every symbol that the kernels of the dispatch use, once each, in the order
of first use. A kernel that fills the machine's table is in the same dispatch as the kernel that
reads the table, which comes next: every program begins with an empty table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import isa
from hwc.package.machine import BufferRef, Choice, Kernel, MachineStep, Parameter
from hwc.package.words import parameter_of
from isa.dispatch import HALT_WORDS, VERSION_WORDS


@dataclass(frozen=True)
class Dispatch:
    """One start of the machine: a program and the contents of its packet after the version word.

    `words` is the machine code up to and including `halt`. `kernels` names, for each kernel of the
    program in order, the source operations that it computes.
    """

    words: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    kernels: tuple[str, ...] = ()

    @property
    def buffers(self) -> frozenset[str]:
        """The names of the buffers that the dispatch reads or writes."""
        return frozenset(p.name for p in self.parameters if isinstance(p, BufferRef))


@dataclass(frozen=True)
class Memories:
    """The sizes of the target's memories for a dispatch: words of program and words of packet."""

    instruction_words: int
    parameter_words: int

    def hold(self, *kernels: Kernel) -> bool:
        """Whether a dispatch of only these kernels fits."""
        return _Program(self).add(kernels)


@dataclass
class _Program:
    """A dispatch under construction."""

    memories: Memories
    words: list[int] = field(default_factory=list)
    parameters: dict[Parameter, int] = field(default_factory=dict)
    kernels: list[str] = field(default_factory=list)

    def add(self, kernels: Sequence[Kernel]) -> bool:
        """Append kernels, unless the memories are too small for them."""
        parameters = dict(self.parameters)
        for parameter in _parameters(kernels):
            parameters.setdefault(parameter, len(parameters))
        words = len(self.words) + sum(len(kernel.words) for kernel in kernels)
        if (
            len(parameters) + VERSION_WORDS > self.memories.parameter_words
            or words + HALT_WORDS > self.memories.instruction_words
        ):
            return False
        self.parameters = parameters
        self._append(kernels)
        return True

    def add_alone(self, kernels: Sequence[Kernel]) -> None:
        """Add kernels that do not fit in any dispatch; the machine faults when it gets them."""
        self.parameters = {p: i for i, p in enumerate(dict.fromkeys(_parameters(kernels)))}
        self._append(kernels)

    def _append(self, kernels: Sequence[Kernel]) -> None:
        for kernel in kernels:
            for word in kernel.words:
                found = parameter_of(word)
                if found is None:
                    self.words.append(word)
                else:
                    number = self.parameters[kernel.parameters[found.index]]
                    self.words.append(word + ((number - found.index) << found.low))
            self.kernels.append(kernel.source)

    def build(self) -> Dispatch:
        """Return the finished dispatch."""
        words = (*self.words, isa.encode("halt"))
        return Dispatch(words, tuple(self.parameters), tuple(self.kernels))


def _parameters(kernels: Sequence[Kernel]) -> Iterator[Parameter]:
    return (parameter for kernel in kernels for parameter in kernel.parameters)


def _together(kernels: Iterable[Kernel]) -> Iterator[list[Kernel]]:
    """Group kernels that have to be in one dispatch: a fill and its successor, or one kernel."""
    held: list[Kernel] = []
    for kernel in kernels:
        held.append(kernel)
        if not kernel.fills:
            yield held
            held = []
    if held:
        yield held


def chosen_numbers(step: MachineStep, alternatives: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of the kernels that run; `alternatives` has one number per choice."""
    numbers = iter(alternatives)
    for item in step.items:
        if isinstance(item, Choice):
            yield from item.alternatives[next(numbers)].kernels
        else:
            yield item


def chosen_kernels(step: MachineStep, alternatives: Sequence[int]) -> Iterator[Kernel]:
    """Yield the kernels of a step that run, in order; `alternatives` has one number per choice."""
    return (step.kernels[number] for number in chosen_numbers(step, alternatives))


def link(
    step: MachineStep, alternatives: Sequence[int], memories: Memories
) -> tuple[Dispatch, ...]:
    """Return the dispatches that run a step with one alternative for each of its choices."""
    programs: list[_Program] = []
    for kernels in _together(chosen_kernels(step, alternatives)):
        if programs and programs[-1].add(kernels):
            continue
        programs.append(_Program(memories))
        if not programs[-1].add(kernels):
            programs[-1].add_alone(kernels)
    return tuple(program.build() for program in programs)
