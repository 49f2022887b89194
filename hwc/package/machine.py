"""The machine step of a package: relocatable kernels, and choices between lists of kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeAlias

import isa
from hwc.package.words import fills_table, parameter_of
from isa.errors import DecodeError


@dataclass(frozen=True)
class BufferRef:
    """A packet parameter: the address of the buffer called `name`."""

    name: str


@dataclass(frozen=True)
class SymbolRef:
    """A packet parameter: the value of the symbol called `name`."""

    name: str


Parameter: TypeAlias = BufferRef | SymbolRef


class Line(NamedTuple):
    """Where a word comes from: line and column of the source operation, counted from 1."""

    word: int
    line: int
    column: int


@dataclass(frozen=True)
class Kernel:
    """A relocatable piece of machine code: the configuration of the streams, the loop, `end`.

    Where a word names a parameter of the packet, `words` has an index into the kernel's own
    `parameters`; the linker replaces the index. `source` tells people which source operations the
    kernel computes. `lines` says where its vector instructions come from, in the order of the
    words; it is empty if the source has no lines.
    """

    words: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    source: str = ""
    lines: tuple[Line, ...] = field(default=(), compare=False)

    @property
    def buffers(self) -> frozenset[str]:
        """The names of the buffers that the kernel reads or writes."""
        return frozenset(p.name for p in self.parameters if isinstance(p, BufferRef))

    @property
    def fills(self) -> bool:
        """Whether the kernel fills the machine's table for the kernel that follows it."""
        return any(map(fills_table, self.words))

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the symbols that the kernel reads."""
        return frozenset(p.name for p in self.parameters if isinstance(p, SymbolRef))

    def problems(self, buffers: Collection[str], symbols: Collection[str]) -> Iterator[str]:
        """Yield what is wrong with the kernel in a package that has these buffers and symbols."""
        if not self.words:
            yield "has no machine code"
        for parameter in self.parameters:
            if isinstance(parameter, BufferRef):
                if parameter.name not in buffers:
                    yield f"names buffer {parameter.name!r}, which does not exist"
            elif parameter.name not in symbols:
                yield f"names symbol {parameter.name!r}, which the shape program does not define"
        for line in self.lines:
            if line.word >= len(self.words):
                yield f"has a line for word {line.word} of {len(self.words)}"
        for at, word in enumerate(self.words):
            yield from (f"has in word {at} {text}" for text in self._word_problems(at, word))

    def _word_problems(self, at: int, word: int) -> Iterator[str]:
        if not 0 <= word < 1 << isa.load().word_bits:
            yield f"a number that does not fit {isa.load().word_bits} bits"
            return
        try:
            name = isa.decode(word).name
        except DecodeError as error:
            yield f"no instruction: {error}"
            return
        if (name == "end") != (at == len(self.words) - 1) or name == "halt":
            yield f"'{name}': a kernel ends with its one 'end', and 'halt' is not part of it"
        parameter = parameter_of(word)
        if parameter is None:
            return
        if parameter.index >= len(self.parameters):
            yield f"parameter {parameter.index} of {len(self.parameters)}"
        elif isinstance(self.parameters[parameter.index], BufferRef) != (name == "base"):
            yield f"'{name}' with the parameter {self.parameters[parameter.index].name!r}"


@dataclass(frozen=True)
class Alternative:
    """One way to compute the results of a choice: the numbers of the step's kernels, in order.

    Users select an alternative by `name`, which is unique within the choice.
    """

    name: str
    kernels: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """Several ways to compute the same results; each call runs one of them."""

    alternatives: tuple[Alternative, ...]

    @property
    def kernels(self) -> tuple[int, ...]:
        """The numbers of the kernels of all alternatives, without duplicates."""
        return tuple(dict.fromkeys(n for a in self.alternatives for n in a.kernels))

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the choice itself; the kernels that it names are not checked."""
        names = [a.name for a in self.alternatives]
        if len(names) < 2:
            yield f"has {len(names)} alternatives, and needs at least two"
        for name, count in Counter(names).items():
            if count > 1:
                yield f"has {count} alternatives with the name {name!r}"
        for alternative in self.alternatives:
            if not alternative.name or set(alternative.name) & set(" ,\t\n"):
                yield f"has an alternative with the name {alternative.name!r}"
            if not alternative.kernels:
                yield f"has no kernels in its alternative {alternative.name!r}"


Item: TypeAlias = int | Choice
"""An item of a machine step: the number of a kernel to run, or a choice."""


@dataclass(frozen=True)
class MachineStep:
    """Work for the machine: the items run one after another.

    `kernels` holds every kernel once, and the items refer to kernels by number. The linker combines
    the kernels that a call runs into dispatches.
    """

    kind: ClassVar[str] = "machine"

    kernels: tuple[Kernel, ...]
    items: tuple[Item, ...]

    @classmethod
    def of(cls, kernels: Sequence[Kernel]) -> MachineStep:
        """Return a step without a choice."""
        return cls(tuple(kernels), tuple(range(len(kernels))))

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices among the items, in order."""
        return tuple(item for item in self.items if isinstance(item, Choice))

    @property
    def used(self) -> frozenset[int]:
        """The numbers of the kernels that the items name."""
        lists = (item.kernels if isinstance(item, Choice) else (item,) for item in self.items)
        return frozenset(number for numbers in lists for number in numbers)

    def problems(self, buffers: Collection[str], symbols: Collection[str]) -> Iterator[str]:
        """Yield what is wrong with the step in a package that has these buffers and symbols."""
        for number, kernel in enumerate(self.kernels):
            for problem in kernel.problems(buffers, symbols):
                yield f"kernel {number} {problem}"
        used: set[int] = set()
        for number, choice in enumerate(self.choices):
            yield from (f"choice {number} {problem}" for problem in choice.problems())
        for item in self.items:
            lists = (
                [a.kernels for a in item.alternatives] if isinstance(item, Choice) else [(item,)]
            )
            used.update(*lists)
        for number in sorted(used - set(range(len(self.kernels)))):
            yield f"has no kernel {number}, which an item names"
        for number in sorted(set(range(len(self.kernels))) - used):
            yield f"kernel {number} is named by no item"
