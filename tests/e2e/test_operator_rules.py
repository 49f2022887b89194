"""What TOSA's operators require of operands, types, attributes and sizes, on the host."""

import numpy as np
import pytest

import hwc
from hwc.errors import UserError

ZERO = '  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>\n'
MATMUL = (
    "func.func @main(%x: tensor<1x?x?xf32>, %y: tensor<1x?x?xf32>) -> tensor<1x?x?xf32> {\n"
    f"{ZERO}"
    "  %0 = tosa.matmul %x, %y, %z, %z : (tensor<1x?x?xf32>, tensor<1x?x?xf32>, tensor<1xf32>, "
    "tensor<1xf32>) -> tensor<1x?x?xf32>\n"
    "  return %0 : tensor<1x?x?xf32>\n}\n"
)
CONCAT = (
    "func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %0 = tosa.concat %x, %y {axis = 0 : i32} : (tensor<?x?xf32>, tensor<?x?xf32>) -> "
    "tensor<?x?xf32>\n"
    "  return %0 : tensor<?x?xf32>\n}\n"
)
GATHER = (
    "func.func @main(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi32>) -> tensor<?x?x?xf32> {\n"
    "  %0 = tosa.gather %x, %i : (tensor<?x?x?xf32>, tensor<?x?xi32>) -> tensor<?x?x?xf32>\n"
    "  return %0 : tensor<?x?x?xf32>\n}\n"
)


def ones(*shape):
    return np.ones(shape, np.float32)


def test_inner_sizes_of_a_matrix_product():
    program = hwc.compile(MATMUL)
    np.testing.assert_array_equal(program(ones(1, 2, 6), ones(1, 6, 2)).outputs[0], 6)
    for inner, other in ((6, 3), (600000, 3)):
        with pytest.raises(hwc.DispatchError, match=rf"'tosa.matmul' .*inner.*{inner}.*{other}"):
            program(ones(1, 2, inner), ones(1, other, 2))


def test_sizes_beside_the_axis_of_a_concatenation():
    program = hwc.compile(CONCAT)
    assert program(ones(2, 3), ones(1, 3)).outputs[0].shape == (3, 3)
    with pytest.raises(hwc.DispatchError, match=r"'tosa.concat' in dimension 1.*3.*%x.*4.*%y"):
        program(ones(2, 3), ones(2, 4))


def test_indices_and_batches_of_a_gather():
    program = hwc.compile(GATHER)
    x = ones(1, 2, 3)
    for index in (5, 99999999, -1):
        with pytest.raises(hwc.DispatchError, match=rf"'tosa.gather': index {index} at \[0, 1\]"):
            program(x, np.array([[0, index]], np.int32))
    with pytest.raises(hwc.DispatchError, match=r"'tosa.gather' in dimension 0.*1.*2"):
        program(x, np.zeros((2, 2), np.int32))


def one(operator, operands, result, attributes=""):
    """Return a program of one operator whose operands are arguments, and constants called `z`."""
    names = [f"%a{number}" for number in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, operands, strict=True))
    return (
        f"func.func @main({arguments}) -> {result} {{\n"
        f'  %0 = "tosa.{operator}"({", ".join(names)}) {{{attributes}}} : '
        f"({', '.join(operands)}) -> {result}\n"
        f"  return %0 : {result}\n}}\n"
    )


V, M = "tensor<2x3xf32>", "tensor<1x2x3xf32>"
POOL = "kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>"

MISFITS = {
    "operand missing": (one("concat", [], V, "axis = 0 : i32"), "has 0 operands, expected 1"),
    "operand too many": (one("reverse", [V, V], V, "axis = 0 : i32"), "has 2 operands, expected 1"),
    "axis missing": (one("reduce_sum", [V], "tensor<1x3xf32>"), "has no attribute 'axis'"),
    "unknown attribute": (
        one("reverse", [V], V, "axis = 0 : i32, other = 1 : i32"),
        "unknown attribute 'other'",
    ),
    "axis too large": (one("reverse", [V], V, "axis = 2 : i32"), "rank 2 has axis = 2"),
    "axis negative": (one("reverse", [V], V, "axis = -1 : i32"), "rank 2 has axis = -1"),
    "perms twice": (one("transpose", [V], V, "perms = array<i32: 0, 0>"), "perms"),
    "types of operands": (
        one("concat", [V, "tensor<2x3xi32>"], "tensor<4x3xf32>", "axis = 0 : i32"),
        "element type i32",
    ),
    "type of a result": (
        one("reduce_sum", [V], "tensor<1x3xi32>", "axis = 0 : i32"),
        "is not defined for operands of f32",
    ),
    "type of an index": (
        one("gather", [M, "tensor<1x2xi8>"], "tensor<1x2x3xf32>"),
        "element type i8",
    ),
    "rank": (one("max_pool2d", [V], V, POOL), "operand 0 of rank 2"),
    "reduced size": (
        one("reduce_max", [V], V, "axis = 0 : i32"),
        "sizes 1 .* and 2",
    ),
    "pad": (
        one(
            "max_pool2d",
            ["tensor<1x4x4x1xf32>"],
            "tensor<1x5x3x1xf32>",
            POOL.replace("0, 0, 0, 0", "2, 0, 0, 0"),
        ),
        "pad is smaller than the kernel",
    ),
    "power of two": (
        """func.func @main(%x: tensor<1x3x4xf32>) -> tensor<1x3x3xf32> {
  %0, %1 = "tosa.rfft2d"(%x) : (tensor<1x3x4xf32>) -> (tensor<1x3x3xf32>, tensor<1x3x3xf32>)
  return %0 : tensor<1x3x3xf32>
}
""",
        "power of 2",
    ),
}


@pytest.mark.parametrize("case", MISFITS)
def test_refused_when_compiled(case):
    text, message = MISFITS[case]
    with pytest.raises(UserError, match=message) as refused:
        hwc.compile(text)
    assert "-:2:" in str(refused.value) or "'tosa." in str(refused.value)


def test_a_constant_operator_has_rules_too():
    text = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = "tosa.const"() {values = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %r = tosa.reverse %c {axis = 5 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = tosa.concat %x, %r {axis = 0 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = tosa.reverse %0 {axis = 0 : i32} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = tosa.reduce_sum %1 {axis = 0 : i32} : (tensor<4x3xf32>) -> tensor<1x3xf32>
  %3 = tosa.add %x, %2 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
"""
    with pytest.raises(UserError, match=r"'tosa.reverse' of a tensor of rank 2 has axis = 5"):
        hwc.compile(text)


def test_the_types_of_tosa_1_0():
    wide = "tensor<2x3xf64>"
    text = one("concat", [wide, wide], "tensor<4x3xf64>", "axis = 0 : i32")
    with pytest.raises(UserError, match="TOSA 1.0: 'tosa.concat' .* belongs to no profile"):
        hwc.compile(text, conform="1.0")
