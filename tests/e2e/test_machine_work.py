"""Bytes moved and cycles taken by the machine, for whole programs."""

import itertools
from functools import cache
from math import prod

import numpy as np
import pytest
from e2e.support.tosa_text import add_program, chain_program, dynamic

import hwc
from hwc.package import BufferRef
from hwc.runtime.roofline import roofline_share

TARGETS = ("accel", "tiny", "wide")


@cache
def adder(rank, target):
    return hwc.compile(add_program(dynamic(rank), dynamic(rank), dynamic(rank)), target)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def held_bytes(own, full):
    """The largest block of an operand that has to stay in its ring to be read once.

    The operand's dimensions inside its outermost broadcast one are passed again and again.
    """
    outermost = next((d for d, (o, f) in enumerate(zip(own, full, strict=True)) if o != f), None)
    return 0 if outermost is None else 4 * prod(own[outermost:])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_each_element_crosses_the_bus_once(target, rank):
    program = adder(rank, target)
    sizes = (5, 3, 4, 37)[-rank:]
    patterns = list(itertools.product((False, True), repeat=rank))
    for ones in itertools.product(patterns, repeat=2):
        a, b = (tuple(1 if o else s for o, s in zip(p, sizes, strict=True)) for p in ones)
        full = np.broadcast_shapes(a, b)
        assert max(held_bytes(a, full), held_bytes(b, full)) <= program.target.ring_bytes
        counters = program(zeros(*a), zeros(*b)).counters
        assert counters["bytes_read"] == 4 * (prod(a) + prod(b))
        assert counters["bytes_written"] == 4 * prod(full)


@pytest.mark.parametrize("target", TARGETS)
def test_a_block_of_exactly_the_rings_bytes_is_read_once_and_a_larger_one_again(target):
    program = adder(2, target)
    n = program.target.ring_bytes // 4
    once = program(zeros(5, n), zeros(1, n)).counters
    assert once["bytes_read"] == 4 * (5 * n + n)
    again = program(zeros(5, n + 1), zeros(1, n + 1)).counters
    assert again["bytes_read"] == 4 * (5 * (n + 1) + 5 * (n + 1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "shapes",
    [
        [(64, 1024), (64, 1024), (64, 1024), (64, 1024)],
        [(64, 1024), (1, 1024), (64, 1), (1, 1)],
        [(1, 1024), (64, 1), (1, 1024), (64, 1)],
    ],
)
def test_static_and_dynamic_take_the_same_time(target, shapes):
    result = np.broadcast_shapes(*shapes)
    static = hwc.compile(chain_program(shapes, result), target)
    dynamic_ = hwc.compile(chain_program([dynamic(2)] * 4, dynamic(2)), target)
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    one, other = static(*arrays), dynamic_(*arrays)
    np.testing.assert_array_equal(one.outputs[0], other.outputs[0])
    assert abs(one.cycles - other.cycles) <= 0.02 * one.cycles


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("name", "other"),
    [("dense", (1024, 1024)), ("row", (1, 1024)), ("column", (1024, 1)), ("scalar", (1, 1))],
)
def test_large_adds_reach_the_roofline(target, name, other):
    program = adder(2, target)
    result = program(zeros(1024, 1024), zeros(*other))
    assert roofline_share(result.counters, program.target) >= 0.95


def parameters(program):
    return [p for d in program.package.dispatches for p in d.parameters]


def test_the_packet_holds_addresses_and_sizes_and_nothing_else():
    program = hwc.compile(chain_program([dynamic(3)] * 4, dynamic(3)))
    (dispatch,) = program.package.dispatches
    buffers = [p.name for p in dispatch.parameters if isinstance(p, BufferRef)]
    symbols = [p.name for p in dispatch.parameters if not isinstance(p, BufferRef)]
    assert len(buffers) == len(set(buffers)) == 5
    assert len(symbols) == len(set(symbols)) == 5 * 3


def test_static_sizes_and_known_ones_are_not_in_the_packet():
    program = hwc.compile(add_program((4, 5), (1, 5), (4, 5)))
    assert [type(p) for p in parameters(program)] == [BufferRef] * 3
    mixed = hwc.compile(add_program((None, 5), (1, 1), (None, 5)))
    assert len([p for p in parameters(mixed) if not isinstance(p, BufferRef)]) == 1


def test_equal_symbols_are_one_parameter():
    shape = "tensor<?xf32>"
    program = hwc.compile(
        f"func.func @main(%a: {shape}) -> {shape} {{\n"
        f"  %0 = tosa.abs %a : ({shape}) -> {shape}\n"
        f"  %1 = tosa.ceil %0 : ({shape}) -> {shape}\n"
        f"  return %1 : {shape}\n}}\n"
    )
    assert len(parameters(program)) == 3
