"""A kernel as the sequencer hands it to the engines."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from isa.model import ElementType, Instruction
from isa.operands import operand_text


@dataclass(frozen=True)
class Stream:
    """A configured stream: operand code, element type, address of its first element, own sizes.

    The address is parameter plus offset without wrapping; sizes are outermost first.
    """

    code: int
    type: ElementType
    address: int
    sizes: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Number of elements in memory."""
        return prod(self.sizes)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.elements * self.type.bytes

    def __str__(self) -> str:
        """Name it as the assembler does."""
        return operand_text(self.code)


@dataclass(frozen=True)
class Operation:
    """One vector instruction of a body: operand codes, and the immediate as 32 unsigned bits."""

    instruction: Instruction
    destination: int
    sources: tuple[int, ...]
    immediate: int


@dataclass(frozen=True)
class Kernel:
    """A checked kernel. `pc` is the word of its `loop`, `iteration` its sizes, outermost first.

    It is walked in strips of `vlen` points, `lanes` points in a beat of the vector pipe.
    """

    pc: int
    inputs: tuple[Stream, ...]
    outputs: tuple[Stream, ...]
    body: tuple[Operation, ...]
    iteration: tuple[int, ...]
    lanes: int
    vlen: int

    @property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.iteration)

    @property
    def strips(self) -> int:
        """Strips of the walk; the last one may be shorter than the others."""
        return -(-self.points // self.vlen)
