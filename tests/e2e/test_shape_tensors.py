"""Arithmetic on shape tensors, and arguments that only sizes are computed from."""

import numpy as np
import pytest

import hwc
from hwc.cli.main import main
from hwc.errors import DispatchError, SourceError

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def reshaped(lines, argument="%s: tensor<2xi32>", shape="tensor<2xi32>"):
    """A program that computes the shape %q from `argument`, and reshapes its operand by it."""
    body = "\n".join(f"  {line}" for line in lines)
    return f"""func.func @main(%x: tensor<?x?xf32>, {argument}) -> tensor<?x?xf32> {{
{body}
  %r = tensor.reshape %x(%q) : (tensor<?x?xf32>, {shape}) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}}
"""


INDEX_CAST = reshaped(
    ["%q = arith.index_cast %s : tensor<2xi32> to tensor<2xindex>"], shape="tensor<2xindex>"
)
MASSAGE = reshaped(
    [
        "%k = arith.constant dense<[2,1]> : tensor<2xi32>",
        "%q = arith.muli %s, %k : tensor<2xi32>",
    ]
)
WIDE = reshaped(
    [
        "%k = arith.constant dense<[4, 2]> : tensor<2xi64>",
        "%c = arith.cmpi slt, %s, %k : tensor<2xi64>",
        "%d = arith.select %c, %s, %k : tensor<2xi1>, tensor<2xi64>",
        "%q = arith.trunci %d : tensor<2xi64> to tensor<2xi32>",
    ],
    "%s: tensor<2xi64>",
)
ELEMENT = """func.func @main(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = arith.addi %s, %s : tensor<2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %0[%c0] : tensor<2xi32>
  %b = tensor.extract %0[%c1] : tensor<2xi32>
  %i = arith.index_cast %a : i32 to index
  %j = arith.index_cast %b : i32 to index
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%i, %j]
      : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "given", "shape"),
    [
        (INDEX_CAST, np.array([3, 2], np.int32), (3, 2)),
        (MASSAGE, np.array([3, 1], np.int32), (6, 1)),
        (MASSAGE, np.array([1, 3], np.int32), (2, 3)),
        (WIDE, np.array([3, 2], np.int64), (3, 2)),
        (WIDE, np.array([3, 1 << 40], np.int64), (3, 2)),
    ],
)
def test_the_host_computes_the_elements_of_a_shape(text, given, shape):
    (result,) = hwc.compile(text)(X, given).outputs
    np.testing.assert_array_equal(result, X.reshape(shape))


def test_elements_of_a_computed_shape():
    program = hwc.compile(ELEMENT)
    (result,) = program(np.arange(8, dtype=np.float32), np.array([1, 2], np.int32)).outputs
    np.testing.assert_array_equal(result, np.arange(8, dtype=np.float32).reshape(2, 4))


def test_a_shape_that_the_machine_reads_too():
    text = MASSAGE.replace("-> tensor<?x?xf32> {", "-> (tensor<?x?xf32>, tensor<2xi32>) {")
    text = text.replace(
        "return %r : tensor<?x?xf32>", "return %r, %q : tensor<?x?xf32>, tensor<2xi32>"
    )
    result = hwc.compile(text)(X, np.array([3, 1], np.int32))
    np.testing.assert_array_equal(result.outputs[0], X.reshape(6, 1))
    np.testing.assert_array_equal(result.outputs[1], [6, 1])


def test_computed_sizes_that_do_not_fit_name_their_operations():
    with pytest.raises(DispatchError) as caught:
        hwc.compile(MASSAGE)(X, np.array([3, 2], np.int32))
    assert str(caught.value) == (
        "-:4:8: error: 'tensor.reshape': cannot reshape 6 elements, shape (2, 3), into 12 "
        "elements, shape (6, 2); the sizes are 2 (dimension 0 of argument 0 (%x)), 3 (dimension 1 "
        "of argument 0 (%x)), 6 ('arith.muli' at -:3:8), 2 ('arith.muli' at -:3:8)"
    )


SCALARS = """func.func @main(%x: tensor<?xf32>, %n: index, %m: i64) -> tensor<?x?xf32> {
  %k = arith.index_cast %m : i64 to index
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, %k]
      : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def test_index_and_i64_arguments_are_sizes():
    program = hwc.compile(SCALARS)
    x = X.reshape(6)
    for n, m in ((3, 2), (np.int64(1), np.array(6)), (6, np.int64(1))):
        (result,) = program(x, n, m).outputs
        np.testing.assert_array_equal(result, x.reshape(int(n), int(m)))
    with pytest.raises(DispatchError, match=r"the computed size -2 \(the element of argument 2"):
        program(x, 3, -2)
    with pytest.raises(DispatchError, match="got dtype int32, expected int64"):
        program(x, np.int32(3), 2)


def test_an_argument_that_nothing_reads():
    text = """func.func @main(%x: tensor<?xf32>, %n: i64) -> tensor<?xf32> {
  %m = arith.index_cast %n : i64 to index
  return %x : tensor<?xf32>
}
"""
    np.testing.assert_array_equal(hwc.compile(text)(X.reshape(6), 3).outputs[0], X.reshape(6))


def test_the_command_takes_them(tmp_path, capsys):
    path = tmp_path / "p.mlir"
    path.write_text(SCALARS)
    given = ["--input", "4xf32=1,2,3,4", "--input", "index=2", "--input", "i64=2"]
    assert main(["run", str(path), *given]) == 0
    assert "[[1. 2.]\n [3. 4.]]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argument", "operation", "message"),
    [
        (
            "tensor<?xi64>",
            "%0 = tosa.add %n, %n : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>",
            "-:2:8: error: 'tosa.add' takes argument 1 (%n) of function @main, which is "
            "tensor<?xi64>: only sizes are computed from index and i64",
        ),
        (
            "i64",
            "%0 = arith.sitofp %n : i64 to f32",
            "-:2:8: error: operand 0 of 'arith.sitofp' has element type i64",
        ),
        (
            "tensor<?xi64>",
            "%0 = arith.addi %n, %n : tensor<?xi64>",
            "-:2:8: error: 'arith.addi' computes sizes with tensor<?xi64>, expected a static "
            "number of elements, at most 64",
        ),
        (
            "tensor<65xindex>",
            "%0 = arith.addi %n, %n : tensor<65xindex>",
            "-:2:8: error: 'arith.addi' computes sizes with tensor<65xindex>",
        ),
        (
            "tensor<2xi64>",
            "%0 = arith.index_cast %n : tensor<2xi64> to tensor<2xi32>",
            "-:2:8: error: 'arith.index_cast' is malformed: tensor<2xi64> to tensor<2xi32>: one "
            "has to be index",
        ),
    ],
)
def test_what_is_refused(argument, operation, message):
    text = f"""func.func @main(%x: tensor<?xf32>, %n: {argument}) -> tensor<?xf32> {{
  {operation}
  return %x : tensor<?xf32>
}}
"""
    with pytest.raises(SourceError) as caught:
        hwc.compile(text)
    assert str(caught.value).startswith(message)
