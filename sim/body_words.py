"""The words of a loop's body: checks each against the words before it, and gathers operations.

docs/timing.md, section "Faults", lists what is checked at which word and in which order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from isa.dispatch import Fault
from isa.encode import Decoded
from isa.load import load
from isa.operands import operand_text
from isa.target import Target
from sim.kernel import Operation
from sim.semantics.lookup_table import FILL, READING


@dataclass
class DecodedBody:
    """The decoded part of a loop's body, and the registers and outputs written in it.

    `copies` strips share the registers of the target. `groups` counts the groups of special
    instructions that have begun; `in_group` says whether the last word is in such a group. `read`
    holds the result registers that the lane instructions of the current phase have read. `fills`
    and `reads_table` say what the words so far do with the table. `decoded` counts the words,
    including `end` and a faulty word; `fault` is the fault that ends the body.
    """

    copies: int
    operations: list[Operation] = field(default_factory=list)
    written: set[int] = field(default_factory=set)
    decoded: int = 0
    groups: int = 0
    in_group: bool = False
    read: set[int] = field(default_factory=set)
    fills: bool = False
    reads_table: bool = False
    fault: Fault | None = None


def decode_body(
    words: Iterable[Decoded | Fault], pc: int, target: Target, streams: Collection[int], copies: int
) -> DecodedBody:
    """Decode the words from `pc` up to `end`; the first fault stops it.

    `streams` are the operand codes of the configured streams; `copies` is as in `loop`.
    """
    body = DecodedBody(copies)
    for here, word in enumerate(words, pc):
        body.decoded += 1
        if isinstance(word, Fault):
            body.fault = word
        elif word.name != "end":
            problem = _add(word, target, streams, body)
            if problem is None:
                continue
            body.fault = Fault("bad_structure", here, text=f"{word.name}: {problem}")
        elif missing := _outputs(streams) - body.written:
            text = f"{operand_text(min(missing))} is never written"
            body.fault = Fault("bad_structure", here, text=text)
        break
    return body


def _outputs(streams: Collection[int]) -> set[int]:
    return {code for code in streams if load().operands["output"].holds(code)}


def _add(word: Decoded, target: Target, streams: Collection[int], body: DecodedBody) -> str | None:
    """Append a word to the body; say what is wrong with it, None if it is fine."""
    problem = _check_operands(word, target, streams, body)
    if problem is not None:
        return problem
    fields = word.fields
    operation = Operation(word.instruction, fields["dst"], word.sources, fields["imm"])
    return _enter_phase(operation, body) or _use_table(operation, body)


def _enter_phase(operation: Operation, body: DecodedBody) -> str | None:
    """Append an operation to the body; say what is wrong with its phase, None if it is fine."""
    result = load().operands["result"]
    if operation.special:
        body.groups += not body.in_group
        if body.groups + 1 > body.copies:
            return f"phase {body.groups + 1} of a loop with {body.copies} copies of the registers"
        if operation.destination in body.read:
            return f"{operand_text(operation.destination)} is read by the lanes in this phase"
    else:
        if body.in_group:
            body.read.clear()
        body.read.update(code for code in operation.sources if result.holds(code))
    body.in_group = operation.special
    body.written.add(operation.destination)
    body.operations.append(operation)
    return None


def _use_table(operation: Operation, body: DecodedBody) -> str | None:
    """Note how an operation uses the table; say what is wrong with that, None if it is fine."""
    name = operation.instruction.operation
    if name == FILL:
        if body.fills or body.reads_table:
            return "the body fills or reads the table already"
        body.fills = True
    elif name in READING:
        if body.fills:
            return "the body fills the table"
        body.reads_table = True
    return None


def _in_copy(target: Target, code: int, copies: int) -> bool:
    """Whether a strip has the register of an operand code; other operands do not matter here."""
    cls = load().operand_class(code)
    assert cls is not None, "the decoder lets no illegal code pass"
    return code - cls.first < target.registers(cls.name, copies)


def _check_operands(
    word: Decoded, target: Target, streams: Collection[int], body: DecodedBody
) -> str | None:
    """Say what is wrong with a body word, given the words before it; None if it is fine."""
    if word.instruction.is_control:
        return "a control instruction inside of a loop"
    operands = load().operands
    written = body.written
    for code in (*word.sources, word.fields["dst"]):
        if not _in_copy(target, code, body.copies):
            return f"a strip of a loop with {body.copies} copies has no {operand_text(code)}"
    for code in word.sources:
        if operands["input"].holds(code) and code not in streams:
            return f"{operand_text(code)} is not configured"
        register = operands["vector"].holds(code) or operands["result"].holds(code)
        if register and code not in written:
            return f"{operand_text(code)} is read before it is written"
    destination = word.fields["dst"]
    if operands["output"].holds(destination):
        if destination not in streams:
            return f"{operand_text(destination)} is not configured"
        if destination in written:
            return f"{operand_text(destination)} is written twice"
    return None
