"""Every kind of step: its text, its JSON and its IR are read back as they were."""

import io
from dataclasses import replace

import pytest
from hypothesis import given
from unit.shapes.steps.strategies import STEPS, steps
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser
from xdsl.printer import Printer

from hwc.dialects.kernel import Kernel
from hwc.dialects.kernel_sizes import SizeOp
from hwc.package import ShapeProgram
from hwc.package.codec import shape_program_from_json, shape_program_to_json
from hwc.shapes.steps import (
    ARITHMETIC,
    KINDS,
    Broadcast,
    Dim,
    Element,
    Equal,
    IsSize,
    Reshape,
    StepSyntaxError,
    parse_step,
)


def test_every_kind_is_tested():
    assert set(STEPS) == set(KINDS)


@given(steps)
def test_the_text_is_read_back(step):
    assert parse_step(str(step)) == replace(step, origin=None)


@given(steps)
def test_the_json_is_read_back(step):
    program = ShapeProgram((step,))
    assert shape_program_from_json(shape_program_to_json(program)) == program


@pytest.mark.parametrize("generic", [False, True])
@given(step=steps)
def test_the_operation_is_read_back(generic, step):
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Kernel)
    origin = step.origin
    step = replace(step, origin=None)
    op = SizeOp(step, origin and origin.operation, origin and origin.dimension)
    text = io.StringIO()
    Printer(text, print_generic_format=generic).print_op(op)
    again = Parser(context, text.getvalue()).parse_operation()
    assert isinstance(again, SizeOp)
    assert again.step == step
    assert again.is_structurally_equivalent(op)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("s0 = dim(argument 1, dimension 2)", Dim("s0", 1, 2)),
        ("d0 = broadcast(s0, 4, s1)", Broadcast("d0", ("s0", 4, "s1"))),
        ("  4=broadcast( s0 )", Broadcast(4, ("s0",))),
        ("equal(s0, 7)", Equal(("s0", 7))),
        ("[4, r0] = reshape(s0, 5)", Reshape(("s0", 5), (4, "r0"))),
        ("[] = reshape()", Reshape((), ())),
        ("size(n0, 4)", IsSize(("n0", 4))),
        ("n0 = subi(s0, -3)", ARITHMETIC["subi"]("n0", ("s0", -3))),
        ("e0 = element(argument 1, [0, s0])", Element("e0", 1, (0, "s0"))),
    ],
)
def test_what_a_person_writes(text, step):
    assert parse_step(text) == step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a size or the name of a symbol"),
        ("s0", "'s0' is not a kind of step"),
        ("equal", "expected '\\('"),
        ("4", f"4 is not a kind of step: {', '.join(KINDS)}"),
        ("s0 = length(1)", "'length' is not a kind of step"),
        ("s0 = size(1)", "'size' gives no size"),
        ("size(-1)", "expected a size or the name of a symbol"),
        ("addi(s0, 1)", "'addi' gives one size"),
        ("4 = addi(s0, 1)", "'addi' defines a symbol, not the number 4"),
        ("n0 = addi(s0, - s1)", "expected a number"),
        ("4 = element(argument 0, [])", "'element' defines a symbol, not the number 4"),
        ("e0 = element(argument 0, 1)", "expected '\\['"),
        ("s0 = broadcast(s1", "expected ','"),
        ("s0 = broadcast(s1,)", "expected a size or the name of a symbol"),
        ("s0 = broadcast(s1 s2)", "expected ','"),
        ("s0 = broadcast(-1)", "expected a size or the name of a symbol"),
        ("s0 = broadcast(s1) s2", "the text goes on after the step"),
        ("broadcast(s1)", "'broadcast' gives one size"),
        ("[s0] = broadcast(s1)", "'broadcast' gives one size"),
        ("s0 = equal(s1)", "'equal' gives no size"),
        ("s0 = reshape(s1)", "'reshape' gives a list of sizes"),
        ("4 = dim(argument 0, dimension 0)", "'dim' defines a symbol, not the size 4"),
        ("s0 = dim(argument s1, dimension 0)", "expected a number"),
        ("s0 = dim(0, 0)", "expected 'argument'"),
    ],
)
def test_what_is_not_a_step(text, message):
    with pytest.raises(StepSyntaxError, match=message):
        parse_step(text)
