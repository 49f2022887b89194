"""Buffers that are in use at the same time never share a byte, and others share their places."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwc.package import (
    Buffer,
    BufferRef,
    Kernel,
    MachineStep,
    Package,
    ShapeProgram,
    SymbolRef,
    Tensor,
)
from hwc.package.model import BufferKind
from hwc.runtime.placement import place
from hwc.runtime.program import Program
from hwc.runtime.steps import ready_steps
from hwc.shapes.steps import Dim
from isa.asm import assemble
from isa.target import load_target

KINDS = ("input", "constant", "intermediate", "intermediate", "intermediate", "output")
ALIGNED = 64


@dataclasses.dataclass
class Step:
    """A step with kernels that use these buffers, and no areas."""

    uses: Sequence[frozenset[str]]
    areas: Sequence[int] = ()


@st.composite
def programs(draw):
    """A package that is nothing but buffers; what its kernels use; what was made before."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=12))
    sizes = st.integers(0, 300)
    buffers = [Buffer(f"b{i}", kind, "i8", (draw(sizes),)) for i, kind in enumerate(kinds)]
    names = [buffer.name for buffer in buffers]
    kernel = st.frozensets(st.sampled_from(names), min_size=1, max_size=4)
    uses = draw(st.lists(kernel, max_size=14))
    held = draw(st.frozensets(st.sampled_from(names), max_size=3))
    cut = draw(st.integers(0, len(uses)))
    outputs = tuple(Tensor(b.name, "i8", b.shape, b.name) for b in buffers if b.kind == "output")
    package = Package(
        load_target("tiny").to_dict(), "main", (), outputs, tuple(buffers), (), b"", ShapeProgram()
    )
    return package, [Step(uses[:cut]), Step(uses[cut:])], held


@given(programs())
def test_buffers_in_use_share_nothing(program):
    package, steps, held = program
    placement = place(package, steps, {}, 40, held)
    uses = [names for step in steps for names in step.uses]
    results = {tensor.buffer for tensor in package.outputs}
    assert set(placement.buffers) == results.union(*uses)
    times: dict[str, range] = {}
    for name in placement.buffers:
        at = [number for number, names in enumerate(uses) if name in names]
        filled = package.buffer(name).kind in {"input", "constant"} or name in held or not at
        last = len(uses) if name in results else max(at, default=0)
        times[name] = range(-1 if filled else at[0], last + 1)
    places = {
        name: range(offset, offset + package.buffer(name).nbytes({}))
        for name, offset in placement.buffers.items()
    }
    for place_ in places.values():
        assert place_.start % ALIGNED == 0
        assert place_.stop <= placement.window
    for name, other in combinations(places, 2):
        if meet(times[name], times[other]):
            assert not meet(places[name], places[other]), (name, other)


def meet(a: range, b: range) -> bool:
    return max(a.start, b.start) < min(a.stop, b.stop)


def chain(names: Sequence[str]) -> Package:
    """A kernel between each name and the next: each adds 1 to `n` elements."""
    text = "base s0, f32, rank=1, p0, +0\nsize s0, 0, p2\nbase o0, f32, rank=1, p1, +0\n"
    words = tuple(assemble(text + "size o0, 0, p2\nloop\nadd.f32 o0, s0, #1.0f\nend\n"))
    kernels = [
        Kernel(words, (BufferRef(source), BufferRef(result), SymbolRef("n")))
        for source, result in pairwise(names)
    ]
    kinds: list[BufferKind] = ["input", *("intermediate" for _ in names[2:]), "output"]
    return Package(
        target=load_target("tiny").to_dict(),
        entry="main",
        inputs=(Tensor("a", "f32", ("n",), names[0]),),
        outputs=(Tensor("r", "f32", ("n",), names[-1]),),
        buffers=tuple(
            Buffer(name, kind, "f32", ("n",)) for name, kind in zip(names, kinds, strict=True)
        ),
        steps=(MachineStep.of(kernels),),
        constants=b"",
        shape_program=ShapeProgram((Dim("n", 0, 0),)),
    )


def test_a_chain_needs_two_places():
    """However long it is: a buffer takes the place of the one before the last."""
    names = ["a", *(f"t{i}" for i in range(20)), "r"]
    package = chain(names)
    steps = ready_steps(package, package.first_plan)
    symbols = {"n": 1 << 20}
    assert place(package, steps, symbols, 40).window == 2 * 4 << 20
    everything = place(package, steps, symbols, 40, results=names)
    assert everything.window == 22 * 4 << 20
    a = np.arange(1000, dtype=np.float32)
    np.testing.assert_array_equal(Program(package)(a).outputs[0], a + 21)
