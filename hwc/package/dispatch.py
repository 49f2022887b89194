"""The dispatch: the step of a package that starts the machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import isa


@dataclass(frozen=True)
class BufferRef:
    """A packet parameter: the address of the buffer called `name`."""

    name: str


@dataclass(frozen=True)
class SymbolRef:
    """A packet parameter: the value of the symbol called `name`."""

    name: str


Parameter: TypeAlias = BufferRef | SymbolRef


@dataclass(frozen=True)
class Dispatch:
    """One start of the machine: a program, and what its packet holds after the version word.

    `words` are the words of the machine code up to and including `halt`. `kernels` says for each
    kernel of the program, in order, which source operations it computes; people read it.
    """

    kind: ClassVar[str] = "dispatch"

    words: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    kernels: tuple[str, ...] = ()

    @property
    def buffers(self) -> frozenset[str]:
        """The names of the buffers that the step reads or writes."""
        return frozenset(p.name for p in self.parameters if isinstance(p, BufferRef))

    def problems(self, buffers: Collection[str], symbols: Collection[str]) -> Iterator[str]:
        """Yield what is wrong with the step in a package that has these buffers and symbols."""
        if not self.words:
            yield "has no machine code"
        bits = isa.load().word_bits
        if not all(0 <= word < 1 << bits for word in self.words):
            yield f"has a word that does not fit {bits} bits"
        for parameter in self.parameters:
            if isinstance(parameter, BufferRef):
                if parameter.name not in buffers:
                    yield f"names buffer {parameter.name!r}, which does not exist"
            elif parameter.name not in symbols:
                yield f"names symbol {parameter.name!r}, which the shape program does not define"
