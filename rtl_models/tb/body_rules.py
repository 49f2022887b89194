"""What a random body may hold next: phases, the registers of a strip, and uses of the table.

docs/timing.md, sections "Faults" and "Vector pipe", has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from isa.load import load
from isa.model import Instruction
from isa.operands import T, V
from isa.target import Target
from sim.semantics.lookup_table import FILL, READING


@dataclass
class BodyRules:
    """The registers that the words of a body so far have `written`, and their phases.

    `copies` strips share the registers of the target.
    """

    target: Target
    copies: int
    written: list[int] = field(default_factory=list)
    _groups: int = 0
    _in_group: bool = False
    _read: set[int] = field(default_factory=set)
    """Result registers that the lane instructions of the phase have read."""
    _fills: bool = False
    _reads_table: bool = False

    def registers(self, instruction: Instruction) -> list[int]:
        """The registers that an instruction may write as the next word."""
        kind = "result" if special(instruction) else "vector"
        count = self.target.registers(kind, self.copies)
        return [r for n in range(count) if (r := register(instruction.name, n)) not in self._read]

    def fits(self, instruction: Instruction, *, output: bool) -> bool:
        """Whether an instruction may be the next word; it writes an `output` or a register."""
        room = not special(instruction) or self._in_group or self._groups + 2 <= self.copies
        if instruction.operation == FILL and (self._fills or self._reads_table):
            return False
        if instruction.operation in READING and self._fills:
            return False
        return room and (output or bool(self.registers(instruction)))

    def add(self, instruction: Instruction, sources: Sequence[int], destination: int) -> None:
        """Take an instruction as the next word."""
        if special(instruction):
            self._groups += not self._in_group
        else:
            if self._in_group:
                self._read.clear()
            self._read.update(s for s in sources if load().operands["result"].holds(s))
        self._in_group = special(instruction)
        self._fills |= instruction.operation == FILL
        self._reads_table |= instruction.operation in READING
        if not load().operands["output"].holds(destination):
            self.written.append(destination)


def register(name: str, number: int) -> int:
    """The register of this number that the instruction `name` may write."""
    return T(number) if special(load().instructions[name]) else V(number)


def special(instruction: Instruction) -> bool:
    """Whether the port of the special functions issues an instruction of a body."""
    return load().units[str(instruction.unit)].special
