"""Types that memory holds and lanes do not: i48 and i4, as arguments, results and constants."""

import re

import numpy as np
import pytest
from e2e.support.reference import wrap

import hwc
from hwc.errors import DispatchError, UserError

COPY = """func.func @main(%x: tensor<?x?xi48>) -> tensor<?x?xi48> {
  %r = tosa.identity %x : (tensor<?x?xi48>) -> tensor<?x?xi48>
  return %r : tensor<?x?xi48>
}
"""

SMALL = """func.func @main(%x: tensor<?xi4>, %y: tensor<?xi32>) -> (tensor<?xi4>, tensor<?xi32>) {
  %r = tosa.identity %x : (tensor<?xi4>) -> tensor<?xi4>
  %s = tosa.abs %y : (tensor<?xi32>) -> tensor<?xi32>
  return %r, %s : tensor<?xi4>, tensor<?xi32>
}
"""

SCALAR = """func.func @main(%x: tensor<i4>) -> tensor<i4> {
  %r = tosa.identity %x : (tensor<i4>) -> tensor<i4>
  return %r : tensor<i4>
}
"""

CONSTANT = """func.func @main() -> (tensor<3xi48>, tensor<4x1xi4>) {
  %w = "tosa.const"() <{values = dense<[-140737488355328, -1, 140737488355327]> : tensor<3xi48>}> : () -> tensor<3xi48>
  %n = "tosa.const"() <{values = dense<[-8, -1, 0, 7]> : tensor<4xi4>}> : () -> tensor<4xi4>
  %s = tosa.const_shape {values = dense<[4, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %v = tosa.identity %w : (tensor<3xi48>) -> tensor<3xi48>
  %m = tosa.reshape %n, %s : (tensor<4xi4>, !tosa.shape<2>) -> tensor<4x1xi4>
  %o = tosa.identity %m : (tensor<4x1xi4>) -> tensor<4x1xi4>
  return %v, %o : tensor<3xi48>, tensor<4x1xi4>
}
"""  # noqa: E501

SCALED = """func.func @main(%x: tensor<?x?xi48>, %m: tensor<?xi16>, %s: tensor<?xi8>, %z: tensor<1xi48>, %o: tensor<1xi32>) -> tensor<?x?xi32> {
  %r = tosa.rescale %x, %m, %s, %z, %o {scale32 = false, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi48>, tensor<?xi16>, tensor<?xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
"""  # noqa: E501


SIZES = """func.func @main(%a: tensor<?x?xi48>, %b: i32) -> (tensor<?x?xi48>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tosa.identity %a : (tensor<?x?xi48>) -> tensor<?x?xi48>
  %d0 = tensor.dim %i, %c0 : tensor<?x?xi48>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xi48>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xi32>
  %r = linalg.fill ins(%b : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %i, %r : tensor<?x?xi48>, tensor<?x?xi32>
}
"""


def wide(shape, seed):
    return np.random.default_rng(seed).integers(-(2**47), 2**47, shape)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_an_i48_is_six_bytes(target):
    x = wide((7, 90), 1)
    x[0, :4] = [-(2**47), 2**47 - 1, -1, 2**31]
    result = hwc.compile(COPY, target)(x)
    np.testing.assert_array_equal(result.outputs[0], x)
    assert result.outputs[0].dtype == np.int64
    assert result.counters["bytes_read"] == result.counters["bytes_written"] == 6 * x.size


@pytest.mark.parametrize("wrong", [2**47, -(2**47) - 1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_an_element_that_is_not_an_i48_is_refused(wrong, order):
    x = np.array([[-(2**47), 2**47 - 1], [0, wrong]]).astype(f"{order}i8")
    limits = "-140737488355328 to 140737488355327"
    said = f"argument 0 (%x): element [1, 1] is {wrong}, expected {limits} (i48)"
    with pytest.raises(DispatchError, match=re.escape(said)):
        hwc.compile(COPY, "tiny")(x)


@pytest.mark.parametrize("wrong", [8, -9, 15])
def test_an_element_that_is_not_an_i4_is_refused(wrong):
    x, y = np.array([7, -8, wrong, wrong], np.int8), np.zeros(1, np.int32)
    said = f"argument 0 (%x): element [2] is {wrong}, expected -8 to 7 (i4)"
    with pytest.raises(DispatchError, match=re.escape(said)):
        hwc.compile(SMALL, "tiny")(x, y)
    with pytest.raises(DispatchError, match=rf"the element is {wrong}, expected -8 to 7 \(i4\)"):
        hwc.compile(SCALAR, "tiny")(np.array(wrong, np.int8))


def test_an_i48_has_sizes():
    x = wide((3, 5), 2)
    same, filled = hwc.compile(SIZES, "tiny")(x, np.int32(7)).outputs
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(filled, np.full((3, 5), 7, np.int32))


def test_i4_beside_a_type_of_the_machine():
    x, y = np.arange(-8, 8).astype(np.int8), np.arange(-3, 3).astype(np.int32)
    small, large = hwc.compile(SMALL, "tiny")(x, y).outputs
    np.testing.assert_array_equal(small, x)
    np.testing.assert_array_equal(large, abs(y))


def test_constants():
    v, o = hwc.compile(CONSTANT, "tiny")().outputs
    np.testing.assert_array_equal(v, [-(2**47), -1, 2**47 - 1])
    np.testing.assert_array_equal(o, [[-8], [-1], [0], [7]])


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_a_rescale_of_i48_is_exact(target):
    x = wide((20, 61), 2)
    x[0] = [-(2**47), 2**47 - 1, *[0] * 59]
    m = np.random.default_rng(3).integers(0, 2**15, 61).astype(np.int16)
    s = (np.arange(61) % 61 + 2).astype(np.int8)
    zeros = np.zeros(1, np.int64), np.zeros(1, np.int32)
    (got,) = hwc.compile(SCALED, target)(x, m, s, *zeros).outputs
    half = np.int64(1) << (s.astype(np.int64) - 1)
    np.testing.assert_array_equal(got, wrap("i32")((x * m + half) >> s))


def test_refused():
    with pytest.raises(DispatchError, match="argument 0 .%x.: got dtype int32, expected int64"):
        hwc.compile(COPY, "tiny")(np.zeros((2, 2), np.int32))
    with pytest.raises(DispatchError, match="argument 1 .%y., dimension 0|argument 1 .%y.: got"):
        hwc.compile(SMALL, "tiny")(np.zeros(2, np.int8), np.zeros((2, 2), np.int32))
    text = COPY.replace("tosa.identity", "tosa.abs")
    with pytest.raises(UserError, match="operand 0 of 'tosa.abs' has element type i48"):
        hwc.compile(text)
    scaled = SCALED.replace("scale32 = false", "scale32 = true").replace("xi16", "xi32")
    with pytest.raises(UserError, match="has multipliers of 32 bits, and its input is i48"):
        hwc.compile(scaled)
