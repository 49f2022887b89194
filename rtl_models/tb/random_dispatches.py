"""Random dispatches with their memory, seeded: the same seed and limits give the same dispatch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import prod
from random import Random

import numpy as np

import isa
from isa.dispatch import Job
from isa.errors import DecodeError
from isa.load import load
from isa.operands import O, S, immediate_code
from isa.target import Target
from rtl_models.tb.body_rules import BodyRules
from rtl_models.tb.spoil import SCHEDULE, aim, anywhere
from sim.memory import Memory

MEMORY_BASE = 0x1000
MEMORY_BYTES = 1 << 18
PAGE = load().limits.window_alignment
IMAGES = 0x8000
"""Bytes at the beginning of memory that hold program and packet."""

DEFAULT_SEEDS = 180
"""The default run of `tests/lockstep` draws a dispatch for each of the seeds 0 to 179."""
AIMED = 3
"""One seed in this number is aimed at a fault."""
SPOILED = 0.15
"""The share of the other dispatches that is changed in a random word."""

TYPE_WEIGHTS = {"f32": 3, "i32": 2, "i8": 2, "i16": 2, "i1": 1, "f16": 2, "bf16": 2}
TYPE_WEIGHTS |= {"f8e4m3": 1, "f8e5m2": 1}
UNIT_WEIGHTS = {"alu": 2, "mul": 3, "cvt": 3, "sfu": 2, "div": 3, "fma": 4, "tab": 16}
"""Of an instruction by its unit: units of few instructions get more of each, slow ones less."""

SPECIAL_FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1.5, 2.5, -127.5, 3e38, 1e-38, 1e-45, -1e-40),
    *(float("inf"), float("-inf"), float("nan")),
)


@dataclass(frozen=True)
class Limits:
    """How large a dispatch may be; `spoiled` ones are changed so that they may fault."""

    kernels: int = 3
    points: int = 3000
    body: int = 12
    spoiled: bool = True


@dataclass
class Dispatch:
    """Words, packet, addresses and the data of all of memory, without program and packet.

    Memory begins at `base`.
    """

    words: list[int]
    packet: list[int]
    program_address: int
    packet_address: int
    window: tuple[int, int]
    memory: np.ndarray
    features: set[str] = field(default_factory=set)
    base: int = MEMORY_BASE

    @property
    def job(self) -> Job:
        """What the host asks of the machine."""
        return Job(
            self.program_address,
            len(self.words),
            self.packet_address,
            len(self.packet),
            self.window,
        )

    def store(self, memory: Memory) -> None:
        """Fill memory with the dispatch's data, and then with its program and its packet."""
        memory.view(self.base, len(self.memory))[:] = self.memory
        for address, words in (
            (self.program_address, self.words),
            (self.packet_address, self.packet),
        ):
            memory.view(address, 8 * len(words))[:] = np.array(words, "<u8").view(np.uint8)

    def moved(self, base: int) -> Dispatch:
        """The same with memory at `base`, a multiple of a page.

        All addresses move with it, also in the packet: the parameters that a `base` word names.
        """
        by = base - self.base
        addresses: set[int] = set()
        for word in self.words:
            with suppress(DecodeError):
                decoded = isa.decode(word)
                if decoded.name == "base":
                    addresses.add(decoded.fields["param"] + 1)
        return replace(
            self,
            packet=[(v + by * (i in addresses)) % (1 << 64) for i, v in enumerate(self.packet)],
            program_address=self.program_address + by,
            packet_address=self.packet_address + by,
            window=(self.window[0] + by, self.window[1] + by),
            base=base,
        )


@dataclass
class _Stream:
    code: int
    type: str
    sizes: tuple[int, ...]
    address: int


def place(target: Target, seed: int) -> int:
    """A base for memory, drawn by a seed: any bit of an address may carry within memory.

    A multiple of a power of two lies anywhere in memory, or memory ends with the last address.
    """
    random = Random(f"place {target.name} {seed}")
    bit = random.randrange(MEMORY_BYTES.bit_length(), target.address_bits + 1)
    boundary = random.randint(1, 1 << target.address_bits - bit) << bit
    if boundary == 1 << target.address_bits:
        return boundary - MEMORY_BYTES
    return boundary - PAGE * random.randrange(1, MEMORY_BYTES // PAGE)


class Generator:
    """Draws one dispatch."""

    def __init__(self, target: Target, seed: int, limits: Limits) -> None:
        self.target = target
        self.limits = limits
        self.seed = seed
        self.random = Random(f"{target.name} {seed}")
        self.data = np.random.default_rng([seed, target.lanes])
        self.features: set[str] = set()
        lanes, vlen = target.lanes, target.vlen
        self.sizes = (1, 2, 3, 5, lanes - 1, lanes, lanes + 1, 2 * lanes + 3, vlen // 2, vlen - 1)
        self.sizes += (vlen, vlen + 1, 2 * vlen, 17, 100, 333)
        self.vector = [i for i in load().instructions.values() if not i.is_control]
        self.weights = [UNIT_WEIGHTS[i.unit] for i in self.vector if i.unit]

    def draw(self) -> Dispatch:
        """Draw it."""
        random = self.random
        base = MEMORY_BASE + IMAGES
        pages = MEMORY_BYTES // PAGE
        window = base, MEMORY_BASE + PAGE * (pages - random.choice((0, 0, 1, 3)))
        packet = [load().version]
        words: list[int] = []
        for number in range(random.randint(1, self.limits.kernels)):
            streams = self._streams(window)
            copies = random.choice((1, 2, 2, 4, 4))
            body = list(self._body(streams, copies))
            loop = isa.encode("loop", copies=copies)
            kernel = [*self._configure(streams, packet), loop, *body]
            fits = len(words) + len(kernel) < self.target.instruction_words - 8
            if not number or (fits and len(packet) < self.target.parameter_words):
                words += [*kernel, isa.encode("end")]
        words.append(isa.encode("halt"))
        del packet[self.target.parameter_words :]
        if self.limits.spoiled:
            self._spoil(words, packet)
        program = MEMORY_BASE + 64 * random.randrange(8)
        at = -(-(program + 8 * max(len(words), 1)) // 64) * 64 + 64 * random.randrange(8)
        return Dispatch(words, packet, program, at, window, self._memory(), self.features)

    def _spoil(self, words: list[int], packet: list[int]) -> None:
        """Aim a third of the seeds at one fault after another, and hit some others anywhere."""
        turn, rest = divmod(self.seed, AIMED)
        if not rest:
            fault = SCHEDULE[turn % len(SCHEDULE)]
            self.features.add(f"aimed {fault}")
            aim(fault, words, packet, self.target, self.random)
        elif self.random.random() < SPOILED:
            self.features.add("aimed anywhere")
            anywhere(words, packet, self.random)

    def _memory(self) -> np.ndarray:
        """Random words: of bits, of floats of moderate size, special ones, small integers."""
        count = MEMORY_BYTES // 4
        bits = self.data.integers(0, 1 << 32, count, dtype=np.uint32)
        floats = (self.data.standard_normal(count) * 4).astype(np.float32).view(np.uint32)
        special = self.data.choice(np.array(SPECIAL_FLOATS, np.float32), count).view(np.uint32)
        small = self.data.integers(-40, 40, count, dtype=np.int32).view(np.uint32)
        kind = self.data.choice(4, count, p=(0.3, 0.5, 0.1, 0.1))
        return np.choose(kind, (bits, floats, special, small)).astype("<u4").view(np.uint8)

    def _iteration(self) -> list[int]:
        """Iteration sizes within the limit of points; rank 0 to 6."""
        random = self.random
        room = random.choice((1, 4, 30, 300, self.limits.points, self.limits.points))
        sizes: list[int] = []
        rank = random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
        deep = rank > 3 and random.random() < 0.5  # many dimensions that are not 1
        for _ in range(rank):
            fitting = [s for s in self.sizes if 0 < s <= room]
            size = random.choice(fitting) if random.random() < 0.7 else random.randint(1, room)
            if deep:
                size = random.randint(min(2, room), min(3, room))
            room //= size
            sizes.append(size)
        random.shuffle(sizes)
        if sizes and random.random() < 0.03:
            sizes[random.randrange(len(sizes))] = 0
            self.features.add("zero size")
        return sizes

    def _streams(self, window: tuple[int, int]) -> list[_Stream]:
        random, target = self.random, self.target
        iteration = self._iteration()
        count = random.randint(0, min(target.input_streams, random.choice((2, 3, 8))))
        codes = sorted(random.sample(range(target.input_streams), count))
        shapes = [self._shape(iteration) for _ in codes]
        if shapes:  # what the machine infers of them
            padded = [[1] * (len(iteration) - len(s)) + list(s) for s in shapes]
            full = [next((n for n in column if n != 1), 1) for column in zip(*padded, strict=True)]
            rank = max(len(s) for s in shapes)
            iteration = full[len(full) - rank :] if rank else []
        outputs = random.randint(1, target.output_streams)
        codes_out = sorted(random.sample(range(target.output_streams), outputs))
        inputs = [_Stream(S(c), self._type(), s, 0) for c, s in zip(codes, shapes, strict=True)]
        written = [_Stream(O(c), self._type(), tuple(iteration), 0) for c in codes_out]
        free = self._choose_addresses(inputs, written, window)
        for stream in written:
            twins = [s for s in inputs if s.sizes == stream.sizes]
            if twins and random.random() < 0.15:
                twin = random.choice(twins)
                stream.type, stream.address = twin.type, twin.address
                self._alone(stream, twin, inputs, written, free)
        self._note(inputs, iteration)
        return [*inputs, *written]

    def _alone(
        self,
        stream: _Stream,
        twin: _Stream,
        inputs: list[_Stream],
        written: list[_Stream],
        free: int,
    ) -> None:
        """An output in place of an input: nobody else may touch it."""
        if any(self._meet(stream, s) for s in (*inputs, *written) if s not in (stream, twin)):
            stream.address = -(-free // 4) * 4 + 8192
            self.features.add("moved")
        else:
            self.features.add("in place")

    def _meet(self, a: _Stream, b: _Stream) -> bool:
        return a.address < b.address + self._bytes(b) and b.address < a.address + self._bytes(a)

    def _bytes(self, stream: _Stream) -> int:
        return prod(stream.sizes) * load().types[stream.type].bytes

    def _choose_addresses(
        self, inputs: list[_Stream], outputs: list[_Stream], window: tuple[int, int]
    ) -> int:
        """Inputs in the lower half of the window, anywhere; outputs in the upper, apart."""
        random = self.random
        middle = (window[0] + window[1]) // 2
        for stream in inputs:
            size = load().types[stream.type].bytes
            most = middle - window[0] - self._bytes(stream)
            at = random.randrange(0, max(most, 1), size) if most > 0 else 0
            stream.address = window[0] + (at if random.random() < 0.7 else at // PAGE * PAGE)
        free = middle
        for stream in outputs:
            size = load().types[stream.type].bytes
            free = -(-free // size) * size + size * random.choice((0, 0, 1, 3, 7, 16, 100))
            stream.address = free
            free += self._bytes(stream)
        return free

    def _shape(self, iteration: list[int]) -> tuple[int, ...]:
        """Sizes that broadcast to the iteration's: some 1, leading ones perhaps left out."""
        random = self.random
        ones = random.choice((0.0, 0.0, 0.3, 0.5, 0.8))
        sizes = [1 if random.random() < ones else n for n in iteration]
        if len(iteration) > 3 and random.random() < 0.3:  # every other dimension repeats
            first = random.randrange(2)
            sizes = [1 if i % 2 == first else n for i, n in enumerate(iteration)]
        while sizes and sizes[0] == 1 and random.random() < 0.5:
            del sizes[0]
        return tuple(sizes)

    def _type(self) -> str:
        (kind,) = self.random.choices(list(TYPE_WEIGHTS), list(TYPE_WEIGHTS.values()))
        self.features.add(f"type {kind}")
        return kind

    def _note(self, inputs: list[_Stream], iteration: list[int]) -> None:
        for stream in inputs:
            padded = [1] * (len(iteration) - len(stream.sizes)) + list(stream.sizes)
            pairs = zip(padded, iteration, strict=True)
            kinds = ["R" if own != size else "D" for own, size in pairs if size != 1]
            short = "".join(k for i, k in enumerate(kinds) if not i or kinds[i - 1] != k)
            self.features.add(f"pattern {short or '-'} rank {len(iteration)}")

    def _configure(self, streams: list[_Stream], packet: list[int]) -> Iterator[int]:
        """Bases and sizes in an order that may mix streams; the packet grows."""
        random = self.random
        queues = [list(self._stream(stream, packet)) for stream in streams]
        while queues:
            queue = random.choice(queues)
            yield queue.pop(0)
            if not queue:
                queues.remove(queue)

    def _stream(self, stream: _Stream, packet: list[int]) -> Iterator[int]:
        random = self.random
        offset = random.choice((0, 0, 4, 4096, stream.address))
        fields = {"rank": len(stream.sizes), "param": len(packet) - 1, "offset": offset}
        packet.append(stream.address - offset)
        yield isa.encode("base", stream=stream.code, type=load().types[stream.type].code, **fields)
        dims = list(enumerate(stream.sizes))
        random.shuffle(dims)
        for dim, size in dims:
            named = random.random() < 0.4 and len(packet) < self.target.parameter_words - 1
            value = size
            if named:
                value = packet.index(size, 1) - 1 if size in packet[1:] else len(packet) - 1
                if value == len(packet) - 1:
                    packet.append(size)
            fields = {"stream": stream.code, "dim": dim, "from_param": int(named), "value": value}
            yield isa.encode("size", **fields)

    def _body(self, streams: list[_Stream], copies: int) -> Iterator[int]:
        random = self.random
        inputs = [s.code for s in streams if s.code < O(0)]
        rules = BodyRules(self.target, copies)
        plan: list[int | None] = [s.code for s in streams if s.code >= O(0)]
        plan += [None] * random.randint(0, max(0, self.limits.body - len(plan)))
        random.shuffle(plan)
        for output in plan:
            fits = [rules.fits(i, output=output is not None) for i in self.vector]
            if not any(fits):
                continue
            weights = [w * fit for w, fit in zip(self.weights, fits, strict=True)]
            (instruction,) = random.choices(self.vector, weights)
            self.features.add(f"instruction {instruction.name}")
            known = [*inputs, *rules.written] * 2 + [immediate_code()]
            fields = {name: random.choice(known) for name in instruction.operands}
            sources = list(fields.values())
            registers = rules.registers(instruction)
            fields["dst"] = random.choice(registers) if output is None else output
            if immediate_code() in sources:
                value = np.float32(random.choice(SPECIAL_FLOATS)).view(np.uint32)
                fields["imm"] = int(value) if random.random() < 0.5 else random.randint(0, 40)
            yield isa.encode(instruction.name, **fields)
            rules.add(instruction, sources, fields["dst"])
