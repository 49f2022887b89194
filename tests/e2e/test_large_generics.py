"""Generics with more phases or inputs than a kernel has: they become several kernels."""

import numpy as np
import pytest

import hwc

MANY_PHASES = """
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %bias = arith.mulf %y, %half : f32
    %t0 = math.tanh %x : f32
    %s0 = arith.addf %t0, %bias : f32
    %t1 = math.tanh %s0 : f32
    %s1 = arith.addf %t1, %bias : f32
    %t2 = math.tanh %s1 : f32
    %s2 = arith.addf %t2, %bias : f32
    %t3 = math.tanh %s2 : f32
    %s3 = arith.addf %t3, %bias : f32
    %t4 = math.tanh %s3 : f32
    %s4 = arith.addf %t4, %bias : f32
    linalg.yield %s4 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

MANY_INPUTS = """
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#col = affine_map<(i, j) -> (i)>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?x?xf32>,
                %e: tensor<?xf32>, %f: tensor<?xf32>, %g: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {
      indexing_maps = [#id, #row, #col, #id, #row, #col, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c, %d, %e, %f, %g : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>,
          tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>)
      outs(%a : tensor<?x?xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %o: f32):
    %s1 = arith.addf %1, %2 : f32
    %s2 = arith.mulf %s1, %0 : f32
    %s3 = arith.subf %s2, %3 : f32
    %s4 = arith.mulf %4, %4 : f32
    %s5 = arith.addf %s4, %5 : f32
    %s6 = arith.subf %s3, %s5 : f32
    %s7 = arith.addf %s6, %6 : f32
    linalg.yield %s7 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def numbers(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_more_phases_than_a_kernel_has(target):
    compiled = hwc.compile(MANY_PHASES, target)
    for rows, columns in ((3, 5), (1, 300), (4, 1), (0, 3)):
        a, b = numbers(rows, columns), numbers(columns)
        (output,) = compiled(a, b).outputs
        expected = a.astype(np.float64)
        for _ in range(5):
            expected = np.tanh(expected) + b * 0.5
        np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_more_inputs_than_a_kernel_has(target):
    compiled = hwc.compile(MANY_INPUTS, target)
    for i, j in ((3, 5), (1, 300), (4, 1), (0, 3)):
        shapes = (i, j), (j,), (i,), (i, j), (j,), (i,), (i, j)
        a, b, c, d, e, f, g = values = [numbers(*shape) for shape in shapes]
        (output,) = compiled(*values).outputs
        expected = (b + c[:, None]) * a - d - (e * e + f[:, None]) + g
        np.testing.assert_array_equal(output, expected)
