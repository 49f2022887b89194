"""Operators that a library defines: a scalar function, with which `tosa.custom` computes."""

import numpy as np
import pytest

import hwc
from hwc.cli.main import main
from hwc.errors import UserError

LIBRARY = """func.func private @my.popcount(%x: i32) -> i32 {
  %0 = math.ctpop %x : i32
  return %0 : i32
}
func.func private @my.scaled(%x: f32, %y: f32) -> (f32, i1) {
  %c = arith.constant 2.0 : f32
  %0 = arith.mulf %x, %c : f32
  %1 = arith.addf %0, %y : f32
  %2 = arith.cmpf olt, %x, %y : f32
  return %1, %2 : f32, i1
}
"""
POPCOUNT = """func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = tosa.custom %x {domain_name = "my", implementation_attrs = "", operator_name = "popcount"}
      : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
"""
SCALED = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xi1>) {
  %0:2 = "tosa.custom"(%x, %y)
      {domain_name = "my", implementation_attrs = "", operator_name = "scaled"}
      : (tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi1>)
  %1 = tosa.abs %0#0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1, %0#1 : tensor<?x?xf32>, tensor<?x?xi1>
}
"""


def test_an_operator_of_a_library():
    program = hwc.compile(POPCOUNT, libraries=[LIBRARY])
    x = np.array([0, 1, 7, -1, -(2**31)], np.int32)
    np.testing.assert_array_equal(program(x).outputs[0], [0, 1, 3, 32, 1])


def test_operands_broadcast_and_results_fuse():
    program = hwc.compile(SCALED, libraries=[LIBRARY])
    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal(s).astype(np.float32) for s in ((3, 1), (40,)))
    result = program(x, y)
    np.testing.assert_array_equal(result.outputs[0], abs(2 * x + y))
    np.testing.assert_array_equal(result.outputs[1], x < y)
    assert result.counters["bytes_read"] == x.nbytes + y.nbytes


def test_a_program_may_define_its_own():
    program = hwc.compile(LIBRARY + POPCOUNT)
    np.testing.assert_array_equal(program(np.array([5], np.int32)).outputs[0], [2])


def test_the_option_of_the_command(tmp_path, capsys):
    library, model = tmp_path / "ops.mlir", tmp_path / "model.mlir"
    library.write_text(LIBRARY)
    model.write_text(POPCOUNT)
    assert main(["compile", str(model), "--library", str(library)]) == 0
    assert (tmp_path / "model.hwx").is_file()
    assert main(["compile", str(model), "--library", str(library), "--emit", "tosa"]) == 0
    text = capsys.readouterr().out
    assert "tosa.custom %x {domain_name" in text
    assert "popcount(" not in text


def test_a_specialised_program_keeps_the_operator(tmp_path, capsys):
    library, model = tmp_path / "ops.mlir", tmp_path / "model.mlir"
    library.write_text(LIBRARY)
    model.write_text(POPCOUNT)
    assert main(["specialize", str(model), "--dims", "x=3", "--library", str(library)]) == 0
    text = capsys.readouterr().out
    assert "%x: tensor<3xi32>" in text
    assert text == hwc.compile(model, libraries=[library]).specialize(x=(3,))
    program = hwc.compile(text, libraries=[library])
    np.testing.assert_array_equal(program(np.array([1, 3, 7], np.int32)).outputs[0], [1, 2, 3])


def refused(library, program=POPCOUNT):
    with pytest.raises(UserError) as caught:
        hwc.compile(program, libraries=[library])
    return str(caught.value)


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ("module {}", "calls @my.popcount, which no library defines; there are: none"),
        (LIBRARY.replace("popcount", "count"), "there are: @my.count, @my.scaled"),
        (LIBRARY.replace("private ", ""), "@my.popcount of a library is not private"),
        ('"tosa.const"() {} : () -> ()', "a library holds 'tosa.const'"),
        (LIBRARY + LIBRARY, "@my.popcount is defined twice for (i32) -> (i32)"),
        (LIBRARY.replace("i32", "i16"), "has operands of i32"),
        (
            "func.func private @my.popcount(%x: i32) -> i32\n",
            "-:1:1: error: function @my.popcount does not define an operator: it has no body",
        ),
        (LIBRARY.replace("i32", "i64"), "does not define an operator: i64 is not a scalar"),
        (LIBRARY.replace("i32", "tensor<?xi32>"), "tensor<?xi32> is not a scalar of the machine"),
        (
            "func.func private @my.popcount() -> i32 { %0 = arith.constant 3 : i32\n"
            "return %0 : i32 }",
            "it needs an argument and a result",
        ),
        (
            LIBRARY.replace("math.ctpop %x : i32", "func.call @my.other(%x) : (i32) -> i32"),
            "'func.call' is not supported",
        ),
        (
            """func.func private @my.popcount(%x: i32) -> i32 {
  cf.br ^bb1
^bb1:
  return %x : i32
}""",
            "'cf.br' is not supported",
        ),
        (LIBRARY.replace("math.ctpop", "math.ipowi %x,"), "'math.ipowi' is not supported"),
    ],
)
def test_what_is_refused(library, message):
    assert message in refused(library)


def test_an_error_in_a_library_is_located_in_the_library(tmp_path):
    library = tmp_path / "ops.mlir"
    library.write_text(LIBRARY.replace("math.ctpop %x", "math.ipowi %x, %x"))
    with pytest.raises(UserError, match=r"ops.mlir:2:8: error: 'math.ipowi'") as caught:
        hwc.compile(POPCOUNT, libraries=[library])
    assert "%0 = math.ipowi %x, %x : i32\n       ^" in str(caught.value)


def test_an_operator_without_a_name():
    text = refused(LIBRARY, POPCOUNT.replace('domain_name = "my", ', ""))
    assert "'tosa.custom' has no domain_name" in text


TWO_TYPES = """func.func private @my.add(%x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %y : i32
  return %0 : i32
}
func.func private @my.add(%x: f32, %y: f32) -> f32 {
  %0 = arith.addf %x, %y : f32
  return %0 : f32
}
"""
ADD = """func.func @main(%x: tensor<?xT>, %y: tensor<?xT>) -> tensor<?xT> {
  %0 = tosa.custom %x, %y {domain_name = "my", operator_name = "add", implementation_attrs = ""}
      : (tensor<?xT>, tensor<?xT>) -> tensor<?xT>
  return %0 : tensor<?xT>
}
"""


@pytest.mark.parametrize(("element", "dtype"), [("i32", np.int32), ("f32", np.float32)])
def test_the_types_choose_the_function(element, dtype):
    x = np.array([3, 4], dtype)
    for program in (
        hwc.compile(TWO_TYPES + ADD.replace("T", element)),
        hwc.compile(ADD.replace("T", element), libraries=[TWO_TYPES]),
    ):
        (result,) = program(x, x).outputs
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, [6, 8])


def test_the_types_of_results_choose_between_equal_operands():
    library = """func.func private @my.to(%x: i32) -> f32 {
  %0 = arith.sitofp %x : i32 to f32
  return %0 : f32
}
func.func private @my.to(%x: i32) -> i8 {
  %0 = arith.trunci %x : i32 to i8
  return %0 : i8
}
"""
    program = """func.func @main(%x: tensor<?xi32>) -> (tensor<?xi8>, tensor<?xf32>) {
  %0 = my.to %x : (tensor<?xi32>) -> tensor<?xi8>
  %1 = my.to %x : (tensor<?xi32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xi8>, tensor<?xf32>
}
"""
    narrow, number = hwc.compile(program, libraries=[library])(np.array([257], np.int32)).outputs
    assert (narrow.dtype, narrow[0]) == (np.int8, 1)
    assert (number.dtype, number[0]) == (np.float32, 257)


def test_types_that_no_function_has():
    assert (
        "-:2:8: error: 'tosa.custom' calls @my.add with (i16, i16), and no definition takes these "
        "element types; @my.add is defined for (i32, i32) -> (i32); (f32, f32) -> (f32)"
    ) in refused(TWO_TYPES, ADD.replace("T", "i16"))


@pytest.mark.parametrize(
    "operation",
    [
        "my.popcount %x : (tensor<?xi32>) -> tensor<?xi32>",
        '"my.popcount"(%x) : (tensor<?xi32>) -> tensor<?xi32>',
    ],
)
def test_an_operation_may_have_the_name_of_the_operator(operation):
    text = f"""func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {{
  %0 = {operation}
  return %0 : tensor<?xi32>
}}
"""
    x = np.array([0, 7, -1], np.int32)
    for program in (hwc.compile(text, libraries=[LIBRARY]), hwc.compile(LIBRARY + text)):
        np.testing.assert_array_equal(program(x).outputs[0], [0, 3, 32])
    with pytest.raises(UserError, match="unknown operation 'my.popcount'") as caught:
        hwc.compile(text)
    assert "--library" in str(caught.value)
