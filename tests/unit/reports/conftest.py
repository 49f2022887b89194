"""A program with several kernels, and a call of it."""

import numpy as np
import pytest

import hwc

SOURCE = """// Values of one row and of one column are computed once, and kept.
func.func @main(%x: tensor<?x?xf32>, %g: tensor<1x?xf32>, %t: tensor<?x1xf32>) -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %e = tosa.exp %t : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %r = tosa.reciprocal %e : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = tosa.sigmoid %g : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %m = tosa.mul %x, %s, %shift : (tensor<?x?xf32>, tensor<1x?xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %h = tosa.tanh %m : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tosa.mul %h, %r, %shift : (tensor<?x?xf32>, tensor<?x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %q = tosa.sub %p, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %q, %r : tensor<?x?xf32>, tensor<?x1xf32>
}
"""  # noqa: E501

SHAPES = ((64, 300), (1, 300), (64, 1))


@pytest.fixture(scope="session")
def program():
    return hwc.compile(SOURCE)


@pytest.fixture(scope="session")
def traced(program):
    """A result with at least three kernels, and its trace."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in SHAPES]
    result, trace = program.traced(*arrays)
    assert len(result.kernels) >= 3
    return result, trace
