"""A kernel as the sequencer hands it to the engines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from isa.load import load
from isa.model import ElementType, Instruction
from isa.operands import operand_text
from sim.views import dense_strides, extent, merge, pad_strides


@dataclass(frozen=True)
class Stream:
    """A configured stream: operand code, element type, address, its own sizes and strides.

    `address` belongs to the element at index 0: parameter plus offset without wrapping. Sizes and
    strides are outermost first; a stride counts elements, and is 0 where the stream repeats.
    """

    code: int
    type: ElementType
    address: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def dense(cls, code: int, type_: ElementType, address: int, sizes: tuple[int, ...]) -> Stream:
        """A stream whose elements lie in row-major order without gaps."""
        return cls(code, type_, address, sizes, dense_strides(sizes))

    @property
    def elements(self) -> int:
        """Number of elements in memory."""
        return prod(self.sizes)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """First byte and end (exclusive) of the elements in memory; equal if there are none."""
        first, end = extent(self.sizes, self.strides)
        return self.address + first * self.type.bytes, self.address + end * self.type.bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.elements * self.type.bytes

    def __str__(self) -> str:
        """Return the stream's name in assembly."""
        return operand_text(self.code)


@dataclass(frozen=True)
class Operation:
    """One vector instruction of a body: operand codes, and the immediate as 32 unsigned bits."""

    instruction: Instruction
    destination: int
    sources: tuple[int, ...]
    immediate: int

    @property
    def special(self) -> bool:
        """Whether the special functions' port issues the operation, not the lanes' port."""
        unit = self.instruction.unit
        assert unit is not None, "a body holds vector instructions"
        return load().units[unit].special


class Body(tuple[Operation, ...]):
    """The vector instructions of a body, in order.

    Many results are cached by body, so the hash of a body is computed only once.
    """

    _hash: int | None = None

    def __hash__(self) -> int:
        """Return the hash of the tuple."""
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    @cached_property
    def special(self) -> bool:
        """Whether an instruction is one of the special functions' port."""
        return any(operation.special for operation in self)


@dataclass(frozen=True)
class Kernel:
    """A checked kernel. `pc` is the word of its `loop`, `iteration` its sizes, outermost first.

    The kernel is walked in strips of `vlen` points; a beat of the lanes is `lanes` points. Up to
    `copies` strips have their own registers at a time.
    """

    pc: int
    inputs: tuple[Stream, ...]
    outputs: tuple[Stream, ...]
    body: Body
    iteration: tuple[int, ...]
    lanes: int
    vlen: int
    copies: int

    @cached_property
    def merged(self) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
        """Sizes and each stream's strides, inputs first, in as few dimensions as possible."""
        rank = len(self.iteration)
        streams = (*self.inputs, *self.outputs)
        return merge(self.iteration, [pad_strides(s.strides, rank) for s in streams])

    @cached_property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.iteration)

    @cached_property
    def strips(self) -> int:
        """Strips of the walk; the last one may be shorter than the others."""
        return -(-self.points // self.vlen)
