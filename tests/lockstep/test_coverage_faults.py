"""Every fault at every kind of word: random dispatches find most of them, some by chance only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree
from lockstep.support import TARGETS, machine

import isa
from isa.dispatch import Fault
from isa.load import load
from isa.model import Instruction
from isa.operands import O, S, T, V
from isa.target import Target
from rtl_models.tb.bench import targets
from rtl_models.tb.body_rules import register, special
from rtl_models.tb.random_dispatches import MEMORY_BASE, PAGE

RANK_MAX = load().limits.rank_max
INPUT = Stream(S(0), "i32", (9,), INPUTS)
OUTPUT = Stream(O(0), "i32", (9,), OUTPUTS)
LOOP = isa.encode("loop", copies=2)
END, HALT = (isa.encode(name) for name in ("end", "halt"))
COPY = isa.encode("mov", dst=O(0), a=S(0))
CONFIGURED = [*INPUT.words(), *OUTPUT.words()]

Case = tuple[str, list[int], str, int]
"""What it is, the program, the fault, its pc."""


def word_of(instruction: Instruction) -> int:
    """A word that is legal by itself."""
    if instruction.name == "base":
        return INPUT.words()[0]
    if instruction.name == "size":
        return INPUT.words()[1]
    if instruction.is_control:
        return isa.encode(instruction.name)
    return computed(instruction, 0)


def computed(instruction: Instruction, number: int, **sources: int) -> int:
    """A word of a body that writes the register `number`; other sources are an input."""
    given = {**dict.fromkeys(instruction.operands, S(0)), **sources}
    return isa.encode(instruction.name, dst=register(instruction.name, number), **given)


def spoiled(instruction: Instruction) -> Iterator[tuple[str, int]]:
    """The word with a bit that must be 0, and with an operand that does not exist."""
    word = word_of(instruction)
    shape = load().formats[instruction.format]
    reserved = shape.reserved(64)
    if reserved:
        yield "illegal_instruction", word | reserved & -reserved
    elif not instruction.is_control:
        yield "illegal_instruction", word | 1 << shape.field("imm").low  # nobody uses it
    for field in shape.fields:
        if field.name in ("dst", "stream", *instruction.operands):
            missing = 0x3F if field.name in ("dst", "stream") else 0x3E
            yield "illegal_operand", word & ~field.mask | missing << field.low
        if field.name == "copies":
            for wrong in (0, 3, 5, 6, 7):
                yield "illegal_operand", word & ~field.mask | wrong << field.low
    if not instruction.is_control:  # a register of the other class
        field = shape.field("dst")
        other = V(0) if special(instruction) else T(0)
        yield "illegal_operand", word & ~field.mask | other << field.low


def decoding() -> Iterator[Case]:
    """Words that are wrong by themselves, outside of a loop and in a body."""
    for instruction in load().instructions.values():
        for fault, word in spoiled(instruction):
            at = len(CONFIGURED)
            yield f"{instruction.name} as a word", [*CONFIGURED, word, HALT], fault, at
            body = [*CONFIGURED, LOOP, word, COPY, END, HALT]
            yield f"{instruction.name} in a body", body, fault, at + 1
    unassigned = next(code for code in range(256) if code not in load().by_opcode)
    yield "no opcode as a word", [unassigned], "illegal_instruction", 0
    yield "no opcode in a body", [*CONFIGURED, LOOP, unassigned], "illegal_instruction", 5


def structure() -> Iterator[Case]:
    """Words that are legal by themselves, at a wrong position."""
    at = len(CONFIGURED)
    programs = {
        "no halt": (CONFIGURED, at),
        "a body without end": ([*CONFIGURED, LOOP, COPY], at + 2),
        "a second base": ([*CONFIGURED, CONFIGURED[0]], at),
        "a size without base": ([INPUT.words()[1]], 0),
        "a size beyond the rank": ([INPUT.words()[0], INPUT.words()[1] | 1 << 14], 1),
        "a size given twice": ([*INPUT.words(), INPUT.words()[1]], 2),
        "no output": ([*INPUT.words(), LOOP], 2),
        "no stream": ([LOOP], 0),
        "a size that is missing": ([*INPUT.words(), OUTPUT.words()[0], LOOP], 3),
        "end outside of a loop": ([END], 0),
        "an input that is not configured": ([*OUTPUT.words(), LOOP, COPY], 3),
        "an output written twice": ([*CONFIGURED, LOOP, COPY, COPY, END], at + 2),
        "an output not written": ([*CONFIGURED, LOOP, END], at + 1),
    }
    for what, (words, pc) in programs.items():
        yield what, words, "bad_structure", pc
    other = isa.encode("mov", dst=O(1), a=S(0))
    yield "an output that is not configured", [*CONFIGURED, LOOP, other], "bad_structure", at + 1
    for instruction in load().instructions.values():
        word = word_of(instruction)
        if not instruction.is_control:
            yield f"{instruction.name} outside of a loop", [word], "bad_structure", 0
            for name, source in product(instruction.operands, (V(1), T(1))):
                unwritten = computed(instruction, 0, **{name: source})
                body = [*CONFIGURED, LOOP, unwritten, COPY, END]
                yield f"{name} of {instruction.name} not written", body, "bad_structure", at + 1
        elif instruction.name != "end":
            body = [*CONFIGURED, LOOP, word, COPY, END]
            yield f"{instruction.name} in a body", body, "bad_structure", at + 1


def phases(target: Target) -> Iterator[Case]:
    """Words of a body that are wrong because of the copies of `loop`, or of what is before them."""
    special, lane = load().instructions["exp.f32"], load().instructions["mov"]
    group = [computed(special, 0), computed(lane, 0)]
    used = [computed(special, 0), computed(lane, 0, a=T(0)), computed(special, 0)]
    bodies = [("a result that its segment reads", 4, used)]
    for copies in (1, 2, 4):
        bodies.append(("phases", copies, [*group * (copies - 1), computed(special, 0)]))
        for name, instruction in (("vector", lane), ("result", special)):
            share = target.registers(name, copies)
            if share < target.registers(name, 1):
                bodies.append((f"{name} register", copies, [computed(instruction, share)]))
    for what, copies, body in bodies:
        words = [*CONFIGURED, isa.encode("loop", copies=copies), *body, COPY, END, HALT]
        yield f"{what}, {copies} copies", words, "bad_structure", len(CONFIGURED) + len(body)


def values() -> Iterator[Case]:
    """Parameters that do not exist, sizes that are too large."""
    base, _ = INPUT.words()
    parameter = load().formats["base"].field("param")
    yield "base", [base | 1 << parameter.low], "bad_parameter", 0
    from_parameter = {"stream": S(0), "dim": 0, "from_param": 1}
    yield "size", [base, isa.encode("size", value=1, **from_parameter)], "bad_parameter", 1
    largest = {"stream": S(0), "dim": 0, "from_param": 0, "value": (1 << 31)}
    yield "size too large", [base, isa.encode("size", **largest)], "bad_dimension", 1


def agreed(target: str, cases: Iterator[Case]) -> None:
    """Run all; each has its fault, at its pc, on simulator and hardware."""
    streams = machine(target).target.output_streams
    for what, words, fault, pc in cases:
        program = Program(words=words)
        outcome = agree(machine(target), program, halt=False)
        assert outcome.fault is not None, what
        # An output that the target does not have is another fault.
        lacks = what == "an output that is not configured" and streams == 1
        expected = "illegal_operand" if lacks else fault
        assert (outcome.fault.name, outcome.fault.pc) == (expected, pc), what


@pytest.mark.parametrize("target", targets("tiny", "accel", others=TARGETS))
def test_words_that_are_illegal(target):
    agreed(target, decoding())


@pytest.mark.parametrize("target", targets("tiny", "accel", others=TARGETS))
def test_words_in_a_wrong_place(target):
    agreed(target, structure())


@pytest.mark.parametrize("target", TARGETS)
def test_phases_and_shares_of_registers(target):
    agreed(target, phases(machine(target).target))


@pytest.mark.parametrize("target", TARGETS)
def test_values_out_of_range(target):
    agreed(target, values())


def shapes() -> Iterator[tuple[str, list[Stream], str, int, int]]:
    """What it is, streams, the fault, and the stream and dimension that it names."""
    two = (2,) * RANK_MAX
    for dim in range(RANK_MAX):
        other = (*two[:dim], 3, *two[dim + 1 :])
        streams = [Stream(S(0), "i8", two, INPUTS), Stream(S(1), "i8", other, INPUTS)]
        output = Stream(O(0), "i8", two, OUTPUTS)
        yield f"inputs in {dim}", [*streams, output], "shape_mismatch", S(1), dim
        wrong = Stream(O(0), "i8", other, OUTPUTS)
        yield f"output in {dim}", [streams[0], wrong], "output_shape", O(0), dim
    for stream, at in ((S(0), INPUTS), (O(0), OUTPUTS)):
        for fault, address in (("misaligned", at + 2), ("out_of_window", MEMORY_BASE + PAGE)):
            moved = Stream(stream, "i32", (9,), address)
            both = [moved, OUTPUT] if stream == S(0) else [INPUT, moved]
            yield f"{stream} {fault}", both, fault, stream, 0
    near = Stream(O(0), "i32", (9,), INPUTS + 4)
    yield "an output on an input", [INPUT, near], "overlap", O(0), 0
    many = (1 << 16, 1 << 15)
    row, column = Stream(S(0), "i8", (1, many[1]), INPUTS), Stream(S(1), "i8", (many[0], 1), INPUTS)
    streams = [row, column, Stream(O(0), "i8", many, OUTPUTS)]
    yield "2^31 points", streams, "too_many_points", 0, 0
    many = (*[1 << 16] * (RANK_MAX - 1), 1 << 15)
    streams = [Stream(S(0), "i8", many, INPUTS), Stream(O(0), "i8", many, OUTPUTS)]
    yield "2^95 points", streams, "too_many_points", 0, 0
    scalar = Stream(S(0), "i8", (), INPUTS)
    yield (
        "points without inputs",
        [scalar, Stream(O(0), "i8", (5, 7), OUTPUTS)],
        "output_shape",
        O(0),
        0,
    )


@pytest.mark.parametrize("target", TARGETS)
def test_shapes_that_do_not_fit(target):
    for what, streams, fault, stream, dimension in shapes():
        program = Program()
        program.kernel(streams, [isa.encode("mov", dst=O(0), a=S(0))])
        outcome = agree(machine(target), program)
        pc = sum(len(s.words()) for s in streams)
        assert outcome.fault == Fault(fault, pc, stream, dimension), what


@pytest.mark.parametrize("target", TARGETS)
def test_images_that_are_refused(target):
    """Too large, without a version, or with another; and empty ones."""
    sizes = machine(target).target
    for words, packet, fault in (
        (sizes.instruction_words + 1, 2, "program_too_large"),
        (1, sizes.parameter_words + 1, "packet_too_large"),
        (sizes.instruction_words + 1, sizes.parameter_words + 1, "program_too_large"),
        (1, 0, "bad_version"),
        (0, 0, "bad_version"),
        (0, 1, "bad_structure"),
    ):
        program = Program(words=[HALT] * words, packet=[load().version] * packet)
        program.packet_address = MEMORY_BASE + (8 * words + PAGE) // PAGE * PAGE
        program.window = program.packet_address + 4 * PAGE, program.window[1]
        outcome = agree(machine(target), program, halt=False)
        assert outcome.fault is not None
        assert outcome.fault.name == fault
    other = Program(packet=[load().version + 1, 0])
    outcome = agree(machine(target), other)
    assert outcome.fault is not None
    assert outcome.fault.name == "bad_version"
