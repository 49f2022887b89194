"""The linalg of the reference documents as input: what has no branches compiles and fuses."""

from __future__ import annotations

import numpy as np
import pytest

import hwc
from hwc.errors import UserError

STATIC_BROADCAST = """
func.func @main(%a: tensor<1xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%a, %b : tensor<1xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""

STATIC_TO_DYNAMIC = """
func.func @main(%a: tensor<1xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%a, %b : tensor<1xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""

CAST_RESULT = """
func.func @main(%a: tensor<5xf32>) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.absf %x : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  %c = tensor.cast %r : tensor<5xf32> to tensor<?xf32>
  return %c : tensor<?xf32>
}
"""

RANK_0 = """
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.generic {
    indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
    iterator_types = []
  } ins(%a, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
"""

RANKS_EXPANDED = """
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %v = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 3, 4]
    : tensor<3x4xf32> into tensor<1x3x4xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (0, j, k)>, affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%v, %b : tensor<1x3x4xf32>, tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
"""

WITHOUT_UNIT_DIMENSIONS = """
func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %b : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}
"""

BRANCH = """
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %is_one = arith.cmpi eq, %n, %c1 : index
  %r = scf.if %is_one -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""

TWO_GENERICS = """
#ik = affine_map<(i, j, k) -> (i, k)>
#id = affine_map<(i, j, k) -> (i, j, k)>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %b, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %b, %c1 : tensor<?x?x?xf32>
  %d = tensor.dim %b, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%n, %m, %d) : tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#ik, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
"""


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("text", "shapes", "meaning"),
    [
        (STATIC_BROADCAST, [(1,), (3,)], np.add),
        (STATIC_TO_DYNAMIC, [(1,), (7,)], np.add),
        (STATIC_TO_DYNAMIC, [(1,), (0,)], np.add),
        (CAST_RESULT, [(5,)], np.abs),
        (RANK_0, [(), ()], np.add),
        (RANKS_EXPANDED, [(3, 4), (2, 3, 4)], np.add),
        (WITHOUT_UNIT_DIMENSIONS, [(5,), (5,)], lambda a, b: a[None] + b[:, None]),
    ],
)
def test_lowered_programs(text, shapes, meaning):
    arrays = [array(*shape) for shape in shapes]
    (output,) = hwc.compile(text)(*arrays).outputs
    np.testing.assert_array_equal(output, meaning(*arrays))


def test_branches_on_a_size_are_refused():
    """The machine broadcasts without them, and the host checks sizes without them."""
    with pytest.raises(UserError, match=r"-:\d+:\d+: error: .*scf.if"):
        hwc.compile(BRANCH)


def test_a_broadcast_and_its_reader_are_one_kernel():
    """c[i][j][k] = a[i][k] + b[i][j][k], all sizes dynamic, no byte copied."""
    program = hwc.compile(TWO_GENERICS)
    a, b = array(3, 5), array(3, 4, 5)
    result = program(a, b)
    np.testing.assert_array_equal(result.outputs[0], a[:, None] + b)
    assert result.counters["bytes_read"] == a.nbytes + b.nbytes
    assert sum(len(d.kernels) for d in program.package.dispatches) == 1
