"""Fusion through reshapes: as many kernels as expected, NumPy's results, refusals as without it."""

import numpy as np
import pytest

import hwc
import isa

TARGETS = ("accel", "tiny")

PROGRAMS = {
    "a column": """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>)
  -> tensor<?x?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.add %1, %c : (tensor<?x1xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
""",
    "ones between": """\
func.func @main(%a: tensor<?x4xi32>, %b: tensor<1x4xi32>, %c: tensor<?x3x1xi32>)
  -> tensor<?x3x4xi32> {
  %0 = tosa.mul %a, %b : (tensor<?x4xi32>, tensor<1x4xi32>) -> tensor<?x4xi32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1, 4>} : (tensor<?x4xi32>) -> tensor<?x1x4xi32>
  %2 = tosa.sub %c, %1 : (tensor<?x3x1xi32>, tensor<?x1x4xi32>) -> tensor<?x3x4xi32>
  return %2 : tensor<?x3x4xi32>
}
""",
    "ones removed": """\
func.func @main(%a: tensor<1x?x1xi8>, %b: tensor<1x?x1xi8>, %c: tensor<?x?xi8>)
  -> tensor<?x?xi8> {
  %0 = tosa.add %a, %b : (tensor<1x?x1xi8>, tensor<1x?x1xi8>) -> tensor<1x?x1xi8>
  %1 = tosa.reshape %0 {new_shape = array<i64: 1, -1>} : (tensor<1x?x1xi8>) -> tensor<1x?xi8>
  %2 = tosa.add %c, %1 : (tensor<?x?xi8>, tensor<1x?xi8>) -> tensor<?x?xi8>
  return %2 : tensor<?x?xi8>
}
""",
    "split": """\
func.func @main(%a: tensor<?x12xi16>, %b: tensor<?x1xi16>, %c: tensor<?x3x1xi16>)
  -> tensor<?x3x4xi16> {
  %0 = tosa.add %a, %b : (tensor<?x12xi16>, tensor<?x1xi16>) -> tensor<?x12xi16>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 3, 4>} : (tensor<?x12xi16>) -> tensor<?x3x4xi16>
  %2 = tosa.sub %1, %c : (tensor<?x3x4xi16>, tensor<?x3x1xi16>) -> tensor<?x3x4xi16>
  return %2 : tensor<?x3x4xi16>
}
""",
    "split a dynamic dimension": """\
func.func @main(%a: tensor<?xi32>, %c: tensor<4x?xi32>)
  -> tensor<4x?xi32> {
  %0 = tosa.abs %a : (tensor<?xi32>) -> tensor<?xi32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 4, -1>} : (tensor<?xi32>) -> tensor<4x?xi32>
  %2 = tosa.sub %1, %c : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
  return %2 : tensor<4x?xi32>
}
""",
    "join": """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<1x1xf32>, %c: tensor<?xf32>)
  -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = tosa.add %1, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
""",
    "there and back": """\
func.func @main(%a: tensor<?x6xf32>, %b: tensor<6x1xf32>, %c: tensor<?x1xf32>)
  -> tensor<?x6xf32> {
  %0 = tosa.abs %a : (tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 6, 1>} : (tensor<?x6xf32>) -> tensor<?x6x1xf32>
  %2 = tosa.negate %1 : (tensor<?x6x1xf32>) -> tensor<?x6x1xf32>
  %3 = tosa.reshape %2 {new_shape = array<i64: -1, 6>} : (tensor<?x6x1xf32>) -> tensor<?x6xf32>
  %4 = tosa.reshape %b {new_shape = array<i64: 1, 6>} : (tensor<6x1xf32>) -> tensor<1x6xf32>
  %5 = tosa.add %3, %4 : (tensor<?x6xf32>, tensor<1x6xf32>) -> tensor<?x6xf32>
  %6 = tosa.add %5, %c : (tensor<?x6xf32>, tensor<?x1xf32>) -> tensor<?x6xf32>
  return %6 : tensor<?x6xf32>
}
""",
    "the reshape returned": """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>)
  -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.negate %1 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %1, %2 : tensor<?x1xf32>, tensor<?x1xf32>
}
""",
    "its operand returned": """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>)
  -> (tensor<?xf32>, tensor<?x1xf32>) {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.negate %1 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0, %2 : tensor<?xf32>, tensor<?x1xf32>
}
""",
    "join of dimensions that may repeat": """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>)
  -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = tosa.add %1, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
""",
}


EXPECTED = {
    "a column": (lambda a, b, c: [(a + b).reshape(-1, 1) + c], 1),
    "ones between": (lambda a, b, c: [c - (a * b).reshape(-1, 1, 4)], 1),
    "ones removed": (lambda a, b, c: [c + (a + b).reshape(1, -1)], 1),
    "split": (lambda a, b, c: [(a + b).reshape(-1, 3, 4) - c], 1),
    "split a dynamic dimension": (lambda a, c: [np.abs(a).reshape(4, -1) - c], 1),
    "join": (lambda a, b, c: [(a + b).reshape(-1) + c], 1),
    "there and back": (lambda a, b, c: [-np.abs(a) + b.reshape(1, 6) + c], 1),
    "the reshape returned": (lambda a, b: [np.abs(a)[:, None], -np.abs(a)[:, None]], 1),
    "its operand returned": (lambda a, b: [a + b, -(a + b)[:, None]], 2),
    "join of dimensions that may repeat": (lambda a, b, c: [(a + b).reshape(-1) + c], 2),
}
"""What each program computes in NumPy, and its kernels on a target with two output streams."""


def arguments_of(package, rng):
    """Random arguments; most dynamic sizes are one common number or 1, so that calls often fit."""
    common = rng.choice((0, 1, 2, 3, 5, 20, 130))
    arguments = []
    for tensor in package.inputs:
        shape = tuple(
            int(rng.choice((common, common, common, 1, 1, 4, 12))) if isinstance(n, str) else n
            for n in tensor.shape
        )
        dtype = isa.load().types[tensor.type].dtype
        arguments.append(rng.integers(-100, 100, shape).astype(dtype))
    return arguments


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_random_shapes(name, target):
    program = hwc.compile(PROGRAMS[name], target)
    reference, kernels = EXPECTED[name]
    one_more = name == "the reshape returned" and target == "tiny"  # which has one output stream
    assert sum(len(d.kernels) for d in program.package.dispatches) == kernels + one_more
    rng = np.random.default_rng(7)
    completed = 0
    for _ in range(150):
        arguments = arguments_of(program.package, rng)
        try:
            expected = reference(*arguments)
        except ValueError:
            with pytest.raises(hwc.DispatchError):
                program(*arguments)
            continue
        for output, wanted in zip(program(*arguments).outputs, expected, strict=True):
            assert output.shape == wanted.shape
            np.testing.assert_array_equal(output, wanted)
        completed += 1
    assert completed >= 20
