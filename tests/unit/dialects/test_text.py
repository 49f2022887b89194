"""Random kernels and reshapes: what is printed is read again, in both syntaxes."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i1,
    i8,
    i32,
)
from xdsl.dialects.test import TestOp as Anything
from xdsl.ir import Block
from xdsl.printer import Printer

import isa
from hwc.dialects import kernel, make_context, strip
from hwc.dialects.kernel_views import ReshapeOp
from hwc.dialects.sizes import sizes_attr
from hwc.frontend.parser import parse
from hwc.frontend.source import Source

SYMBOLS = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_$.]*", fullmatch=True),
    st.text(st.characters(codec="ascii"), max_size=5),
)
SIZES = st.integers(0, isa.load().limits.size_limit - 1)
SHAPES = st.lists(st.one_of(SIZES, SYMBOLS), max_size=4)
ELEMENTS = st.sampled_from([i1, i8, i32, f32])
ATTRIBUTES = st.dictionaries(st.from_regex(r"[a-z]{1,4}", fullmatch=True), SYMBOLS.map(StringAttr))
SOURCE = st.sampled_from(["tosa.add", "copy", 'a "b"'])
SOURCES = st.lists(SOURCE, max_size=3)


def tensor(shape, element):
    return TensorType(element, [DYNAMIC_INDEX if isinstance(s, str) else s for s in shape])


def shapes_attr(shapes):
    return ArrayAttr([sizes_attr(s) for s in shapes])


def module(inputs, build):
    """Return a module in which some operation gives values of the types `inputs`."""
    values = Anything(result_types=inputs)
    return ModuleOp([values, build(list(values.results))])


@st.composite
def applies(draw):
    shape = draw(SHAPES)
    inputs = draw(st.lists(st.tuples(SHAPES, ELEMENTS), max_size=3))
    block = Block(arg_types=[element for _, element in inputs])
    values = [*block.args, *(arith.ConstantOp.from_int_and_width(n, 32).result for n in (1, 2))]
    for value in values[len(inputs) :]:
        block.add_op(value.owner)
    if draw(st.booleans()):
        block.add_op(arith.AddiOp(values[-1], values[-2]))
        values.append(block.last_op.results[0])
    yielded = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    block.add_op(kernel.YieldOp(yielded))
    ones = [[1] * draw(st.integers(0, 2)) for _ in yielded]
    shapes = [[*padding, *shape] for padding in ones]

    def build(operands):
        op = kernel.ApplyOp.build_from(
            operands,
            [tensor(s, v.type) for s, v in zip(shapes, yielded, strict=True)],
            shapes,
            draw(SOURCES),
            block,
        )
        op.attributes = draw(ATTRIBUTES)
        return op

    return module([tensor(s, e) for s, e in inputs], build)


@st.composite
def strips(draw):
    inputs = draw(st.lists(st.tuples(SHAPES, ELEMENTS), max_size=3))
    block = Block(arg_types=[strip.register(f"s{i}") for i in range(len(inputs))])
    immediate = strip.ImmediateOp(draw(st.integers(0, 2**32 - 1)))
    block.add_op(immediate)
    values = [*block.args, immediate.result]
    registers = st.sampled_from(["", "v0", "v15", "o0", "o1"])
    for name in draw(st.lists(st.sampled_from(sorted(strip.INSTRUCTIONS)), min_size=1, max_size=5)):
        arity = len(isa.load().instructions[name].operands)
        sources = [draw(st.sampled_from(values)) for _ in range(arity)]
        op = strip.INSTRUCTIONS[name](*sources, result=draw(registers))
        op.attributes = draw(ATTRIBUTES)
        block.add_op(op)
        values.append(op.result)
    defined = values[len(inputs) + 1 :]
    outputs = draw(st.lists(st.tuples(st.sampled_from(defined), SHAPES, ELEMENTS), max_size=3))
    block.add_op(strip.YieldOp([value for value, _, _ in outputs]))

    def build(operands):
        sizes = tuple(tuple(s) for s, _ in inputs), tuple(tuple(s) for _, s, _ in outputs)
        types = [tensor(s, e) for _, s, e in outputs]
        op = strip.KernelOp.build_from(operands, types, sizes, draw(SOURCES), block)
        op.attributes = draw(ATTRIBUTES)
        return op

    return module([tensor(s, e) for s, e in inputs], build)


@st.composite
def reshapes(draw):
    sizes, element = draw(SHAPES), draw(ELEMENTS)
    source = draw(st.none() | SOURCE.map(StringAttr))
    given = [draw(SYMBOLS), *sizes]

    def build(operands):
        type_ = tensor(sizes, element)
        op = ReshapeOp(operands[0], type_, sizes_attr(sizes), source)
        op.attributes = draw(ATTRIBUTES)
        return op

    return module([tensor(given, element)], build)


def text(op, generic):
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(op)
    return stream.getvalue()


@pytest.mark.parametrize("generic", [False, True])
@given(original=st.one_of(applies(), strips(), reshapes()))
def test_what_is_printed_is_read(generic, original):
    original.verify()
    context = make_context()
    context.load_op(Anything)
    printed = text(original, generic)
    again = parse(Source("printed", printed), context)
    again.verify()
    assert again.is_structurally_equivalent(original), printed
    assert text(again, generic) == printed
