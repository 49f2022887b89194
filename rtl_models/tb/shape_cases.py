"""Kernels for the bench of the shape unit, and an independent model of its results.

The model infers iteration sizes by the table of the Broadcastable trait, computes addresses in
Python's integers, and walks elements in nested loops; the testbench compares that order with
`numpy.broadcast_to`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from random import Random

from isa.load import load
from isa.model import ElementType
from isa.operands import O, S
from isa.target import Target

SIZE_LIMIT = 1 << 31
PAGE = load().limits.window_alignment


@dataclass(frozen=True)
class Case:
    """Streams of a kernel by operand code (type, address, own sizes) and the window."""

    streams: dict[int, tuple[ElementType, int, tuple[int, ...]]]
    window: tuple[int, int]

    @property
    def rank(self) -> int:
        """Largest rank."""
        return max(len(sizes) for _, _, sizes in self.streams.values())

    def padded(self, code: int) -> tuple[int, ...]:
        """Return a stream's sizes, padded to the largest rank."""
        sizes = self.streams[code][2]
        return (1,) * (self.rank - len(sizes)) + sizes


Expected = tuple[str, int, int] | tuple[int, ...]
"""Name, stream and dimension of a fault, or the iteration sizes."""


def expected(case: Case) -> Expected:
    """Apply the checks in the manual's order; returns the first fault or the iteration sizes."""
    inputs = [code for code in sorted(case.streams) if code < O(0)]
    outputs = [code for code in sorted(case.streams) if code >= O(0)]
    sizes = [1] * case.rank
    for code in inputs or outputs[:1]:
        for dim, size in enumerate(case.padded(code)):
            # The table of the trait: equal stays, 1 yields, anything else is refused.
            if sizes[dim] == size or size == 1:
                continue
            if sizes[dim] != 1:
                return ("shape_mismatch", code, dim)
            sizes[dim] = size
    for code in outputs:
        for dim, size in enumerate(case.padded(code)):
            if sizes[dim] != size:
                return ("output_shape", code, dim)
    if prod(sizes) >= SIZE_LIMIT:
        return ("too_many_points", 0, 0)
    return _misplaced(case, inputs, outputs) or tuple(sizes)


def _misplaced(
    case: Case, inputs: Sequence[int], outputs: Sequence[int]
) -> tuple[str, int, int] | None:
    """Check where the streams lie: alignment and window first, then overlaps."""
    extents: dict[int, range] = {}
    for code in (*inputs, *outputs):
        type_, address, own = case.streams[code]
        if address % type_.bytes:
            return ("misaligned", code, 0)
        extents[code] = range(address, address + prod(own) * type_.bytes)
        limit = extents[code].stop
        outside = prod(own) and not case.window[0] <= address < limit <= case.window[1]
        if outside or prod(own) >= SIZE_LIMIT:
            return ("out_of_window", code, 0)
    for code in outputs:
        for other in (*inputs, *(o for o in outputs if o < code)):
            ours, theirs = extents[code], extents[other]
            first, limit = max(ours.start, theirs.start), min(ours.stop, theirs.stop)
            if ours.start == ours.stop or theirs.start == theirs.stop or first >= limit:
                continue
            alike = case.streams[code][0] == case.streams[other][0] and ours.start == theirs.start
            if other in inputs and alike and case.padded(code) == case.padded(other):
                continue
            return ("overlap", code, 0)
    return None


class Cases:
    """Random kernels of a target: most are legal, the others have one thing wrong."""

    def __init__(self, target: Target, seed: int) -> None:
        self.target = target
        self.random = Random(seed)
        lanes = target.lanes
        self._sizes = [1, 2, 3, lanes - 1 or 1, lanes, lanes + 1, 2 * lanes + 3]

    def pick(self) -> Case:
        """Draw a kernel."""
        random = self.random
        rank = random.choice((0, 1, 2, 2, 3, 3, 4, 5, 6, 6))
        iteration = self._iteration(rank)
        outputs = random.randint(1, self.target.output_streams)
        inputs = random.randint(0, self.target.input_streams)
        codes = sorted(random.sample(range(self.target.input_streams), inputs))
        outs = sorted(random.sample(range(self.target.output_streams), outputs))
        full = {codes[random.randrange(inputs)]} if inputs else set()
        shapes = {S(n): self._operand(iteration, n in full) for n in codes}
        shapes |= {O(n): self._short(iteration) for n in outs}
        if random.random() < 0.25:
            self._spoil(shapes)
        return self._choose_addresses(shapes)

    def _iteration(self, rank: int) -> tuple[int, ...]:
        random = self.random
        kind = random.random()
        if kind < 0.06:
            sizes = [
                random.choice((1, 2, 3, 1 << 15, 1 << 16, SIZE_LIMIT - 1)) for _ in range(rank)
            ]
        elif kind < 0.12:
            sizes = [random.choice((0, 1, 3, 1 << 16)) for _ in range(rank)]
        elif kind < 0.2:
            sizes = [1] * rank
            if rank:
                sizes[random.randrange(rank)] = random.randint(1, SIZE_LIMIT - 1)
        elif kind < 0.4:
            bits = 30 // max(rank, 1)
            sizes = [random.randint(1, 1 << random.randint(0, bits)) for _ in range(rank)]
        elif kind < 0.6 and rank >= 5:  # many levels, and every block small
            sizes = [random.choice((2, 3)) for _ in range(rank)]
        else:
            sizes = [random.choice(self._sizes) for _ in range(rank)]
        return tuple(sizes)

    def _operand(self, iteration: tuple[int, ...], full: bool) -> tuple[int, ...]:
        """Sizes of an input: each may be 1, unless it is the one that shows all sizes."""
        if full:
            return self._short(iteration)
        share = self.random.choice((0.0, 0.3, 0.6))
        sizes = [1 if self.random.random() < share else size for size in iteration]
        if self.random.random() < 0.25:  # as many levels as can be
            first = self.random.randint(0, 1)
            sizes = [1 if n % 2 == first else size for n, size in enumerate(iteration)]
        return self._short(tuple(sizes))

    def _short(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Leave out leading sizes of 1, now and then."""
        while sizes and sizes[0] == 1 and self.random.random() < 0.7:
            sizes = sizes[1:]
        return sizes

    def _spoil(self, shapes: dict[int, tuple[int, ...]]) -> None:
        """Change sizes of one stream or of two, one to three in all, or add some."""
        codes = self.random.sample(list(shapes), min(self.random.choice((1, 1, 2)), len(shapes)))
        for code in (*codes, *self.random.choices(codes, k=self.random.choice((0, 0, 1)))):
            shapes[code] = self._spoilt(shapes[code])

    def _spoilt(self, own: tuple[int, ...]) -> tuple[int, ...]:
        """Change one size, or add one."""
        sizes = list(own)
        if not sizes or (len(sizes) < 6 and self.random.random() < 0.2):
            sizes.insert(0, self.random.choice((0, 1, 2, 5)))
        else:
            at = self.random.randrange(len(sizes))
            sizes[at] = self.random.choice((0, 1, 2, sizes[at] - 1 if sizes[at] else 1, 77))
        return tuple(sizes)

    def _choose_addresses(self, shapes: dict[int, tuple[int, ...]]) -> Case:
        """Lay the streams one after another; sometimes astray, over one another, or in place."""
        random = self.random
        types = list(load().types.values())
        common = random.choice(types) if random.random() < 0.5 else None
        base = PAGE * random.randint(0, 1 << random.choice((0, 8, self.target.address_bits - 14)))
        at = base
        streams: dict[int, tuple[ElementType, int, tuple[int, ...]]] = {}
        for code in random.sample(list(shapes), len(shapes)):
            type_ = common or random.choice(types)
            at += -at % type_.bytes + type_.bytes * random.choice((0, 0, 1, 5))
            streams[code] = (type_, at, shapes[code])
            at += min(prod(shapes[code]) * type_.bytes, 1 << 33)
        limit = at + -at % PAGE
        kind = random.random()
        code = random.choice(list(streams))
        type_, address, sizes = streams[code]
        if kind < 0.08:
            other = random.choice(list(streams.values()))
            streams[code] = (other[0] if random.random() < 0.7 else type_, other[1], sizes)
        elif kind < 0.16:
            streams[code] = (type_, max(0, address + random.choice((-8, -4, 4, 8))), sizes)
        elif kind < 0.2:
            streams[code] = (type_, address + random.choice((1, 2, 3)), sizes)
        elif kind < 0.24:
            streams[code] = (type_, address + random.choice((PAGE, 1 << 62, 1 << 64)), sizes)
        elif kind < 0.3:
            base += random.choice((PAGE, 4 * PAGE))
        elif kind < 0.36:
            limit -= min(limit, random.choice((PAGE, 4 * PAGE)))
        self._share_bytes(streams)
        return Case(streams, (base, limit))

    def _share_bytes(self, streams: dict[int, tuple[ElementType, int, tuple[int, ...]]]) -> None:
        """Give an output the address of an input of the same shape, or of one much like it."""
        outputs = [code for code in streams if code >= O(0)]
        inputs = [code for code in streams if code < O(0)]
        if inputs and self.random.random() < 0.25:
            output = self.random.choice(outputs)
            like = streams[self.random.choice(inputs)]
            type_ = like[0] if self.random.random() < 0.8 else streams[output][0]
            streams[output] = (type_, like[1], streams[output][2])


def walk(repeats: Sequence[int], blocks: Sequence[int]) -> list[int]:
    """Elements in the order in which a canonical form walks them: one nested loop per level."""
    elements = [0]
    for level, repeat in enumerate(repeats):
        elements = elements * repeat
        if level + 1 < len(blocks):
            digits = range(0, blocks[level + 1], blocks[level])
            elements = [element + digit for digit in digits for element in elements]
    return elements
