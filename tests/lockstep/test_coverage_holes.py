"""Cases that random dispatches seldom or never reach, one test for each hole in the coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree
from lockstep.support import SMALL_RINGS, TARGETS, fresh, machine

import isa
from hwc.runtime.lockstep import Lockstep
from isa.dispatch import Fault
from isa.load import load
from isa.operands import O, S, T, V, immediate_code
from isa.target import load_target
from rtl_models.simulation.session import Session
from rtl_models.tb.body_rules import register
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, PAGE
from sim.semantics.lookup_table import FILL

RANK_MAX = load().limits.rank_max
VECTOR = [i for i in load().instructions.values() if not i.is_control]

CORNERS = np.array(
    [
        *(0, 1, 0xFFFFFFFF, 40, 0x80000000, 0x7FFFFFFF, 0x12345678),  # integers; -0 is the least
        *(0x80000001, 0x3FC00000, 0xC0200000, 0x7F800000, 0xFF800000, 0x7FC00000),  # floats
        *(0x00000001, 0xFFFFFF80),
    ],
    "<u4",
)
"""15 values: not a multiple of any number of lanes, so every lane meets every one of them."""


def operate(name: str, dst: int, *sources: int, imm: int | None = None) -> int:
    """A word of a body."""
    fields = dict(zip(load().instructions[name].operands, sources, strict=True))
    return isa.encode(name, dst=dst, **fields, **({} if imm is None else {"imm": imm}))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", sorted({i.group for i in VECTOR}))
def test_every_kind_of_operand_and_corner_values(target, group):
    """Each instruction from streams, registers and immediates into registers and outputs.

    Every pair of corner values meets in some lane, every value in lane 0.
    """
    pair = machine(target)
    count = len(CORNERS) ** 2
    point = np.arange(count)
    sources = (CORNERS[point % 15], CORNERS[point // 15], CORNERS[point * 7 // 15 % 15])
    streams = [Stream(S(i), "i32", (count,), INPUTS + PAGE * i) for i in range(len(sources))]
    streams += [Stream(O(0), "i32", (count,), OUTPUTS)]
    for instruction in (i for i in VECTOR if i.group == group):
        number = len(instruction.operands)
        program = Program()
        for stream, values in zip(streams, sources, strict=False):
            program.put(stream.address, values)
        for kind, value in product(("input", "vector", "result", "immediate"), (0x7FFFFFFF, 3)):
            fixed = {
                "input": [S(i) for i in range(number)],
                "vector": [V(i) for i in range(number)],
                "result": [T(i) for i in range(number)],
                "immediate": [immediate_code()] * number,
            }[kind]
            before = [operate("mov", V(i), S(i)) for i in range(len(sources))]
            if kind == "result":
                before += [operate("exp.f32", T(i), S(i)) for i in range(len(sources))]
            imm = value if kind == "immediate" else None
            result = register(instruction.name, 4)
            body = [operate(instruction.name, result, *fixed, imm=imm)]
            if instruction.operation == FILL:  # once in a body
                program.kernel(streams, [*before, *body, operate("mov", O(0), result)], copies=2)
                body = []
            body += [operate(instruction.name, O(0), *fixed, imm=imm)]
            program.kernel(streams, [*before, *body], copies=2)
        outcome = agree(pair, program)
        assert outcome.fault is None, instruction.name


@pytest.mark.parametrize("target", TARGETS)
def test_rounded_shifts_of_values_half_way(target):
    """Each shift of what lies half-way between two results, and of its neighbours."""
    shifts = np.tile(np.arange(64), 4)
    odd = np.repeat([3, -3, 1, -1], 64)
    first = np.clip(shifts - 1, 0, 28)
    second = np.clip(shifts - 1 - first, 0, 30)
    streams = [Stream(S(i), "i32", (3, len(shifts)), INPUTS + PAGE * i) for i in range(3)]
    streams += [Stream(O(0), "i32", (3, len(shifts)), OUTPUTS)]
    near = np.array([[0], [1], [-1]])
    for name in ("mulsh.i32", "mulshd.i32", "shrw.i32"):
        a, b = (odd << first) + near, np.int64(1) << second
        if name == "shrw.i32":  # a and b are the halves of one number
            value = (odd << np.minimum(shifts - 1, 60).clip(0)) + near
            a, b = value >> 32, value & 0xFFFFFFFF
        program = Program()
        for stream, values in zip(streams, (a, b, shifts), strict=False):
            whole = np.broadcast_to(values, stream.sizes)
            program.put(stream.address, whole.astype(np.uint32).ravel())
        program.kernel(streams, [operate(name, O(0), S(0), S(1), S(2))], copies=2)
        assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_every_unit_after_every_other(target):
    """A result used at once and one that is not: what the scoreboards and the phases know."""
    units = {i.unit: i for i in VECTOR if "f32" in i.name or i.unit in ("mul", "div", "tab")}
    assert set(units) == set(load().units)
    streams = [Stream(S(0), "f32", (100,), INPUTS), Stream(O(0), "f32", (100,), OUTPUTS)]
    for first in units.values():
        program = Program()
        for then in units.values():
            body = []
            for number, dependent in enumerate((True, False)):
                result = register(first.name, number)
                source = result if dependent else S(0)
                body.append(operate(first.name, result, *[S(0)] * len(first.operands)))
                result = register(then.name, 2 + number)
                body.append(operate(then.name, result, *[source] * len(then.operands)))
            program.kernel(streams, [*body, operate("mov", O(0), result)], copies=4)
        assert agree(machine(target), program).fault is None


def phases(pair: Lockstep, groups: int, copies: int, begins: bool, ends: bool) -> list[int]:
    """A body of so many groups, with every register that a strip has.

    It begins or ends with a special instruction or a lane instruction. Each segment reads the
    results of the group before it, each group those of its segment.
    """
    vectors, results = (pair.target.registers(kind, copies) for kind in ("vector", "result"))
    body = [] if begins else [operate("xor", V(n), S(n % 2), S(1)) for n in range(vectors)]
    for group in range(groups):
        first = begins and not group
        own = [T(n) for n in range(results) if n % 2 == group % 2]  # the segment reads the others
        for n, result in enumerate(own):
            body.append(operate("exp.f32", result, S(n % 2) if first else V((n + group) % vectors)))
        if ends and group == groups - 1:
            body.append(operate("div.i32", O(0), own[0], own[-1]))
            return body
        for n in range(vectors):
            other = own[-1] if first else V(n)
            body.append(operate("sub.i32", V(n), own[n % len(own)], other))
    return [*body, operate("sub.i32", O(0), V(0), V(vectors - 1))]


@pytest.mark.parametrize("target", TARGETS)
def test_phases_of_all_copies(target):
    """As many phases as there may be, and fewer: each length of the last strip about a row."""
    pair = machine(target)
    lanes, vlen = pair.target.lanes, pair.target.vlen
    for copies in (1, 2, 4):
        for groups, begins, ends in product(range(copies), (False, True), (False, True)):
            if groups or not (begins or ends):
                program = Program()
                body = phases(pair, groups, copies, begins, ends)
                for points in (1, lanes + 1, vlen, 2 * vlen - 1, 6 * vlen + 1):
                    streams = [Stream(S(i), "f32", (points,), INPUTS + 64 * i) for i in range(2)]
                    output = Stream(O(0), "i32", (points,), OUTPUTS)
                    program.kernel([*streams, output], body, copies)
                assert agree(pair, program).fault is None


def letters(length: int) -> Iterator[str]:
    """Both patterns of this many dimensions, outermost first: R repeats, D is data."""
    for innermost in "RD":
        other = "D" if innermost == "R" else "R"
        yield "".join(innermost if i % 2 == 0 else other for i in range(length))[::-1]


def patterned(pair: Lockstep, pattern: str, rank: int, sizes: list[int], name: str = "i16") -> None:
    """Walk a stream of a pattern of rank `rank` beside a dense one that gives the sizes."""
    full = (*[1] * (rank - len(pattern)), *sizes)
    kinds = pattern.rjust(rank, "-")
    own = tuple(n if kind == "D" else 1 for kind, n in zip(kinds, full, strict=True))
    dense = Stream(S(0), "i8", full, INPUTS)
    assert INPUTS + dense.bytes < OUTPUTS
    other = Stream(S(1), name, own, INPUTS + 8)
    program = Program()
    output = Stream(O(0), "i8", full, OUTPUTS + 3)
    program.kernel([dense, other, output], [operate("xor", O(0), S(0), S(1))])
    outcome = agree(pair, program)
    assert outcome.fault is None
    assert outcome.counters["bytes_written"] == prod(full)


@pytest.mark.parametrize("target", TARGETS)
def test_every_pattern_of_every_rank(target):
    """Alternating repeats and data up to the largest rank, all held."""
    for rank in range(1, RANK_MAX + 1):
        patterned(machine(target), "", rank, [])
        for length in range(1, rank + 1):
            for pattern in letters(length):
                patterned(machine(target), pattern, rank, [2, 3, 2, 3, 2, 3][:length])


@pytest.mark.parametrize(("kind", "length"), [("i32", 6), *((k, 4) for k in load().types)])
def test_blocks_that_do_not_fit_the_ring(kind, length):
    """Patterns with a block larger than the ring at each level: all of them once, some per type.

    On the target with the smallest ring: the others would need more points than memory has room.
    """
    capacity = machine("tiny").target.ring_bytes // load().types[kind].bytes
    for pattern in (p for n in range(2, length + 1) for p in letters(n)):
        data = [i for i, p in enumerate(pattern) if p == "D"]
        for level in (i for i in data if "R" in pattern[:i]):
            sizes = [2] * len(pattern)
            sizes[level] = capacity // 2 ** sum(i > level for i in data) + 1
            if prod(sizes) < OUTPUTS - INPUTS and (length > 4 or pattern.startswith("R")):
                patterned(machine("tiny"), pattern, len(pattern), sizes, kind)


@pytest.mark.parametrize("kind", load().types)
def test_blocks_that_fill_the_ring(kind):
    """A block of exactly the ring is held: its last pass has to end before the next block comes."""
    elements = machine("tiny").target.ring_bytes // load().types[kind].bytes
    for passes in (2, 3):
        patterned(machine("tiny"), "DRD", 3, [3, passes, elements], kind)


def test_blocks_that_fill_a_small_ring():
    """A block is held to its last pass, although the fetch of the next one waits for its bytes."""
    with fresh("tiny", 1, name="small", **SMALL_RINGS) as pair:
        elements = pair.target.ring_bytes // load().types["i32"].bytes
        for passes in (2, 3):
            patterned(pair, "DRD", 3, [3, passes, elements], "i32")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", list(load().types))
def test_in_place(target, kind):
    """An output at the address of an input, of every type."""
    program = Program()
    streams = [Stream(code, kind, (333,), INPUTS) for code in (S(0), O(0))]
    program.kernel(streams, [operate("not", O(0), S(0))])
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_ranks_and_types_of_streams(target):
    """Every type with every rank, read and written."""
    for kind, rank in product(load().types, range(RANK_MAX + 1)):
        program = Program()
        sizes = (*[1] * (rank - 1), 5)[:rank]
        program.kernel(
            [Stream(S(0), kind, sizes, INPUTS), Stream(O(0), kind, sizes, OUTPUTS)],
            [operate("mov", O(0), S(0))],
        )
        assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_streams_of_different_ranks(target):
    """The kernel has the rank of its stream of most dimensions, whenever that is configured."""
    for ranks in permutations((0, 1, 3)):
        sizes = (2, 3, 5)
        own = [sizes[3 - rank :] for rank in ranks[: machine(target).target.input_streams]]
        streams = [Stream(S(i), "i16", each, INPUTS + 64 * i) for i, each in enumerate(own)]
        program = Program()
        whole = Stream(O(0), "i16", sizes, OUTPUTS)
        program.kernel([whole, *streams], [operate("mov", O(0), S(len(own) - 1))])
        assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_how_many_streams(target):
    """No input, one and all; one output, all but one and all."""
    sizes = machine(target).target
    for inputs in {0, 1, sizes.input_streams}:
        for outputs in {1, max(1, sizes.output_streams - 1), sizes.output_streams}:
            program = Program()
            streams = [Stream(S(i), "i16", (77,), INPUTS + 2 * i) for i in range(inputs)]
            streams += [Stream(O(i), "i16", (77,), OUTPUTS + 200 * i) for i in range(outputs)]
            source = [S(inputs - 1)] if inputs else [immediate_code()]
            body = [operate("mov", O(i), *source) for i in range(outputs)]
            program.kernel(streams, body)
            assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_cuts_of_every_stream(target):
    """A block that ends inside a beat costs one more beat, whichever stream reads it."""
    count = machine(target).target.input_streams
    for held in range(count):
        program = Program()
        sizes = [(3, 1, 21) if i == held else (3, 5, 21) for i in range(count)]
        streams = [Stream(S(i), "i8", own, INPUTS + 3 * i) for i, own in enumerate(sizes)]
        streams.append(Stream(O(0), "i8", (3, 5, 21), OUTPUTS))
        program.kernel(streams, [operate("mov", O(0), S(held))])
        outcome = agree(machine(target), program)
        assert outcome.fault is None
        assert outcome.counters["cuts"] > 0


@pytest.mark.parametrize("target", TARGETS)
def test_the_pipe_waits_for_the_store(target):
    """No free result buffer: it takes a memory with stalls.

    With one that does not, the store is never slower than the pipe: an output takes as many cycles
    as the instruction that writes it.
    """
    session: Session = machine(target).hardware.session(MEMORY_BYTES)
    points = 12 * session.target.vlen
    program = Program()
    stream = Stream(O(0), "i32", (points,), OUTPUTS)
    program.kernel([stream], [operate("mov", O(0), immediate_code(), imm=0x01020304)])
    job = program.store()
    session.stall(5)
    session.load(MEMORY_BASE, program.memory)
    outcome = session.run(job)
    written = session.save(OUTPUTS, stream.bytes)
    session.stall(0)
    assert outcome.status == "done"
    assert outcome.counters["lane_stall_output"]
    np.testing.assert_array_equal(written.view("<u4"), 0x01020304)


@pytest.mark.parametrize("target", [t for t in TARGETS if load_target(t).output_streams > 1])
def test_a_slow_store_and_outputs_of_two_phases(target):
    """The first phase that writes an output waits for a result buffer, not a later one."""
    session: Session = machine(target).hardware.session(MEMORY_BYTES)
    points = 12 * session.target.vlen
    values = np.arange(points, dtype="<u4")
    program = Program()
    source = Stream(S(0), "i32", (points,), INPUTS)
    first = Stream(O(0), "i32", (points,), OUTPUTS)
    second = Stream(O(1), "i32", (points,), OUTPUTS + first.bytes)
    program.put(INPUTS, values)
    divide = operate("div.i32", T(0), S(0), immediate_code(), imm=3)
    body = [operate("mov", O(0), S(0)), divide, operate("mov", O(1), T(0))]
    program.kernel([source, first, second], body, copies=2)
    job = program.store()
    session.stall(5)
    session.load(MEMORY_BASE, program.memory)
    outcome = session.run(job)
    written = session.save(OUTPUTS, first.bytes + second.bytes).view("<u4")
    session.stall(0)
    assert outcome.status == "done"
    assert outcome.counters["lane_stall_output"]
    np.testing.assert_array_equal(written, np.concatenate([values, values // 3]))


@pytest.mark.parametrize("target", TARGETS)
def test_images_at_the_ends_of_pages(target):
    """Program and packet as large as they may be, and beginning or ending with a page."""
    sizes = machine(target).target
    pages = 3
    for packet_words in (1, 7, 8, sizes.parameter_words):
        program = Program()
        program.packet = [load().version, *[0] * (packet_words - 1)]
        program.program_address = MEMORY_BASE + PAGE - 64
        program.packet_address = MEMORY_BASE + pages * PAGE
        if packet_words <= 8:
            program.packet_address -= 64
        agree(machine(target), program)
    program = Program()
    program.program_address = MEMORY_BASE
    program.packet_address = MEMORY_BASE + sizes.instruction_words * 8
    program.window = (program.packet_address + 2 * PAGE) // PAGE * PAGE, program.window[1]
    program.words = [0] * (sizes.instruction_words - 1)
    assert agree(machine(target), program).fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_errors_of_every_transfer(target):
    """Program, packet, inputs or outputs beyond memory: the kernel ends, the program stops."""
    session: Session = machine(target).hardware.session(MEMORY_BYTES)
    beyond = MEMORY_BASE + session.memory_bytes
    for what in ("program", "packet", "input", "output", "nothing"):
        program = Program()
        program.kernel(
            [
                Stream(S(0), "i32", (99,), beyond if what == "input" else INPUTS),
                Stream(O(0), "i32", (99,), beyond if what == "output" else OUTPUTS),
            ],
            [operate("mov", O(0), S(0))],
        )
        job = replace(program.store(), window=(program.window[0], beyond + PAGE))
        if what in ("program", "packet"):
            job = replace(job, **{f"{what}_address": beyond})
        session.load(MEMORY_BASE, program.memory)
        outcome = session.run(job)
        failed = what != "nothing"
        pc = 4 if what in ("input", "output") else 0  # of `loop`; 0 before the program begins
        assert (outcome.axi_error, outcome.status) == (failed, "fault" if failed else "done"), what
        assert outcome.fault == (Fault("none", pc) if pc else None), what
