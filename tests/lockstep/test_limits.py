"""What small dispatches in low memory leave alone: full rings, high address bits, large counts."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree, noise
from lockstep.support import SMALL_RINGS, TARGETS, fresh, machine

import isa
from isa.load import load
from isa.operands import O, S, V
from isa.target import Target
from rtl_models.tb.bench import targets
from rtl_models.tb.random_dispatches import MEMORY_BASE, PAGE

BYTES = 1 << 16
"""Of memory, where it is placed across many powers of two."""
END = MEMORY_BASE + BYTES
MIDDLE = MEMORY_BASE + BYTES // 2
LEAST_BIT = BYTES.bit_length()


def word(name: str, dst: int, *sources: int) -> int:
    """A word of a body."""
    return isa.encode(name, dst=dst, **dict(zip("ab", sources, strict=False)))


def test_rings_filled_to_the_element():
    """A strip that needs all elements of a ring is fetched, one that needs one more waits.

    The last strip of a dense stream ends where the stream ends, so its bytes need not fill a bus
    word. The body is slower than the fetch, so that the ring is full long before.
    """
    body = [word("mov", V(0), S(0)), *[word("xor", V(0), V(0), S(0))] * 3, word("mov", O(0), V(0))]
    with fresh("tiny", 1, name="small", **SMALL_RINGS) as pair:
        ring = pair.target.ring_capacity // load().types["i32"].bytes
        assert ring < load().timing.fetched_strips * pair.target.vlen
        fitting = ring + 24 * pair.target.vlen
        for points in (fitting - 1, fitting, fitting + 1):
            program = Program()
            inputs = Stream(S(0), "i32", (points,), INPUTS)
            assert INPUTS + inputs.bytes <= OUTPUTS
            program.kernel([inputs, Stream(O(0), "i8", (points,), OUTPUTS)], body)
            outcome = agree(pair, program)
            assert outcome.fault is None
            assert outcome.counters["fetch_stall_ring"]


def boundaries(target: Target) -> Iterator[tuple[int, bool]]:
    """Powers of two up to the end of all addresses; whether addresses go on after it."""
    for bit in range(LEAST_BIT, target.address_bits + 1):
        yield 1 << bit, bit < target.address_bits


def around(nbytes: int, goes_on: bool, alignment: int = 1) -> int:
    """An address for `nbytes` bytes: half of them before the boundary, or all where it is the end.

    The boundary is the middle of memory, or its end.
    """
    at = MIDDLE - nbytes // 2 if goes_on else END - nbytes
    return at // alignment * alignment


PLACES = "program", "packet", "inputs", "strips", "output"
PLACED = [*((what, target) for what in PLACES for target in TARGETS), ("runs", "tiny")]
"""What lies across a power of two, on which target: inputs that cross it within a strip, or between
two strips; or two blocks larger than a ring, on the target with the smallest ring."""


@pytest.mark.parametrize(("what", "target"), PLACED)
def test_every_bit_of_an_address_carries(what, target):
    """Across every power of two up to the end of all addresses, and up to the last byte there."""
    pair = machine(target)
    block = pair.target.ring_bytes // 4 + 1 if what == "runs" else 300
    own, sizes = (2, 1, block), (2, 2, block)
    points = prod(sizes)
    for boundary, goes_on in boundaries(pair.target):
        program = Program(memory=noise(BYTES), window=(MEMORY_BASE, END))
        program.base = boundary - BYTES // (2 if goes_on else 1)
        inputs, output = [0x4000, 0x6000], 0xB000
        if what in ("inputs", "runs"):
            inputs = [around(4 * prod(own), goes_on, 4), around(4 * points, goes_on, 4)]
        elif what == "strips" and goes_on:
            inputs[1] = MIDDLE - 4 * pair.target.vlen
        elif what == "output":
            output = around(4 * points, goes_on, 4)
        program.packet += range(30)
        program.packet_address = MEMORY_BASE + PAGE
        program.kernel(
            [
                Stream(S(0), "i32", own, inputs[0]),
                Stream(S(1), "i32", sizes, inputs[1]),
                Stream(O(0), "i32", sizes, output),
            ],
            [word("xor", O(0), S(0), S(1))],
        )
        if what == "program":
            program.program_address = around(8 * len(program.words) + 8, goes_on, 64)
        elif what == "packet":
            program.packet_address = around(8 * len(program.packet), goes_on, 64)
        outcome = agree(pair, program)
        assert outcome.fault is None, hex(boundary)
        assert outcome.counters["bytes_written"] == 4 * points


@pytest.mark.parametrize("target", TARGETS)
def test_every_bit_of_an_address_is_compared(target):
    """Inputs that end at a power of two and one element after it.

    There the window ends, or an output begins; or the output ends, where no address is left.
    """
    pair = machine(target)
    count = 100
    for boundary, goes_on in boundaries(pair.target):
        for more, outside, fault in (
            (0, True, ""),
            (1, True, "out_of_window"),
            (0, False, ""),
            (1, False, "overlap"),
        ):
            limit = MIDDLE if outside else END
            output = MIDDLE - PAGE if outside else MIDDLE
            first = MIDDLE - 4 * count + 4 * more
            if not goes_on and not outside:
                first, output, limit = first - 4 * count, output - 4 * count, MIDDLE
            program = Program(memory=noise(BYTES), window=(MEMORY_BASE, limit))
            program.base = boundary - BYTES // 2
            program.kernel(
                [Stream(S(0), "i32", (count,), first), Stream(O(0), "i32", (count,), output)],
                [word("mov", O(0), S(0))],
            )
            outcome = agree(pair, program)
            assert (outcome.fault.name if outcome.fault else "") == fault, hex(boundary)


def chain(inputs: list[int]) -> list[int]:
    """A body that joins two inputs or more."""
    left = [inputs[0], *[V(0)] * (len(inputs) - 2)]
    results = [*[V(0)] * (len(inputs) - 2), O(0)]
    return [word("xor", *operands) for operands in zip(results, left, inputs[1:], strict=True)]


@pytest.mark.parametrize("target", targets("tiny", others=TARGETS))
def test_a_million_points(target):
    """More than 2^19 points, 2^24 bytes read or, in short strips, 2^13 strips; long dimensions.

    First a kernel of which each input has other large numbers in its canonical form. Then blocks
    that are larger than a ring: they are read again for every row, so that little memory gives many
    bytes.
    """
    pair = machine(target)
    sizes = pair.target
    kind = "i8" if target == "tiny" else "i32"
    size = load().types[kind].bytes
    columns = sizes.ring_bytes // size + 1
    rows = (700_000 if target == "tiny" else 1_010_000) // columns
    first = MEMORY_BASE + 2 * PAGE
    output = first + columns * size
    window = MEMORY_BASE, (output + rows * columns) // PAGE * PAGE + PAGE
    program = Program(memory=noise(window[1] - MEMORY_BASE), window=window)
    program.packet_address = MEMORY_BASE + PAGE

    walk = 2, 2, 4375, 2, 4
    shapes = [walk, (2, 1, 4375, 1, 4), (2, 1, 1, 2, 1)]
    inputs = [Stream(S(i), "i8", shape, first) for i, shape in enumerate(shapes)]
    # Two elements in two bus words, so that it shows when the second is fetched.
    inputs += [Stream(S(3), "i32", (2, 1, 1, 1, 1), first + sizes.axi_bytes - 4)]
    written = Stream(O(0), "i8", walk, window[1] - prod(walk))
    program.kernel([*inputs, written], chain([s.code for s in inputs]))

    count = 2 if target == "tiny" else sizes.input_streams
    inputs = [Stream(S(i), kind, (columns,), first) for i in range(count - 1)]
    inputs += [Stream(S(count - 1), "i8", (rows, 1), first)]
    written = Stream(O(0), "i8", (rows, columns), output)
    program.kernel([*inputs, written], chain([s.code for s in inputs]))

    counters = agree(pair, program).counters
    assert counters["bytes_written"] == prod(walk) + rows * columns > 1 << 19
    if target == "tiny":
        assert counters["strips"] > 1 << 13
    else:
        assert counters["bytes_read"] > 1 << 24
