"""Random kernels for the timing tests, as descriptions without a memory."""

from __future__ import annotations

import dataclasses
from math import prod

from hypothesis import strategies as st

from isa.asm import assemble
from isa.encode import decode
from isa.load import load
from isa.operands import O, S, T, V
from isa.target import Target, load_target
from sim.kernel import Body, Kernel, Operation, Stream

TARGETS = {name: load_target(name) for name in ("accel", "tiny", "wide")}

_ACCEL = TARGETS["accel"]
# Machines out of proportion reach corners that the named targets do not: stores slower than the
# vector pipe, few requests on the way, a memory too far away for the rings.
ODD_TARGETS = {
    "narrow": dataclasses.replace(_ACCEL, name="narrow", axi_bits=64),
    "few": dataclasses.replace(_ACCEL, name="few", outstanding=4, memory_latency=150),
    "far": dataclasses.replace(TARGETS["tiny"], name="far", memory_latency=700),
}
ALL_TARGETS = TARGETS | ODD_TARGETS

INSTRUCTIONS = ("add.i32", "mul.f32", "add.f32", "exp.f32", "div.i32", "pow.f32", "sel")


def body_of(names, target: Target, inputs, outputs, copies: int, choose) -> Body:
    """Chain instructions that keep the rules of a body; `choose` picks operands.

    The last ones write the outputs. A special instruction that the phases have no room for becomes
    a lane instruction.
    """
    registers = {
        "vector": [V(n) for n in range(target.registers("vector", copies))],
        "result": [T(n) for n in range(target.registers("result", copies))],
    }
    written: list[int] = []
    read_by_lanes: set[int] = set()
    operations = []
    groups, in_group = 0, False
    for number, name in enumerate(names):
        left = len(names) - number
        output = outputs[-left] if left <= len(outputs) else None
        instruction = load().instructions[name]
        unit = load().units[instruction.unit]
        free = [r for r in registers["result"] if r not in read_by_lanes]
        no_room = groups + (not in_group) + 1 > copies or (output is None and not free)
        if unit.special and no_room:
            instruction = load().instructions["add.i32"]
            unit = load().units[instruction.unit]
        if not unit.special and output is None and not registers["vector"]:
            continue
        if unit.special:
            groups += not in_group
        elif in_group:
            read_by_lanes = set()
        in_group = unit.special
        options = free if unit.special else registers["vector"]
        sources = [*inputs, *written]
        picked = tuple(
            choose(sources) if sources else load().operands["immediate"].first
            for _ in instruction.operands
        )
        destination = choose(options) if output is None else output
        operations.append(Operation(instruction, destination, picked, 0))
        if not unit.special:
            read_by_lanes |= {s for s in picked if s in registers["result"]}
        if output is None and destination not in written:
            written.append(destination)
    return Body(operations)


@st.composite
def kernels(draw, max_points: int = 6000, targets=tuple(ALL_TARGETS)):
    """A target and a kernel on it: any pattern, types, unaligned addresses, bodies."""
    target = ALL_TARGETS[draw(st.sampled_from(targets))]
    types = load().types
    rank = draw(st.integers(1, 6))
    deep = draw(st.booleans())
    sizes: list[int] = []
    room = max_points
    for left in range(rank, 0, -1):
        # Deep spaces share their points among the dimensions, others may spend them on one.
        most = min(room, 2 * round(room ** (1 / left))) if deep else room
        near = [n for n in (target.lanes, target.vlen, target.vlen + 1) if n <= most] or [1]
        options = st.integers(1, min(5, most)), st.integers(1, most), st.sampled_from(near)
        sizes.append(draw(st.one_of(*options)))
        room //= sizes[-1]
    sizes = draw(st.permutations(sizes))
    input_count = draw(st.integers(0, min(3, target.input_streams)))
    output_count = draw(st.integers(1, min(2, target.output_streams)))

    def stream(code: int, own: tuple[int, ...]) -> Stream:
        kind = types[draw(st.sampled_from(list(types)))]
        address = 0x10000 + draw(st.integers(0, 4200)) * kind.bytes
        return Stream.dense(code, kind, address, own)

    inputs = []
    for number in range(input_count):
        keep = draw(st.lists(st.booleans(), min_size=rank, max_size=rank))
        if deep:
            flip = draw(st.booleans())
            keep = [flip ^ bool(dim % 2) for dim in range(rank)]
        own = tuple(s if k else 1 for s, k in zip(sizes, keep, strict=True))
        inputs.append(stream(S(number), own))
    iteration = tuple(sizes)
    if inputs:
        iteration = tuple(max(sizes) for sizes in zip(*(s.sizes for s in inputs), strict=True))
    outputs = [stream(O(number), iteration) for number in range(output_count)]
    extra = draw(st.integers(0, 7))
    copies = draw(st.sampled_from([1, 2, 4]))
    names = draw(
        st.lists(
            st.sampled_from(INSTRUCTIONS),
            min_size=output_count + extra,
            max_size=output_count + extra,
        )
    )
    body = body_of(
        names,
        target,
        [s.code for s in inputs],
        [s.code for s in outputs],
        copies,
        lambda options: draw(st.sampled_from(options)),
    )
    kernel = Kernel(
        0, tuple(inputs), tuple(outputs), body, iteration, target.lanes, target.vlen, copies
    )
    assert kernel.points == prod(iteration)
    return target, kernel


def simple(target: Target, iteration, *inputs, output=("f32", 0x20000), name="add.f32") -> Kernel:
    """A kernel of one instruction; inputs are (type, address, sizes)."""
    types = load().types
    streams = tuple(Stream.dense(S(n), types[t], a, tuple(s)) for n, (t, a, s) in enumerate(inputs))
    result = Stream.dense(O(0), types[output[0]], output[1], tuple(iteration))
    codes = [s.code for s in streams]
    sources = (codes * 3)[: len(load().instructions[name].operands)]
    operation = Operation(load().instructions[name], result.code, tuple(sources), 0)
    lanes, vlen = target.lanes, target.vlen
    copies = 2 if operation.special else 1
    return Kernel(0, streams, (result,), Body((operation,)), tuple(iteration), lanes, vlen, copies)


BODIES = {
    "chain": "add v0, s0, s1\nmul v1, v0, s2\ntanh t0, v1\nsub o0, t0, s3",
    "one stream": "mul v0, s0, s0\ntanh t0, v0\nexp t1, v0\nadd o0, t0, t1",
    "three": (
        "tanh t0, s0\nadd v0, t0, s1\nexp t0, v0\nmul v0, t0, s2\nsigmoid t1, v0\nsub o0, t1, s3"
    ),
    "ends in a group": "sub v0, s0, s1\nexp o0, v0",
    "a group only": "exp t0, s0\ntanh o0, t0",
    "long segment": (
        "mul v0, s0, s1\ntanh t0, v0\nadd v1, s0, s1\nmul v1, v1, s1\nadd v1, v1, s0\n"
        "mul v1, v1, s1\nexp t1, t0\nadd v0, t0, v1\nmul o0, t1, v0"
    ),
    "registers again": (
        "add v0, s0, s1\nexp t0, v0\nadd v0, s0, s0\nmul v1, v0, t0\ntanh t1, v0\nmul v0, v1, t1\n"
        "exp t0, v0\nmul v1, v0, s0\nadd o0, v1, t0"
    ),
    "two groups' results": (
        "rsqrt t0, s0\npow t1, t0, s1\nmul v0, t0, s1\nerf t2, v0\nadd v1, t1, t2\nmul o0, v1, v0"
    ),
}
"""Bodies on f32: names of instructions without the type."""


def body(text):
    """The operations of a text whose instructions are all on f32."""
    lines = [line.replace(" ", ".f32 ", 1) for line in text.splitlines()]
    words = [decode(word) for word in assemble("\n".join(lines))]
    return Body(Operation(w.instruction, w.fields["dst"], w.sources, 0) for w in words)


def kernel_of(target, operations, points, copies):
    """A kernel over dense streams."""
    types = load().types
    inputs = sorted({s for o in operations for s in o.sources if load().operands["input"].holds(s)})
    streams = tuple(Stream.dense(s, types["f32"], 0x10000 * s, (points,)) for s in inputs)
    result = Stream.dense(load().operands["output"].first, types["f32"], 0x1000000, (points,))
    lanes, vlen = target.lanes, target.vlen
    return Kernel(0, streams, (result,), operations, (points,), lanes, vlen, copies)
