"""What TOSA's operators require of operands, types, attributes and sizes, wherever they run."""

import pytest
from operator_rules.check import (
    ACCEPTED,
    NOT_COMPILED,
    REFUSED,
    Case,
    Programs,
    examples,
    judged,
    misfits,
    refusal,
    refusals,
)
from operator_rules.report import page
from operator_rules.table import FORMS, Misfit

import hwc
from hwc.errors import UserError
from hwc.tosa.operators import RULES

EXAMPLES = examples()
NAMES = sorted(example.operator for example in EXAMPLES)
MISFITS = 1_900
"""How many misfits there are at least."""
STEP = 17
"""Which misfits `make test` tries: every seventeenth, of all operators in all forms."""


def bad(found):
    return [
        f"{each.case}: {each.verdict}, lacks {each.lacks}: {each.message}"
        for each in found
        if each.verdict != REFUSED or each.lacks
    ]


def test_every_operator_has_an_example():
    older = {"div", "reduce_prod"}  # names of intdiv and reduce_product
    assert set(NAMES) == set(RULES) - older
    assert len(misfits(EXAMPLES)) >= MISFITS


def test_some_misfits_are_refused():
    assert bad(refusals(misfits(EXAMPLES)[::STEP])) == []


@pytest.mark.long
@pytest.mark.parametrize("operator", NAMES)
def test_all_misfits_are_refused(operator):
    chosen = [example for example in EXAMPLES if example.operator == operator]
    assert bad(refusals(misfits(chosen))) == []


@pytest.mark.long
@pytest.mark.parametrize("operator", NAMES)
def test_legal_examples_are_right(operator):
    found = judged([example for example in EXAMPLES if example.operator == operator])
    assert {problem for problem in found.values() if problem != NOT_COMPILED} <= {None}
    assert any(problem is None for case, problem in found.items() if not case.form.dynamic)


def test_what_is_accepted_and_what_is_not_said_is_noticed():
    example = next(example for example in EXAMPLES if example.operator == "matmul")
    nothing = Misfit("nothing is wrong", ())
    inner = next(m for m in example.misfits if m.says == ("0.2", "1.1"))
    other = Misfit(inner.rule, ("0.2", "1.2", "channels"), inner.operands)
    for form in FORMS:
        assert refusal(Case(example, form, nothing), Programs()).verdict == ACCEPTED
        found = refusal(Case(example, form, other), Programs())
        assert found.verdict == REFUSED
        assert r"\bchannels\b" in found.lacks
        assert form.dynamic == any("dimension 2 of argument" in text for text in found.lacks)
        text = page([found], {Case(example, form): "wrong: 1 of 6"})
        assert "1 misfits: 0 refused with operator" in text
        assert "wrong: 1 of 6" in text


def one(operator, operands, result, attributes=""):
    """Return a program of one operator whose operands are arguments."""
    names = [f"%a{number}" for number in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, operands, strict=True))
    return (
        f"func.func @main({arguments}) -> {result} {{\n"
        f'  %0 = "tosa.{operator}"({", ".join(names)}) {{{attributes}}} : '
        f"({', '.join(operands)}) -> {result}\n"
        f"  return %0 : {result}\n}}\n"
    )


V, M = "tensor<2x3xf32>", "tensor<1x2x3xf32>"
Z = "tensor<1xf32>"

MALFORMED = {
    "operand missing": (one("concat", [], V, "axis = 0 : i32"), "has 0 operands, expected 1"),
    "operand too many": (one("reverse", [V, V], V, "axis = 0 : i32"), "has 2 operands, expected 1"),
    "axis missing": (one("reduce_sum", [V], "tensor<1x3xf32>"), "has no attribute 'axis'"),
    "unknown attribute": (
        one("reverse", [V], V, "axis = 0 : i32, other = 1 : i32"),
        "unknown attribute 'other'",
    ),
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
    "zero point of a call": (
        one("matmul", [M, "tensor<1x3x2xf32>", Z, Z], "tensor<1x2x2xf32>"),
        "a_zp of 'tosa.matmul' is not a constant",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_operators_are_refused_when_compiled(case):
    text, message = MALFORMED[case]
    with pytest.raises(UserError, match=message) as refused:
        hwc.compile(text)
    assert "-:2:" in str(refused.value)


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


def test_what_the_engine_does_not_compile_is_refused_in_our_words():
    example = next(example for example in EXAMPLES if example.operator == "conv2d")
    with pytest.raises(UserError) as refused:
        hwc.compile(example.text(FORMS[-1]))
    message = str(refused.value)
    assert message.startswith(
        "-:4:9: error: IREE does not compile 'tosa.conv2d': it has no code for operands of "
        "tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<1xf32>, tensor<1xf32> "
        "and a result of tensor<?x?x?x?xf32>\n"
    )
    assert message.endswith("help: make more of its sizes static")
