"""Emitters take the instructions of expansions: into the body of a strip loop, or only by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Block, SSAValue

from hwc.dialects.strip import INSTRUCTIONS, ImmediateOp


@dataclass(frozen=True)
class Constant:
    """A scalar known at compile time, as the 32 bits of its lane."""

    bits: int


@dataclass(frozen=True)
class Unknown:
    """A value of an expansion that is only inspected, not put into a program."""


@dataclass(frozen=True)
class Traced:
    """A value of a program that is only counted: the result of instruction `number`.

    Streams have numbers below 0.
    """

    number: int


Operand: TypeAlias = SSAValue | Constant
"""A value in a program."""

Value: TypeAlias = Operand | Unknown | Traced


class NoInstructionError(Exception):
    """The instruction set has no instruction for an operation on these types."""


class Emitter(ABC):
    """Takes instructions, one after another."""

    def __call__(self, name: str, *operands: Value) -> Value:
        """Append the instruction `name` and return its result.

        A word holds one immediate; a second, different constant goes through a register.

        Raises:
            NoInstructionError: the instruction set has no instruction with this name.
        """
        if name not in INSTRUCTIONS:
            raise NoInstructionError(name)
        immediate: Constant | None = None
        sources: list[Value] = []
        for operand in operands:
            source = operand
            if isinstance(operand, Constant):
                if immediate is None:
                    immediate = operand
                elif operand != immediate:
                    source = self.append("mov", [operand])
            sources.append(source)
        return self.append(name, sources)

    @abstractmethod
    def append(self, name: str, sources: Sequence[Value]) -> Value:
        """Append an instruction whose constants are all equal, and return its result."""


@dataclass
class BlockEmitter(Emitter):
    """Appends instructions to the body of a strip loop; equal immediates are shared."""

    block: Block
    _immediates: dict[int, SSAValue] = field(default_factory=dict)

    def append(self, name: str, sources: Sequence[Value]) -> SSAValue:
        """Append an instruction and return its result."""
        op = INSTRUCTIONS[name](*(self._operand(source) for source in sources))
        self.block.add_op(op)
        return op.result

    def _operand(self, source: Value) -> SSAValue:
        assert not isinstance(source, Unknown | Traced)
        if isinstance(source, SSAValue):
            return source
        if source.bits not in self._immediates:
            op = ImmediateOp(source.bits)
            self.block.add_op(op)
            self._immediates[source.bits] = op.result
        return self._immediates[source.bits]


@dataclass
class NameEmitter(Emitter):
    """Records the names of the instructions in order."""

    names: list[str] = field(default_factory=list)

    def append(self, name: str, sources: Sequence[Value]) -> Unknown:
        """Note an instruction."""
        self.names.append(name)
        return Unknown()


@dataclass
class TraceEmitter(Emitter):
    """Records the instructions in order, each with the instructions whose results it reads."""

    code: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def append(self, name: str, sources: Sequence[Value]) -> Traced:
        """Note an instruction."""
        reads = (s.number for s in sources if isinstance(s, Traced))
        self.code.append((name, tuple(number for number in reads if number >= 0)))
        return Traced(len(self.code) - 1)
