"""Linking: relocated parameters, packets without repetition, dispatches that the target holds."""

from __future__ import annotations

import pytest

import isa
from hwc.package import Alternative, BufferRef, Choice, Kernel, MachineStep, Memories, SymbolRef
from hwc.package.link import link
from isa.asm import assemble
from isa.disasm import disassemble

LARGE = Memories(1024, 256)


def copy(source: str, result: str, size: str) -> Kernel:
    """A kernel that copies a buffer of one dimension: 7 words and 3 parameters."""
    text = "base s0, f32, rank=1, p0, +4\nsize s0, 0, p2\nbase o0, f32, rank=1, p1, +0\n"
    text += "size o0, 0, p2\nloop\nmov o0, s0\nend\n"
    parameters = BufferRef(source), BufferRef(result), SymbolRef(size)
    return Kernel(tuple(assemble(text)), parameters, f"{source} to {result}")


CHAIN = MachineStep.of([copy("a", "b", "n"), copy("b", "c", "n"), copy("c", "d", "n")])


def test_kernels_share_the_parameters_of_a_packet():
    (dispatch,) = link(CHAIN, (), LARGE)
    names = [p.name for p in dispatch.parameters]
    assert names == ["a", "b", "n", "c", "d"]
    assert dispatch.kernels == ("a to b", "b to c", "c to d")
    assert dispatch.words[-1] == isa.encode("halt")
    assert dispatch.buffers == set("abcd")
    lines = disassemble(dispatch.words).splitlines()
    assert len(lines) == 3 * 7 + 1
    assert [line for line in lines if line.startswith("base")] == [
        f"base {stream}, f32, rank=1, p{names.index(name)}, +{offset}"
        for kernel in ("ab", "bc", "cd")
        for stream, name, offset in zip(("s0", "o0"), kernel, (4, 0), strict=True)
    ]
    assert {line[-2:] for line in lines if line.startswith("size")} == {"p2"}


@pytest.mark.parametrize(
    ("memories", "kernels"),
    [
        (Memories(22, 6), [3]),
        (Memories(21, 6), [2, 1]),
        (Memories(22, 5), [2, 1]),
        (Memories(8, 4), [1, 1, 1]),
    ],
)
def test_a_dispatch_ends_where_a_memory_is_full(memories, kernels):
    dispatches = link(CHAIN, (), memories)
    assert [len(d.kernels) for d in dispatches] == kernels
    for dispatch in dispatches:
        assert len(dispatch.words) <= memories.instruction_words
        assert len(dispatch.parameters) + 1 <= memories.parameter_words


@pytest.mark.parametrize("memories", [Memories(7, 4), Memories(8, 3)])
def test_a_kernel_that_is_too_large_alone(memories):
    """The compiler refuses such a kernel; a changed package reaches the machine, which refuses."""
    assert Memories(8, 4).hold(CHAIN.kernels[0])
    assert not memories.hold(CHAIN.kernels[0])
    dispatches = link(CHAIN, (), memories)
    assert [(len(d.words), len(d.parameters)) for d in dispatches] == [(8, 3)] * 3


def test_only_what_the_chosen_kernels_use_is_linked():
    items = (
        Choice((Alternative("fused", (2,)), Alternative("split", (0, 1, 2)))),
        0,
        Choice((Alternative("fused", (0,)), Alternative("split", (1, 0)))),
    )
    step = MachineStep(CHAIN.kernels, items)
    kernels = {plan: link(step, plan, LARGE)[0] for plan in ((0, 0), (0, 1), (1, 0))}
    assert kernels[0, 0].kernels == ("c to d", "a to b", "a to b")
    assert [p.name for p in kernels[0, 0].parameters] == ["c", "d", "n", "a", "b"]
    assert kernels[0, 1].kernels == ("c to d", "a to b", "b to c", "a to b")
    assert kernels[1, 0].kernels == ("a to b", "b to c", "c to d", "a to b", "a to b")


def test_a_step_without_kernels_starts_nothing():
    assert link(MachineStep((), ()), (), LARGE) == ()
