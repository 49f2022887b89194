"""Kernels of streams for the benches: shapes as the RTL takes them, memory before and after."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from operator import floordiv, mod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isa.load import load
from isa.operands import O, S
from isa.target import Target
from rtl_models.stream_descriptor import DESCRIPTOR
from sim.kernel import Body, Kernel, Operation, Stream
from sim.semantics import elements
from sim.streams import Pattern
from sim.views import pad_sizes

MEMORY_BASE = 0x10000
MEMORY_BYTES = 1 << 22


@dataclass(frozen=True)
class Case:
    """A kernel `mov o0, s0; mov o1, s1; ...`: iteration sizes and its streams.

    A stream is a type name, a byte address and its own sizes; outputs have the iteration's sizes.
    """

    iteration: tuple[int, ...]
    inputs: tuple[tuple[str, int, tuple[int, ...]], ...]
    outputs: tuple[tuple[str, int], ...]

    @property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.iteration)

    def kernel(self, target: Target) -> Kernel:
        """The kernel on a target, for the timing model."""
        types, mov = load().types, load().instructions["mov"]
        inputs = tuple(
            Stream.dense(S(n), types[t], address, sizes)
            for n, (t, address, sizes) in enumerate(self.inputs)
        )
        outputs = tuple(
            Stream.dense(O(n), types[t], address, self.iteration)
            for n, (t, address) in enumerate(self.outputs)
        )
        body = Body(Operation(mov, O(n), (S(n % len(inputs)),), 0) for n, _ in enumerate(outputs))
        return Kernel(0, inputs, outputs, body, self.iteration, target.lanes, target.vlen, 1)


def save(cases: Sequence[Case], path: Path) -> None:
    """Write cases for the process that runs the RTL."""
    rows = [[case.iteration, case.inputs, case.outputs] for case in cases]
    path.write_text(json.dumps(rows), encoding="utf-8")


def load_cases(path: Path) -> list[Case]:
    """Read what `save` wrote."""
    return [
        Case(
            tuple(iteration),
            tuple((t, address, tuple(sizes)) for t, address, sizes in inputs),
            tuple((t, address) for t, address in outputs),
        )
        for iteration, inputs, outputs in json.loads(path.read_text(encoding="utf-8"))
    ]


def memory_bytes(target: Target, case: Case) -> int:
    """Bytes of memory from MEMORY_BASE on that the case touches, in whole bus words."""
    types = load().types
    ends = [address + prod(sizes) * types[t].bytes for t, address, sizes in case.inputs]
    ends += [address + case.points * types[t].bytes for t, address in case.outputs]
    return -(-(max(ends) - MEMORY_BASE) // target.axi_bytes) * target.axi_bytes


def stimuli(target: Target, case: Case, generator: np.random.Generator) -> bytes:
    """Memory before and after and the rows of all inputs, as `sv/stream_bench.sv` reads them."""
    before = generator.integers(0, 256, memory_bytes(target, case), dtype=np.uint8)
    lanes = []
    for kind, address, sizes in case.inputs:
        # A boolean in memory is any byte; zeros should come up.
        if load().types[kind].kind == "boolean":
            span = slice(address - MEMORY_BASE, address - MEMORY_BASE + prod(sizes))
            before[span] *= generator.integers(0, 2, prod(sizes), dtype=np.uint8)
        operand = _array(before, kind, address, prod(sizes)).reshape(
            pad_sizes(sizes, len(case.iteration))
        )
        values = np.broadcast_to(operand, case.iteration).ravel()
        lanes.append(elements.load(values, load().types[kind]))
    after = before.copy()
    for number, (kind, address) in enumerate(case.outputs):
        target_elements = _array(after, kind, address, case.points)
        elements.store(target_elements, lanes[number % len(lanes)], load().types[kind])
    return _words(target, before) + _words(target, after) + _rows(target, lanes)


def _array(memory: NDArray[np.uint8], kind: str, address: int, count: int) -> NDArray:
    """Return the elements in memory, as a view."""
    offset = address - MEMORY_BASE
    type_ = load().types[kind]
    return memory[offset : offset + count * type_.bytes].view(elements.memory_dtype(type_))


def _words(target: Target, memory: NDArray[np.uint8]) -> bytes:
    """Turn bytes into big-endian bus words."""
    return memory.reshape(-1, target.axi_bytes)[:, ::-1].tobytes()


def _rows(target: Target, lanes: Sequence[NDArray[np.int32]]) -> bytes:
    """Turn the points of all inputs into big-endian rows of lanes, input after input."""
    points = len(lanes[0])
    rows = -(-points // target.lanes)
    table = np.zeros((rows * target.lanes, len(lanes)), dtype=">i4")
    table[:points] = np.stack(lanes, axis=1)
    return table.reshape(rows, target.lanes, len(lanes)).transpose(0, 2, 1)[:, :, ::-1].tobytes()


def shape_word(target: Target, stream: Stream, iteration: Sequence[int]) -> int:
    """Return a packed stream_shape_t: what the shape unit resolves of an input stream."""
    pattern = Pattern.of(stream, iteration, target.ring_bytes)
    constants = DESCRIPTOR.values(target)
    repeat_levels, data_levels = constants["RepeatLevels"], constants["DataLevels"]
    repeats = (pattern.repeats + (1,) * repeat_levels)[:repeat_levels]
    data = (pattern.data + (1,) * data_levels)[:data_levels]
    blocks = [prod(data[:level]) for level in range(repeat_levels)]
    rest = target.vlen
    strip_repeats, strip_data = [], []
    for level in range(repeat_levels):
        rest, digit = divmod(rest, repeats[level])
        strip_repeats.append(digit)
        if level < data_levels:
            rest, digit = divmod(rest, data[level])
            strip_data.append(digit * blocks[level])
    table = range(2 * target.lanes)

    def rows(divisor: int, result: Callable[[int, int], int]) -> list[int]:
        return [result(i, divisor) if divisor < target.lanes else 0 for i in table]

    return DESCRIPTOR.layout("stream_shape_t", target).pack(
        {
            "valid": 1,
            "element_type": stream.type.code,
            "base": stream.address,
            "held": pattern.held,
            "repeats": repeats,
            "blocks": blocks,
            "strip_repeats": strip_repeats,
            "strip_data": strip_data,
            "block_points": repeats[0] * data[0] * repeats[1],
            "repeat_div": rows(repeats[0], floordiv),
            "repeat_mod": rows(repeats[0], mod),
            "pass_mod": rows(data[0], mod),
        }
    )


def output_word(target: Target, stream: Stream) -> int:
    """Return a packed output_shape_t."""
    return DESCRIPTOR.layout("output_shape_t", target).pack(
        {"valid": 1, "element_type": stream.type.code, "base": stream.address}
    )


class Addresses:
    """Hands out addresses: streams after one another, each at a random phase of its elements."""

    def __init__(self, generator: np.random.Generator, spread: int) -> None:
        """`spread` is the number of bytes over which phases are drawn."""
        self._generator = generator
        self._spread = spread
        self._next = MEMORY_BASE

    def draw(self, kind: str, elements: int) -> int:
        """Return an address for a stream, aligned to its element."""
        size = load().types[kind].bytes
        phase = int(self._generator.integers(0, self._spread // size)) * size
        address = -(-self._next // 8) * 8 + phase
        self._next = address + elements * size
        return address


def pattern_case(
    target: Target,
    generator: np.random.Generator,
    iteration: Sequence[int],
    own: Sequence[Sequence[int]],
    outputs: int = 1,
) -> Case:
    """Make a case of these shapes, with random types and addresses."""
    addresses = Addresses(generator, 4 * target.axi_bytes)
    kinds = list(load().types)

    def stream(sizes: Sequence[int]) -> tuple[str, int]:
        kind = str(generator.choice(kinds))
        return kind, addresses.draw(kind, prod(sizes))

    inputs = tuple((*stream(sizes), tuple(sizes)) for sizes in own)
    return Case(tuple(iteration), inputs, tuple(stream(iteration) for _ in range(outputs)))


def random_cases(
    target: Target, generator: np.random.Generator, count: int, max_points: int
) -> list[Case]:
    """Draw kernels: any rank to 6, any broadcast, any number of streams, sizes near the lanes."""
    lanes, vlen = target.lanes, target.vlen
    favourites = [1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3, vlen - 1, vlen, vlen + 1]
    cases = []
    for _ in range(count):
        rank = int(generator.integers(1, 7))
        iteration: list[int] = []
        room = int(generator.choice([vlen, 4 * vlen, max_points]))
        for _ in range(rank):
            size = int(generator.choice([*favourites, int(generator.integers(1, room + 1))]))
            size = max(1, min(size, room))
            iteration.append(size)
            room //= size
        generator.shuffle(iteration)
        inputs = int(generator.integers(1, target.input_streams + 1))
        own = [
            [size if generator.integers(0, 5) > 1 else 1 for size in iteration]
            for _ in range(inputs)
        ]
        sizes = [max(column) for column in zip(*own, strict=True)]
        outputs = int(generator.integers(1, target.output_streams + 1))
        cases.append(pattern_case(target, generator, sizes, own, outputs))
    return cases
