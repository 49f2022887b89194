"""Parts on the host in IREE: results and refusals where IREE's own lowering would be wrong."""

import numpy as np
import pytest

import hwc
from hwc.compiler import compile_package
from hwc.errors import DispatchError, UserError
from hwc.frontend.source import Source
from hwc.models.compile import Cut
from hwc.runtime.program import Program
from isa.target import load_target

ADD = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
SLICE = """\
func.func @main(%x: tensor<?x5xf32>, %y: tensor<?xf32>) -> tensor<?x5xf32> {
  %s = tosa.const_shape {values = dense<[1,0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %k = tosa.const_shape {values = dense<[5]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %z = tosa.concat_shape %n, %k : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %0 = tosa.slice %x, %s, %z : (tensor<?x5xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
"""
SUM = """\
func.func @main(%x: tensor<?x?xf32>) -> tensor<4x1xf32> {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
"""
EXTREMES = """\
func.func @main(%x: tensor<1x?x?x1xf32>) -> (tensor<1x?x1x1xf32>, tensor<1x?x?x1xf32>) {
  %0 = tosa.reduce_max %x {axis = 2 : i32} : (tensor<1x?x?x1xf32>) -> tensor<1x?x1x1xf32>
  %1 = tosa.max_pool2d %x {kernel = array<i64: 1, 2>, pad = array<i64: 0, 0, 1, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  return %0, %1 : tensor<1x?x1x1xf32>, tensor<1x?x?x1xf32>
}
"""
TWO_BRANCHES = """\
func.func @main(%x: tensor<?x?x1xf32>) -> (tensor<?x?x1xf32>, tensor<?x?x1xf32>) {
  %c = "tosa.const"() {values = dense<[[[-21.0]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %0 = tosa.add %x, %c : (tensor<?x?x1xf32>, tensor<1x1x1xf32>) -> tensor<?x1x1xf32>
  %1 = tosa.sub %x, %c : (tensor<?x?x1xf32>, tensor<1x1x1xf32>) -> tensor<?x?x1xf32>
  %2 = tosa.sub %1, %0 : (tensor<?x?x1xf32>, tensor<?x1x1xf32>) -> tensor<?x?x1xf32>
  %3 = tosa.floor %1 : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  return %3, %2 : tensor<?x?x1xf32>, tensor<?x?x1xf32>
}
"""
WIDE = """\
func.func @main(%a: tensor<1x?x3xi16>, %b: tensor<1x3x?xi16>) -> tensor<1x?x?xi48> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi16>} : () -> tensor<1xi16>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x?x3xi16>, tensor<1x3x?xi16>, tensor<1xi16>,
      tensor<1xi16>) -> tensor<1x?x?xi48>
  return %0 : tensor<1x?x?xi48>
}
"""


def data(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_results_that_broadcast_the_same_size():
    """IREE gave 0 for the difference while each operand was copied in an `scf.if` of its own."""
    cut = Cut(("add", "sub", "floor"))
    package = compile_package(Source("-", TWO_BRANCHES), load_target("tiny"), cut=cut).package
    floors, differences = Program(package)(np.full((1, 1, 1), 1.5, np.float32)).outputs
    np.testing.assert_array_equal(floors, [[[22]]])
    np.testing.assert_array_equal(differences, [[[42]]])


def test_an_element_wise_operator_on_the_host():
    cut = Cut(("add",))
    program = Program(compile_package(Source("-", ADD), load_target("tiny"), cut=cut).package)
    assert [step.kind for step in program.package.steps] == ["host"]
    for a, b in ((0, 1), (1, 0), (0, 0), (1, 3), (3, 1), (4, 4)):
        np.testing.assert_array_equal(
            program(data(a), data(b)).outputs[0], data(a) + data(b), strict=True
        )
    with pytest.raises(DispatchError) as caught:
        program(data(3), data(4))
    assert str(caught.value) == (
        "-:2:8: error: 'tosa.add' in dimension 0 of the result: sizes 3 (dimension 0 of argument 0 "
        "(%a)) and 4 (dimension 0 of argument 1 (%b)) do not broadcast: they have to be equal, or "
        "one of them 1"
    )


def test_a_slice_whose_size_a_call_decides():
    program, x = hwc.compile(SLICE), data(4, 5)
    for size in (0, 1, 3):
        np.testing.assert_array_equal(program(x, data(size)).outputs[0], x[1 : 1 + size])
    with pytest.raises(DispatchError, match=r"-:6:8: error: 'tosa.slice' start \+ size in .* 0"):
        program(x, data(4))


def test_a_static_result_of_dynamic_operands():
    program = hwc.compile(SUM)
    np.testing.assert_array_equal(
        program(data(4, 3)).outputs[0], data(4, 3).sum(1, keepdims=True), strict=True
    )
    with pytest.raises(DispatchError, match=r"-:2:8: .*sizes 5 \(dimension 0 of argument 0 .* 4"):
        program(data(5, 3))


def test_the_largest_of_no_finite_number():
    program = hwc.compile(EXTREMES)
    x = np.array([[-np.inf, -np.inf, 3.0], [2.0, -np.inf, -np.inf]], np.float32)
    largest, pooled = program(x.reshape(1, 2, 3, 1)).outputs
    np.testing.assert_array_equal(largest.reshape(2), [3.0, 2.0])
    np.testing.assert_array_equal(
        pooled.reshape(2, 3), [[-np.inf, -np.inf, 3.0], [2.0, 2.0, -np.inf]]
    )
    nothing = np.full((1, 1, 1, 1), -np.inf, np.float32)
    np.testing.assert_array_equal(program(nothing).outputs[0], nothing, strict=True)


def test_a_result_of_two_buffers_is_refused():
    with pytest.raises(UserError, match="result 'v3' has the type tensor<1x.x.xi48>, which no"):
        hwc.compile(WIDE)
