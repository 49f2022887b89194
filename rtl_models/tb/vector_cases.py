"""Kernels for the vector pipe's bench: bodies, points of input streams, golden results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import isa
import sim.semantics
from isa.disasm import disassemble
from isa.load import load
from isa.model import Instruction
from isa.operands import O, S, immediate_code
from isa.target import Target
from rtl_models.tb.body_rules import BodyRules
from rtl_models.tb.vectors import I32Array, Random, float_corners, integer_corners, lanes
from sim.kernel import Operation
from sim.semantics.lookup_table import EMPTY, FILL, filled
from sim.timing.body import phases_of

MAX_STRIPS = 8
"""Strips of a kernel that the bench has room for."""

VECTOR = [i for i in load().instructions.values() if i.unit is not None]
UNITS = tuple(load().units)
_FIELDS = ("a", "b", "c")
_RARE = ("sfu", "div")
"""Units that take long: less of them in random bodies."""


@dataclass(frozen=True)
class Case:
    """A kernel of `points` points; `inputs` are the points of its input streams, by their numbers.

    `copies` strips have registers of their own. `first` is the pc of the body. The inputs of a
    `hesitant` kernel come at random, and its outputs go at random.
    """

    points: int
    body: tuple[Operation, ...]
    inputs: dict[int, I32Array]
    copies: int
    first: int = 0
    hesitant: bool = False

    @property
    def outputs(self) -> list[int]:
        """Numbers of the output streams."""
        output = load().operands["output"]
        return sorted(o.destination - O(0) for o in self.body if output.holds(o.destination))

    def __str__(self) -> str:
        """Write the body as the assembler does."""
        body = disassemble([word(o) for o in self.body])
        head = f"{self.points} points, copies={self.copies}, hesitant={self.hesitant}"
        return f"{head}:\n{body}"


def word(operation: Operation) -> int:
    """Encode an operation."""
    fields: dict[str, int] = dict(zip(_FIELDS, operation.sources, strict=False))
    if immediate_code() in operation.sources:
        fields["imm"] = operation.immediate
    return isa.encode(operation.instruction.name, dst=operation.destination, **fields)


def operation(name: str, destination: int, *sources: int, immediate: int = 0) -> Operation:
    """Make an operation of an instruction; missing sources repeat the last one."""
    instruction = load().instructions[name]
    count = len(instruction.operands)
    filled = (*sources, *[sources[-1]] * count)[:count]
    return Operation(instruction, destination, filled, immediate)


def phases_needed(body: Sequence[Operation]) -> int:
    """Phases of a body, an empty last one included."""
    phases = phases_of(body)
    return len(phases) + bool(phases[-1].group)


def golden(case: Case, table: I32Array = EMPTY) -> tuple[dict[int, I32Array], I32Array]:
    """Return the points of the output streams, by their numbers, and the table after the kernel."""
    after = table
    values: dict[int, I32Array] = {S(n): points for n, points in case.inputs.items()}
    for op in case.body:
        values[immediate_code()] = lanes([op.immediate])
        operands = [values[source] for source in op.sources]
        result = sim.semantics.execute(op.instruction.name, operands, table)
        values[op.destination] = np.broadcast_to(result, (case.points,))
        if op.instruction.operation == FILL:
            after = filled(values[op.destination])
    return {n: values[O(n)] for n in case.outputs}, after


def stimuli(target: Target, case: Case) -> bytes:
    """Return the kernel as `sv/vector_pipe_bench.sv` reads it."""
    header = [
        case.points,
        len(case.body),
        case.first,
        case.copies,
        sum(1 << n for n in case.inputs),
        sum(1 << n for n in case.outputs),
        int(case.hesitant),
    ]
    body = np.array([word(op) for op in case.body], ">u8")
    rows = -(-case.points // target.lanes)
    generator = np.random.default_rng(case.points)
    parts = [np.array(header, ">u4").tobytes(), body.tobytes()]
    for _, points in sorted(case.inputs.items()):
        # The rows after the last point are random, lest zeros hide an error.
        padded = generator.integers(0, 2**32, rows * target.lanes, dtype=np.uint32)
        padded[: case.points] = points.view(np.uint32)
        parts.append(padded.reshape(rows, target.lanes)[:, ::-1].astype(">u4").tobytes())
    return b"".join(parts)


class Kernels:
    """Draws kernels for a target; the same seed draws the same ones."""

    def __init__(self, target: Target, seed: int) -> None:
        self.target = target
        self.random = Random(seed)
        self.generator = self.random.generator

    def points_of_stream(self, count: int) -> I32Array:
        """Draw the points of an input stream: numbers of one kind."""
        random = self.random
        match int(self.generator.integers(0, 6)):
            case 0:
                return random.floats(count)
            case 1:
                return random.floats(count, 118, 140)
            case 2:
                return random.integers(count)
            case 3:
                return random.mix(float_corners(), count)
            case 4:
                return random.mix(integer_corners(), count)
            case _:
                return random.lanes(count)

    def inputs(self, points: int, numbers: Iterable[int]) -> dict[int, I32Array]:
        """Draw input streams."""
        return {n: self.points_of_stream(points) for n in numbers}

    def directed(self, points: int, *body: Operation, copies: int | None = None) -> Case:
        """Make a kernel of this body, with the input streams that it reads and few copies."""
        read = {s - S(0) for op in body for s in op.sources if S(0) <= s < O(0)}
        least = phases_needed(body)
        chosen = copies or next(n for n in (1, 2, 4) if n >= least)
        return Case(points, body, self.inputs(points, sorted(read)), chosen)

    def points(self) -> int:
        """Draw a number of points: about rows, about strips, anything."""
        lanes_, vlen = self.target.lanes, self.target.vlen
        strips = int(self.generator.integers(0, MAX_STRIPS - 1))
        near = [1, 2, lanes_ - 1, lanes_, lanes_ + 1, 3 * lanes_ + 1, vlen // 2, vlen - 1, vlen]
        rest = int(self.generator.choice([*near, self.generator.integers(1, vlen + 1)]))
        return max(1, int(self.generator.choice([0, 0, strips])) * vlen + rest)

    def _instruction(self) -> Instruction:
        units = [u for u in UNITS for _ in range(1 if u in _RARE else 3)]
        unit = str(self.generator.choice(units))
        of_unit = [i for i in VECTOR if i.unit == unit]
        return of_unit[int(self.generator.integers(0, len(of_unit)))]

    def random_case(self) -> Case:
        """Draw a legal kernel: any instructions, registers, streams, immediates, dependences."""
        target, generator = self.target, self.generator
        streams = [n for n in range(target.input_streams) if generator.random() < 0.5]
        count = int(generator.choice([1, 2, 3, 5, 8, 13, 21]))
        outputs = [O(n) for n in range(target.output_streams) if generator.random() < 0.6] or [O(0)]
        count = max(count, len(outputs))
        chosen = sorted(generator.choice(count, len(outputs), replace=False))
        order = dict(zip(chosen, generator.permutation(outputs), strict=True))
        fitting = [n for n in (1, 2, 2, 4, 4) if target.registers("vector", n)]
        copies = int(generator.choice(fitting))
        body = self._body(order, streams, count, copies)
        points = self.points()
        first = int(generator.integers(0, target.instruction_words - count))
        return Case(points, tuple(body), self.inputs(points, streams), copies, first)

    def _body(
        self, outputs: Mapping[int, int], streams: Sequence[int], count: int, copies: int
    ) -> list[Operation]:
        """Draw `count` instructions, of which some, by their numbers, write `outputs`."""
        generator = self.generator
        rules = BodyRules(self.target, copies)
        body: list[Operation] = []
        for index in range(count):
            output = outputs.get(index)
            while not rules.fits(instruction := self._instruction(), output=output is not None):
                pass
            sources = tuple(self._source(streams, rules.written) for _ in instruction.operands)
            registers = rules.registers(instruction)
            destination = int(generator.choice(registers) if output is None else output)
            immediate = int(self.points_of_stream(1).view(np.uint32)[0])
            used = immediate_code() in sources
            body.append(Operation(instruction, destination, sources, immediate if used else 0))
            rules.add(instruction, sources, destination)
        return body

    def _source(self, streams: Sequence[int], written: Sequence[int]) -> int:
        """Draw a source: most often a register, of these the last ones most often."""
        choices = [immediate_code()]
        choices += [S(n) for n in streams]
        if written and self.generator.random() < 0.7:
            choices = [*written[-3:], *written]
        return int(self.generator.choice(choices))


def hesitant(cases: Iterable[Case]) -> list[Case]:
    """Return the same kernels, with inputs and outputs that hesitate."""
    return [replace(case, hesitant=True) for case in cases]
