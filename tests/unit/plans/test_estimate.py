"""The closed form against the timing model: kernels of all kinds of streams, on three targets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hwc.package import BufferRef, Kernel, SymbolRef
from hwc.plans.estimate import KernelCycles, kernel_cycles, strip_cycles, total_cycles
from hwc.plans.kernel_model import KernelModel
from isa.asm import assemble
from isa.target import load_target
from sim import timing
from sim.timing import setup_cycles

TARGETS = ("accel", "tiny", "wide")
BODIES = {
    "add": "add.f32 o0, s0, s1",
    "exp": "exp.f32 t0, s0\nadd.f32 o0, t0, s1",
    "between": "add.f32 v0, s0, s1\ntanh.f32 t0, v0\nmul.f32 o0, t0, s1",
    "twice": (
        "mul.f32 v0, s0, s1\ntanh.f32 t0, v0\nadd.f32 v1, t0, s0\n"
        "exp.f32 t1, v1\nsub.f32 o0, t1, s1"
    ),
    "both ports": (
        "add.f32 v0, s0, s1\nerf.f32 t0, v0\nadd.f32 v1, s0, s0\n"
        "mul.f32 v1, v1, s1\nmul.f32 v1, v1, s0\nmul.f32 o0, t0, v1"
    ),
    "last": "sub.f32 v0, s0, s1\nexp.f32 o0, v0",
    "chain": "\n".join(["mul.f32 v0, s0, s1", *["add.f32 v0, v0, s1"] * 5, "max.f32 o0, v0, #0x0"]),
}


def kernel(body: str, rank: int) -> Kernel:
    """A kernel of two inputs and an output with the symbols a0, ..., b0, ..., r0, ..."""
    text = ""
    for i, stream in enumerate(("s0", "s1", "o0")):
        text += f"base {stream}, f32, rank={rank}, p{i}, +0\n"
        for d in range(rank):
            text += f"size {stream}, {d}, p{3 + i * rank + d}\n"
    symbols = [SymbolRef(f"{x}{d}") for x in "abr" for d in range(rank)]
    parameters = (*map(BufferRef, "abr"), *symbols)
    return Kernel(tuple(assemble(f"{text}loop copies=4\n{body}\nend\n")), parameters)


def symbols(a: tuple[int, ...], b: tuple[int, ...]) -> dict[str, int]:
    """The symbols of `kernel` for operands of these shapes."""
    r = [m if n == 1 else n for n, m in zip(a, b, strict=True)]
    return {
        f"{x}{d}": n for x, shape in (("a", a), ("b", b), ("r", r)) for d, n in enumerate(shape)
    }


SHAPES = [
    *itertools.product([(1, 1), (64, 1), (1, 700), (64, 700)], repeat=2),
    ((5000, 1), (5000, 3)),
    ((1, 3000), (100, 3000)),  # a row that no ring holds
    ((1, 100_000), (1, 1)),
    ((3, 1, 700), (3, 90, 1)),
    ((7, 1, 40), (7, 60, 40)),
    ((1, 60, 1), (50, 60, 30)),
    ((3000, 1, 3), (3000, 3, 3)),  # a cut in every ninth point
    ((64, 1, 42), (64, 3, 42)),  # many blocks, each read again soon
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", BODIES)
def test_the_closed_form_is_near_the_timing_model(target, body):
    """Within 4 % for every kernel, and within 2 % on average."""
    of = load_target(target)
    errors: list[float] = []
    for a, b in SHAPES:
        model = KernelModel.of(kernel(BODIES[body], len(a)))
        at = model.at(symbols(a, b), of)
        assert at is not None
        exact = timing.kernel_time(of, at)["cycles"]
        errors.append(abs(strip_cycles(at, of) / exact - 1))
        assert errors[-1] < 0.04, (a, b, exact, strip_cycles(at, of))
    assert np.mean(errors) < 0.02


def test_short_strips_wait_for_the_buffers_of_results():
    """Strips of few beats and a long latency: the four buffers are slower than any engine."""
    of = replace(load_target("accel"), vlen=16, special_rate=8)
    model = KernelModel.of(kernel("exp.f32 o0, s0", 2))
    at = model.at(symbols((1, 40_000), (1, 1)), of)
    assert at is not None
    exact = timing.kernel_time(of, at)["cycles"]
    assert exact > 9 * at.strips  # the fetch engine takes 8 cycles for each
    assert abs(strip_cycles(at, of) / exact - 1) < 0.02


@pytest.mark.parametrize("target", TARGETS)
def test_words_and_set_up_count(target):
    of = load_target(target)
    model = KernelModel.of(kernel(BODIES["add"], 2))
    at = model.at(symbols((0, 5), (1, 5)), of)
    assert at is not None
    assert strip_cycles(at, of) == 0
    words = -(-model.words * 8 // of.axi_bytes)
    setup = 9 + setup_cycles(of, 2, at.inputs, at.outputs)
    assert kernel_cycles(model, at, of) == (words, setup, 0)


def test_the_next_kernel_is_set_up_beside_the_strips():
    kernels = [KernelCycles(4, 60, 300), KernelCycles(3, 50, 20), KernelCycles(3, 70, 100)]
    assert total_cycles(kernels) == 4 + 60 + (3 + 300) + (3 + 70) + 100
    assert total_cycles(kernels[:1]) == 364
    assert total_cycles([]) == 0


def test_sizes_that_the_machine_would_refuse():
    of = load_target("accel")
    model = KernelModel.of(kernel(BODIES["add"], 1))
    assert model.at({"a0": 4, "b0": 5, "r0": 5}, of) is None
    assert model.at({"a0": 1, "b0": 5, "r0": 4}, of) is None
    assert model.at({"a0": 1, "b0": 5, "r0": 5}, of) is not None


def test_static_sizes_and_offsets_are_read_from_the_words():
    text = "base s0, i16, rank=2, p0, +6\nsize s0, 0, #3\nsize s0, 1, #4\n"
    text += "base o0, i16, rank=1, p1, +0\nsize o0, 0, p2\nloop\nmov o0, s0\nend\n"
    parameters = (BufferRef("k"), BufferRef("r"), SymbolRef("n"))
    model = KernelModel.of(Kernel(tuple(assemble(text)), parameters))
    source, result = model.streams
    assert (source.type.name, source.offset, source.sizes) == ("i16", 6, [3, 4])
    assert (result.offset, result.sizes) == (0, ["n"])
    assert model.words == 8
    assert [operation.instruction.name for operation in model.body] == ["mov"]
