"""The words of kernels: their contents, and how many there are."""

import random

import numpy as np
import pytest
from unit.backend.programs import generate

from hwc.backend.emit import kernel_code
from hwc.dialects.strip import KernelOp
from hwc.frontend.source import Source
from hwc.pipeline import run
from hwc.planning.words import kernel_words
from isa.asm import assemble
from isa.target import load_target

CLAMPED_SUM = """
func.func @main(%a: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.add %a, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %1 = tosa.clamp %0 {min_val = -1.0 : f32, max_val = 1.0 : f32}
    : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
"""


def kernels(text, target):
    module = run(Source("test", text), target=load_target(target), until="vector").module
    return [op for op in module.walk() if isinstance(op, KernelOp)]


def test_streams_sizes_and_instructions_are_encoded():
    (kernel,) = kernels(CLAMPED_SUM, "tiny")
    addresses = {kernel.inputs[0]: (3, 0), kernel.inputs[1]: (1, 64), kernel.results[0]: (0, 8)}
    # The hardware pads with 1s, so the leading 1 of the second operand is left out.
    assert kernel_code(kernel, addresses.__getitem__, lambda symbol: 2) == assemble("""
        base s0, f32, rank=2, p3, +0
        size s0, 0, p2
        size s0, 1, #4
        base s1, f32, rank=1, p1, +64
        size s1, 0, #4
        base o0, f32, rank=2, p0, +8
        size o0, 0, p2
        size o0, 1, #4
        loop
          add.f32 v0, s0, s1
          max.f32 v0, v0, #-1.0f
          min.f32 o0, v0, #1.0f
        end
    """)


@pytest.mark.parametrize("target", ["accel", "tiny"])
def test_a_kernel_has_as_many_words_as_fusion_counts(target):
    count = 0
    for seed in range(20):
        rng = random.Random(seed)
        with np.errstate(all="ignore"):
            program = generate(seed, rng.randint(1, 8), 20, rng.randint(1, 4), 0.5)
        for kernel in kernels(program.text, target):
            words = kernel_code(kernel, lambda tensor: (0, 0), lambda symbol: 0)
            shapes = [*kernel.input_shapes, *kernel.output_shapes]
            instructions = len(kernel.instructions)
            assert len(words) == kernel_words(len(shapes), sum(map(len, shapes)), instructions)
            count += 1
    assert count > 20
