"""Packages assembled by hand, so that package, runtime and command line are tested on their own."""

import builtins
import sys

import pytest

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
from hwc.shapes.steps import Broadcast, Dim, Origin
from isa.asm import assemble
from isa.target import load_target


def binary_package(
    instruction="add.f32", types=("f32", "f32"), rank=2, target="accel", result=None
) -> Package:
    """One kernel of one instruction over two fully dynamic operands."""
    result = result or types[0]
    names = [[f"{x}{d}" for d in range(rank)] for x in "abr"]
    steps = [Dim(names[i][d], i, d) for i in (0, 1) for d in range(rank)]
    steps += [
        Broadcast(
            names[2][d], (names[0][d], names[1][d]), origin=Origin("tosa.add", "m.mlir:2:8", d)
        )
        for d in range(rank)
    ]
    text = ""
    for i, (stream, kind) in enumerate(zip(("s0", "s1", "o0"), (*types, result), strict=True)):
        text += f"base {stream}, {kind}, rank={rank}, p{i}, +0\n"
        for d in range(rank):
            text += f"size {stream}, {d}, p{3 + i * rank + d}\n"
    text += f"loop\n{instruction} o0, s0, s1\nend\n"
    return Package(
        target=load_target(target).to_dict(),
        entry="main",
        inputs=(
            Tensor("a", types[0], tuple(names[0]), "a"),
            Tensor("b", types[1], tuple(names[1]), "b"),
        ),
        outputs=(Tensor("result0", result, tuple(names[2]), "r"),),
        buffers=(
            Buffer("a", "input", types[0], tuple(names[0])),
            Buffer("b", "input", types[1], tuple(names[1])),
            Buffer("r", "output", result, tuple(names[2])),
        ),
        steps=(
            MachineStep.of(
                [
                    Kernel(
                        tuple(assemble(text)),
                        (
                            *(BufferRef(n) for n in "abr"),
                            *(SymbolRef(s) for shape in names for s in shape),
                        ),
                        "tosa.add",
                    )
                ]
            ),
        ),
        constants=b"",
        shape_program=ShapeProgram(tuple(steps)),
        source_name="m.mlir",
    )


@pytest.fixture(name="binary_package")
def _binary_package():
    return binary_package


@pytest.fixture
def without_numba(monkeypatch):
    """Let every import of numba fail."""
    real = builtins.__import__

    def without(name, *others, **named):
        if name.split(".")[0] == "numba":
            raise ImportError(name)
        return real(name, *others, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
