"""`--conform=1.0`: each rule refuses a program that breaks this rule alone, and that hwc takes."""

from __future__ import annotations

import pytest

import hwc
from hwc.cli.main import main
from hwc.dialects import tosa_conformance
from hwc.dialects.element_types import spellings
from hwc.dialects.tosa_conformance import ATTRIBUTES, OTHERS, TYPES, pairs
from hwc.dialects.tosa_table import OPERATORS
from hwc.dialects.tosa_table import OTHERS as NOT_ELEMENT_WISE
from hwc.errors import UserError
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from hwc.pipeline import run

PATTERN = """\
func.func @main(%x: ARGUMENT) -> RESULT {
BEFORE  %0 = OPERATION
  return %0 : RESULT
}
"""


def program(operation, argument, result, before=""):
    filled = PATTERN.replace("ARGUMENT", argument).replace("RESULT", result)
    return filled.replace("BEFORE", before).replace("OPERATION", operation)


def same(operation, type_, before=""):
    return program(operation, type_, type_, before)


I1, I8, I32 = (f"tensor<?x{element}>" for element in ("i1", "i8", "i32"))
F32, ROW = "tensor<?x4xf32>", "tensor<4xf32>"
SHIFT = '  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>\n'
FIXED = """\
  %t = tosa.const_shape {values = dense<[4, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
"""
FREE = FIXED.replace("[4, 4]", "[-1, 4]")
COMPUTED = """\
  %d = tosa.dim %x {axis = 0 : i32} : (tensor<?x4xf32>) -> !tosa.shape<1>
"""

BROKEN = {
    "operator": [
        (
            same(f"arith.addf %x, %x : {F32}", F32),
            "error: 'arith.addf' is not an operator of TOSA 1.0",
        ),
        (
            same(f"tosa.div %x, %x : ({I32}, {I32}) -> {I32}", I32),
            "error: 'tosa.div' is not an operator of TOSA 1.0",
        ),
        (
            same(f"tosa.abs %x : ({F32}) -> {F32}", F32, COMPUTED),
            "error: 'tosa.dim' is not an operator of TOSA 1.0",
        ),
    ],
    "_operands": [
        (same(f"tosa.mul %x, %x : ({F32}, {F32}) -> {F32}", F32), "has 2 operands, expected 3"),
        (same(f"tosa.negate %x : ({F32}) -> {F32}", F32), "has 1 operand, expected 3"),
    ],
    "_attributes": [
        (
            same(
                f"tosa.arithmetic_right_shift %x, %x : ({I32}, {I32}) -> {I32}",
                I32,
            ),
            "has no attribute 'round'",
        ),
        (
            same(
                "tosa.clamp %x {min_fp = 0.0 : f32, max_fp = 1.0 : f32, min_val = 0.0 : f32, "
                f"max_val = 1.0 : f32}} : ({F32}) -> {F32}",
                F32,
            ),
            "has the attribute 'max_fp' of older text",
        ),
        (
            same(
                f"tosa.mul %x, %x, %s {{shift = 0 : i8}} : ({F32}, {F32}, tensor<1xi8>) -> {F32}",
                F32,
                SHIFT,
            ),
            "has the attribute 'shift' of older text",
        ),
    ],
    "_types": [
        (
            same(f"tosa.add %x, %x : ({I8}, {I8}) -> {I8}", I8),
            "on i8 belongs to no profile and no extension",
        ),
        (
            program(f"tosa.cast %x : ({I1}) -> tensor<?xf32>", I1, "tensor<?xf32>"),
            "on i1 to f32 belongs to no profile and no extension",
        ),
        (
            same(f"tosa.bitwise_and %x, %x : ({I1}, {I1}) -> {I1}", I1),
            "on i1 belongs to no profile and no extension",
        ),
        (
            same(f"tosa.mul %x, %x, %s : ({I8}, {I8}, tensor<1xi8>) -> {I8}", I8, SHIFT),
            "on i8 belongs to no profile and no extension",
        ),
    ],
    "_ranks": [
        (
            "func.func @main(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {\n"
            f"  %0 = tosa.add %x, %y : ({F32}, {ROW}) -> {F32}\n  return %0 : {F32}\n}}\n",
            "has operands of ranks 2 and 1",
        ),
    ],
    "sizes_problem": [
        (
            same("tosa.abs %x : (tensor<0x4xf32>) -> tensor<0x4xf32>", "tensor<0x4xf32>"),
            "has a tensor of 0x4",
        ),
        (
            same(
                "tosa.abs %x : (tensor<?x1073741824xf32>) -> tensor<?x1073741824xf32>",
                "tensor<?x1073741824xf32>",
            ),
            "has a tensor of ?x1073741824, 4294967296 bytes",
        ),
    ],
    "_new_shape": [
        (
            same(f"tosa.reshape %x, %t : ({F32}, !tosa.shape<2>) -> {F32}", F32, FREE),
            "has a size of -1 in its shape",
        ),
    ],
}
"""The programs that break each rule, and the message."""


def refused(text, conform="1.0"):
    with pytest.raises(UserError) as error:
        run(Source("m.mlir", text), until="tosa", language=Language(conform=conform))
    return str(error.value).splitlines()[0]


@pytest.mark.parametrize(
    ("rule", "text", "message"),
    [(rule, text, message) for rule, cases in BROKEN.items() for text, message in cases],
)
def test_a_program_that_breaks_one_rule(rule, text, message, monkeypatch):
    assert message in refused(text)
    assert refused(text).startswith("m.mlir:")
    run(Source("m.mlir", text), until="tosa")  # hwc takes it
    if rule != "operator":  # and nothing else is wrong with it
        others = [one for one in tosa_conformance.RULES if one.__name__ != rule]
        monkeypatch.setattr(tosa_conformance, "RULES", others)
        monkeypatch.setattr(tosa_conformance, rule, lambda _: None)
        run(Source("m.mlir", text), until="tosa", language=Language(conform="1.0"))


def test_every_rule_has_a_program():
    assert {rule.__name__ for rule in tosa_conformance.RULES} == {*BROKEN} - {"operator"}


def test_an_argument_that_is_returned():
    text = "func.func @main(%x: TYPE) -> TYPE {\n  return %x : TYPE\n}\n"
    message = refused(text.replace("TYPE", "tensor<0x4xf32>"))
    assert message == "m.mlir:2:3: error: TOSA 1.0: 'func.return' has a tensor of 0x4"
    run(Source("m.mlir", text.replace("TYPE", F32)), until="tosa", language=Language(conform="1.0"))


def test_a_shape_that_is_computed():
    """Its operators belong to TOSA 1.1, so only the rule itself can be asked."""
    text = same(
        f"tosa.reshape %x, %t : ({F32}, !tosa.shape<2>) -> {F32}",
        F32,
        COMPUTED + "  %t = tosa.concat_shape %d, %d : (!tosa.shape<1>, !tosa.shape<1>) -> "
        "!tosa.shape<2>\n",
    )
    module = run(Source("m.mlir", text), until="tosa").module
    (reshape,) = (op for op in module.walk() if op.name == "tosa.reshape")
    problem = tosa_conformance._new_shape(reshape)
    assert problem is not None and problem[0] == "has a shape that is not a constant"


WEIGHTS = f"""\
func.func @main(%x: {F32}) -> {F32} {{
  %c = "tosa.const"() {{values = dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf16>}} : () ->
      tensor<1x4xf16>
  %w = tosa.cast %c : (tensor<1x4xf16>) -> tensor<1x?xf32>
  %0 = tosa.add %x, %w : ({F32}, tensor<1x?xf32>) -> {F32}
  return %0 : {F32}
}}
"""


def test_conversions_that_are_folded():
    assert hwc.compile(WEIGHTS, conform="1.0").package
    assert "m.mlir:2:8: error: TOSA 1.0: 'tosa.const' on f64 belongs to no" in refused(
        WEIGHTS.replace("f16", "f64")
    )
    text = WEIGHTS.replace(
        "tosa.cast %c : (tensor<1x4xf16>) ->", "arith.extf %c : tensor<1x4xf16> to"
    )
    assert "'arith.extf' is not an operator of TOSA 1.0" in refused(text.replace("1x?x", "1x4x"))
    text = WEIGHTS.replace("tosa.cast", "tosa.exp")
    assert "m.mlir:4:8: error: 'tosa.exp' of f16 gives element type f32" in refused(text)


CONFORMING = f"""\
func.func @main(%x: {F32}, %y: tensor<1x4xf32>) -> {F32} {{
{SHIFT}{FIXED}\
  %z = "tosa.const"() {{values = dense<0.0> : tensor<1xf32>}} : () -> tensor<1xf32>
  %0 = tosa.mul %x, %y, %s : ({F32}, tensor<1x4xf32>, tensor<1xi8>) -> {F32}
  %1 = tosa.negate %0, %z, %z : ({F32}, tensor<1xf32>, tensor<1xf32>) -> {F32}
  %2 = tosa.clamp %1 {{min_val = 0.0 : f32, max_val = 6.0 : f32}} : ({F32}) -> {F32}
  %3 = tosa.greater %2, %y : ({F32}, tensor<1x4xf32>) -> tensor<?x4xi1>
  %4 = tosa.select %3, %2, %y : (tensor<?x4xi1>, {F32}, tensor<1x4xf32>) -> {F32}
  %5 = tosa.reshape %4, %t : ({F32}, !tosa.shape<2>) -> tensor<4x4xf32>
  %6 = tosa.add %5, %2 : (tensor<4x4xf32>, {F32}) -> {F32}
  return %6 : {F32}
}}
"""


def test_a_program_of_tosa_1_0():
    assert hwc.compile(CONFORMING, conform="1.0").package


def test_the_program_may_say_it_itself():
    text = BROKEN["_types"][0][0].replace(" {\n", ' attributes {hwc.conform = "1.0"} {\n', 1)
    assert "belongs to no profile" in refused(text, None)


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "m.mlir"
    path.write_text(BROKEN["_ranks"][0][0])
    assert main(["compile", str(path), "--conform=1.0", "-o", str(tmp_path / "m.hwx")]) == 1
    error = capsys.readouterr().err
    assert f"{path}:2:8: error: TOSA 1.0: 'tosa.add' has operands of ranks 2 and 1" in error
    assert main(["compile", str(path), "-o", str(tmp_path / "m.hwx")]) == 0


def test_hwc_takes_whatever_the_table_allows_on_its_types():
    known = {*spellings()}
    for name, rule in OPERATORS.items():
        for types in TYPES.get(name, {}).values():
            for operand, result in pairs(types):
                if {operand, result} <= known:
                    assert result in rule.types[operand], (name, operand, result)


def test_the_operators_of_the_table():
    compiled = {*OPERATORS, *NOT_ELEMENT_WISE}
    assert {*TYPES} <= compiled
    assert {*ATTRIBUTES} | OTHERS <= compiled
    assert compiled - {*TYPES} - OTHERS == {
        name for name in compiled if name.endswith("_shape") or name in {"div", "dim"}
    } - {"const_shape"}
