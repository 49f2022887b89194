"""Constants at their limits: without elements, through an identity, equal only as numbers."""

import numpy as np
import pytest
from element_types import DTYPES

import hwc
from hwc.cli.main import main

EMPTY = """
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c = "tosa.const"() {values = dense<VALUES> : tensor<0xf32>} : () -> tensor<0xf32>
  %r = tosa.add %a, %c : (tensor<?xf32>, tensor<0xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""

RETURNED = """
func.func @main() -> (tensor<2x0xi16>, tensor<3xi8>) {
  %c = "tosa.const"() {values = dense<> : tensor<2x0xi16>} : () -> tensor<2x0xi16>
  %d = "tosa.const"() {values = dense<[1, 2, 3]> : tensor<3xi8>} : () -> tensor<3xi8>
  return %c, %d : tensor<2x0xi16>, tensor<3xi8>
}
"""

ALONE = """
func.func @main() -> tensor<2x0xTYPE> {
  %c = "tosa.const"() {values = dense<> : tensor<2x0xTYPE>} : () -> tensor<2x0xTYPE>
  return %c : tensor<2x0xTYPE>
}
"""

SHIFTED = """
func.func @main(%a: tensor<?xi32>) -> tensor<?xi32> {
  %c = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %i = tosa.identity %c : (tensor<1xi8>) -> tensor<1xi8>
  %s = tosa.identity %i : (tensor<1xi8>) -> tensor<1xi8>
  %r = tosa.mul %a, %a, %s : (tensor<?xi32>, tensor<?xi32>, tensor<1xi8>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
"""

NEGATED = """
func.func @main(%a: tensor<?xi8>) -> tensor<?xi8> {
  %c = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = tosa.identity %c : (tensor<1xi8>) -> tensor<1xi8>
  %r = tosa.negate %a, %z, %c : (tensor<?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %r : tensor<?xi8>
}
"""


def outputs(text, tmp_path, *arrays):
    """Compile and run; the package must survive a file, where it is checked."""
    program = hwc.compile(text)
    program.save(tmp_path / "x.hwx")
    results = program(*arrays).outputs
    for a, b in zip(results, hwc.load(tmp_path / "x.hwx")(*arrays).outputs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    return results


@pytest.mark.parametrize("values", ["", "1.0"])
@pytest.mark.parametrize("size", [0, 1])
def test_operand_without_elements(tmp_path, values, size):
    array = np.ones(size, np.float32)
    (result,) = outputs(EMPTY.replace("VALUES", values), tmp_path, array)
    assert (result.shape, result.dtype) == ((0,), np.float32)


@pytest.mark.parametrize(("element", "dtype"), DTYPES.items())
def test_result_without_elements(tmp_path, element, dtype):
    (result,) = outputs(ALONE.replace("TYPE", element), tmp_path)
    assert (result.shape, result.dtype) == ((2, 0), dtype)


def test_result_without_elements_next_to_one_with_some(tmp_path):
    empty, other = outputs(RETURNED, tmp_path)
    assert (empty.shape, empty.dtype) == ((2, 0), np.int16)
    np.testing.assert_array_equal(other, np.array([1, 2, 3], np.int8))


def test_shift_behind_identities(tmp_path):
    array = np.array([1, 2, 100, -7], np.int32)
    (result,) = outputs(SHIFTED, tmp_path, array)
    np.testing.assert_array_equal(result, (array * array + 4) >> 3)


def test_zero_point_behind_an_identity(tmp_path):
    array = np.array([1, 2, 100, -7], np.int8)
    (result,) = outputs(NEGATED, tmp_path, array)
    np.testing.assert_array_equal(result, 6 - array)


SIGNED_ZEROS = """
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>) {
  %c = "tosa.const"() {values = dense<[0.0, -0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = tosa.mul %x, %c : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  %r = tosa.reciprocal %c : (tensor<2xf32>) -> tensor<2xf32>
  return %y, %r : tensor<?xf32>, tensor<2xf32>
}
"""

SIGNALLING = """
func.func @main(%p: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c = "tosa.const"() {values = dense<"0x0100807F"> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.select %p, %c, %x : (tensor<?xi1>, tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def test_zeros_of_both_signs_are_two_elements():
    product, reciprocal = hwc.compile(SIGNED_ZEROS)(np.ones(2, np.float32)).outputs
    np.testing.assert_array_equal(np.signbit(product), [False, True])
    np.testing.assert_array_equal(reciprocal, [np.inf, -np.inf])


def test_a_signalling_nan_keeps_its_bits():
    (result,) = hwc.compile(SIGNALLING)(np.ones(2, bool), np.ones(2, np.float32)).outputs
    np.testing.assert_array_equal(result.view(np.uint32), np.array([0x7F800001] * 2, np.uint32))


@pytest.mark.parametrize("stage", ["tosa", "linalg"])
@pytest.mark.parametrize(
    ("text", "bits"), [(SIGNED_ZEROS, "0000000000000080"), (SIGNALLING, "0100807F")]
)
def test_text_of_numbers_that_compare_as_others_is_read_again(tmp_path, capsys, stage, text, bits):
    path = tmp_path / "numbers.mlir"
    path.write_text(text)
    assert main(["compile", str(path), "--emit", stage]) == 0
    emitted = capsys.readouterr().out
    assert f'dense<"0x{bits}"> : tensor<' in emitted
    package, again = (hwc.compile(t).package for t in (text, emitted))
    assert package.constants == again.constants
