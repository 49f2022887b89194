"""Broken texts: each compiles, or a located error comes. `tests/fuzz` makes many more."""

# ruff: noqa: E501 - MLIR text has long lines

import pytest

from hwc.errors import UserError
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.pipeline import run

SAMPLES = [
    """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<3xf32>, %c: tensor<?x1xi1>) -> tensor<?x3xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = tosa.maximum %0, %a {nan_mode = IGNORE} : (tensor<?x3xf32>, tensor<?x?xf32>) -> tensor<?x3xf32>
  %2 = tosa.select %c, %0, %1 : (tensor<?x1xi1>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %3 = tosa.clamp %2 {max_val = 6.0 : f32, min_val = 0xFF800000 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}
""",
    """\
#loc = loc("x":1:2)
module {
  func.func @main(%arg0: tensor<4xi32> loc(#loc), %arg1: tensor<4xi8> {k = "v"}) -> (tensor<4xi32>, tensor<2x2xi8>) {
    %s = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %k = "tosa.const"() {value = dense<[1, -2, 0x7F, 4]> : tensor<4xi8>} : () -> tensor<4xi8>
    %0 = "tosa.mul"(%arg0, %arg0, %s) : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
    %1 = "tosa.arithmetic_right_shift"(%0, %arg0) <{round = true}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %2 = "tosa.negate"(%arg1) {quantization_info = #tosa.unary_quant<input_zp = 1, output_zp = 2>} : (tensor<4xi8>) -> tensor<4xi8>
    %shape = tosa.const_shape {values = dense<[2, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %3 = tosa.reshape %2, %shape : (tensor<4xi8>, !tosa.shape<2>) -> tensor<2x2xi8>
    "func.return"(%1, %3) : (tensor<4xi32>, tensor<2x2xi8>) -> () loc(unknown)
  }
}
""",
]


def compile_or_refuse(text):
    """Compile `text`; what goes wrong must be a user's error that says where."""
    try:
        run(Source("fuzz.mlir", text), until="linalg")
    except UserError as error:
        assert isinstance(error, LocatedError)
        assert "error: " in str(error)
        if error.location:
            assert str(error).startswith(f"fuzz.mlir:{error.location.line}:")
            assert 1 <= error.location.line <= text.count("\n") + 1


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_compile(sample):
    run(Source("sample.mlir", sample), until="linalg")


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_truncation(sample):
    for end in range(0, len(sample), 7):
        compile_or_refuse(sample[:end])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "[" * 5000,
        "module {" * 2000,
        "func.func @f() -> " + "(" * 3000,
        '"' * 3,
        "%0 = ",
        "func.func @f(%a: tensor<" + "1x" * 3000 + "f32>) { return }",
        "func.func @f(%a: tensor<" + "9" * 5000 + "xf32>) { return }",
        "#a = #a\nfunc.func @f() { return }",
        "!t = !t",
        "{-# external_resources: { x: { } } #-}",
        "func.func @f() { return } " * 2,
        "module { module { func.func @main() { return } } }",
        "func.func private @f(tensor<*xf32>)",
        '"builtin.module"() : () -> ()',
        '"func.func"() ({}) : () -> ()',
        '"func.func"() <{sym_name = "f"}> ({ "func.return"() : () -> () }) : () -> ()',
        '"func.func"() <{sym_name = 1, function_type = 2}> ({}) : () -> ()',
        '"func.return"() : () -> ()',
        "tosa.add",
    ],
)
def test_oddities(text):
    compile_or_refuse(text)
