"""The selection table: properties of every rule."""

from itertools import product

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

import isa
from hwc.backend.selection import MAX_TEMPORARIES, check_types, is_slow, words_of
from hwc.backend.selection.emitter import BlockEmitter, Constant, NoInstructionError
from hwc.backend.selection.rules import RULES
from hwc.backend.selection.select import instructions_of, most_words, scalars_of
from hwc.dialects import make_context, strip
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.planning.phases import Instruction, Pipe, allocate

CONTEXT = make_context()
CONSTANTS = (0, 1, 0x7F, 0x80000000, 0x3F800000)


def operation(line, operands, result):
    """The operation `line` on the operands %x, %y and %z of these types."""
    arguments = ", ".join(f"%{n}: {k}" for n, k in zip("xyz", operands, strict=False))
    text = f"func.func @f({arguments}) -> {result} {{\n%r = {line}\nreturn %r : {result}\n}}\n"
    function = parse(Source("test", text), CONTEXT).body.block.first_op
    assert isinstance(function, FuncOp)
    op = function.body.block.first_op
    assert op is not None
    return op


def arity(name):
    """How many operands an operation takes, as its dialect defines it."""
    return len(CONTEXT.get_op(name).get_irdl_definition().operands)


def accepted(name):
    """The operation on every type and for every relation that the machine has."""
    for scalar in scalars_of(name):
        try:
            instructions_of(scalar, (False,) * arity(name))
        except NoInstructionError:
            continue
        yield scalar


def test_only_these_operations_lack_an_instruction_for_a_type_of_their_rule():
    refused = {
        (name, scalar.operand.name)
        for name in RULES
        for scalar in set(scalars_of(name)) - set(accepted(name))
    }
    narrow = ("i8", "i16")
    saturating = ("hwc.add_saturate", "hwc.add_saturate_unsigned", "hwc.subtract_saturate")
    integers = {
        *product(("hwc.mul_shift", "hwc.mul_shift_double"), narrow),
        *product(("hwc.mul_high_unsigned", "hwc.shift_wide"), narrow),
        *product(saturating, (*narrow, "i32")),  # to i32
        *product(("hwc.lookup", "hwc.interpolate"), (*narrow, "i32")),  # each to one type
    }
    # Floats of one byte have no arithmetic, and no float narrower than a lane has its bits there.
    small = {t.name for t in isa.load().types.values() if t.kind == "float" and t.bits == 8}
    casts = {"arith.bitcast", "arith.truncf", "arith.sitofp", "arith.uitofp"}
    others = {(name, type_) for name, type_ in refused if name not in casts} - integers
    assert integers <= refused
    assert {type_ for _, type_ in others} == small
    assert {name for name, _ in others} == ROUNDED


@pytest.mark.parametrize("name", RULES)
def test_what_is_emitted_is_what_is_counted_and_planned_with(name):
    count = arity(name)
    for scalar in accepted(name):
        for pattern in product((False, True), repeat=count):
            listed = instructions_of(scalar, pattern)
            for bits in CONSTANTS:
                block = Block(arg_types=[strip.register(f"s{i}") for i in range(count)])
                operands = [
                    Constant(bits + i) if c else block.args[i] for i, c in enumerate(pattern)
                ]
                RULES[name].expansions[scalar.operand.kind](BlockEmitter(block), scalar, operands)
                code = [op for op in block.ops if isinstance(op, strip.InstructionOp)]
                for op in code:
                    op.verify()
                # Constants that are equal by chance need fewer instructions, never more.
                assert len(code) <= len(listed) <= most_words(name, count, sum(pattern))
                if not any(pattern):
                    assert tuple(op.mnemonic for op in code) == listed
                assert registers(code) <= MAX_TEMPORARIES


def registers(code):
    """The registers that instructions need, the last result in one of them, if lanes do all."""
    number = {op.result: i for i, op in enumerate(code)}
    reads = [tuple(number[v] for v in op.sources if v in number) for op in code]
    lanes = [Instruction(r, special=False, in_register=True) for r in reads]
    held = allocate(lanes, Pipe(1, 1, 1, 1, {1: 32}, {1: 0}), 1)
    assert held is not None
    return 1 + max(held, default=-1)


ROUNDED = {
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.fma", "math.exp", "math.log",
    "math.log2", "math.log10", "math.sin", "math.cos", "math.tanh", "math.erf", "math.sqrt",
    "math.rsqrt", "math.powf", "math.exp2", "hwc.sigmoid", "hwc.reciprocal",
}  # fmt: skip
"""Operations whose instructions round to the type of their operands."""

SLOW = {
    "math.exp", "math.log", "math.sin", "math.cos", "math.tanh", "math.erf", "math.rsqrt",
    "math.powf", "math.expm1", "math.log1p", "arith.remf", "math.exp2", "math.log2", "math.log10",
    "math.tan", "math.sqrt", "arith.divf", "arith.floordivsi", "arith.ceildivsi", "arith.divui",
    "arith.ceildivui", "arith.remui", "hwc.sigmoid", "hwc.reciprocal", "arith.divsi", "arith.remsi",
    "hwc.lookup", "hwc.interpolate",
}  # fmt: skip


def test_slow_are_the_operations_with_an_instruction_of_a_slow_unit():
    units, instructions = isa.load().units, isa.load().instructions
    slow = {
        name
        for name in RULES
        for scalar in accepted(name)
        for i in instructions_of(scalar, (False,) * arity(name))
        if units[instructions[i].unit or ""].rate == "special"
    }
    assert slow == SLOW
    assert is_slow(operation("math.tanh %x : f32", ["f32"], "f32"))
    assert is_slow(operation("arith.remsi %x, %y : i8", ["i8"] * 2, "i8"))
    assert not is_slow(operation("arith.mulf %x, %y : f32", ["f32"] * 2, "f32"))


@pytest.mark.parametrize(
    ("line", "operands", "result", "words"),
    [
        ("arith.addf %x, %y : f32", ["f32", "f32"], "f32", 1),
        ("arith.cmpf oeq, %x, %y : f32", ["f32", "f32"], "i1", 4),
        ("arith.cmpi eq, %x, %y : i1", ["i1", "i1"], "i1", 1),
        ("arith.divsi %x, %y : i32", ["i32", "i32"], "i32", 2),
        ("arith.fptosi %x : f32 to i8", ["f32"], "i8", 2),
        ("math.ctlz %x : i32", ["i32"], "i32", 3),
        ("arith.bitcast %x : i32 to f32", ["i32"], "f32", 0),
        ("arith.constant 1 : i8", [], "i8", 0),
    ],
)
def test_words_are_those_of_the_longest_expansion_on_any_type(line, operands, result, words):
    assert words_of(operation(line, operands, result)) == words


def test_a_second_constant_is_one_more_word():
    function = parse(
        Source(
            "test",
            "func.func @f() -> f32 {\n"
            "%x = arith.constant 1.0 : f32\n%y = arith.constant 2.0 : f32\n"
            "%r = arith.addf %x, %y : f32\nreturn %r : f32\n}\n",
        ),
        CONTEXT,
    ).body.block.first_op
    assert isinstance(function, FuncOp)
    add = next(op for op in function.body.block.ops if op.name == "arith.addf")
    assert words_of(add) == 2


@pytest.mark.parametrize(
    ("line", "operands", "result", "message"),
    [
        ("math.sinh %x : f32", ["f32"], "f32", "'math.sinh' has no instruction on this machine"),
        (
            "arith.addf %x, %y : f64",
            ["f64", "f64"],
            "f64",
            "'arith.addf' has a value of type f64\nhelp: the machine has i1, i8, i16, i32, "
            "f32, f16, bf16, f8E4M3FN, f8E5M2",
        ),
        ("arith.divsi %x, %y : i1", ["i1"] * 2, "i1", "'arith.divsi' on i1 has no instruction"),
        ("arith.shli %x, %y : i1", ["i1"] * 2, "i1", "'arith.shli' on i1 has no instruction"),
        ("math.absi %x : i1", ["i1"], "i1", "'math.absi' on i1 has no instruction"),
        ("arith.fptosi %x : f32 to i1", ["f32"], "i1", "'arith.fptosi' on f32 to i1 has no"),
        ('"hwc.fptosi"(%x) : (f32) -> i1', ["f32"], "i1", "'hwc.fptosi' on f32 to i1 has no"),
    ],
)
def test_what_the_machine_does_not_have_is_refused_where_it_stands(line, operands, result, message):
    with pytest.raises(LocatedError) as caught:
        check_types(operation(line, operands, result))
    assert f"test:2:6: error: {message}" in str(caught.value)


def test_every_other_operation_is_accepted():
    check_types(operation("arith.uitofp %x : i16 to f32", ["i16"], "f32"))
    check_types(operation("arith.select %x, %y, %z : i8", ["i1", "i8", "i8"], "i8"))
    check_types(operation("arith.constant true", [], "i1"))
