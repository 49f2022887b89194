"""Text that is not MLIR: the message speaks about the text, and the advice fits the message."""

# ruff: noqa: E501 - MLIR text has long lines

import pytest

from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.frontend.syntax_errors import SYNTAX_ADVICE, explain
from hwc.pipeline import run

AS_MANY = "write as many elements as the type has, or one that stands for all"
CLOSE = "close it; is the end of the file missing?"
EMPTY = ("there is no program: the text is empty", "write func.func @main(...) {...}")
RANGE = "numbers of i8 are -128 to 255"


def refused(text):
    with pytest.raises(LocatedError) as caught:
        run(Source("m.mlir", text), until="tosa")
    return caught.value


def in_function(line):
    return f"func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{\n  {line}\n  return %x : tensor<3xf32>\n}}\n"


def constant(values, type_="3xi8"):
    return in_function(
        f'%0 = "tosa.const"() <{{values = {values} : tensor<{type_}>}}> : () -> tensor<{type_}>'
    )


def clamp(bound):
    return in_function(
        f"%0 = tosa.clamp %x {{min_val = {bound}, max_val = 1.0 : f32}} : (tensor<3xf32>) -> tensor<3xf32>"
    )


CASES = [
    ("", "1:1", *EMPTY),
    (" // a\n\n", "3:1", *EMPTY),
    ("42", "1:1", "expected an operation, got '42'", SYNTAX_ADVICE),
    (in_function("")[:-2], "4:1", "the text ends without the '}' for the '{' of line 1", CLOSE),
    ("func.func @f(%a: tensor<3x", "1:27", "the text ends without the ')' for the '(' of line 1", CLOSE),
    ("func.func", "1:10", "the text ends in the middle of an operation", "is the end of the file missing?"),
    (in_function("42"), "2:3", "expected an operation, a block or '}', got '42'", SYNTAX_ADVICE),
    (in_function("%0 = tosa.abs % : ()"), "2:17", "'%' has no name after it", "%NAME is a value; write the name without a space before it"),
    (in_function("^ :"), "2:3", "'^' has no name after it", "^NAME is a block; write the name without a space before it"),
    ("func.func @f(%a: tensor<3x!>)", "1:27", "'!' has no name after it", "!NAME is a type; write the name without a space before it"),
    ("#\n42", "1:1", "'#' has no name after it", "#NAME is an attribute; write the name without a space before it"),
    ("func.func @ (%a: i32)", "1:11", "'@' has no name after it", "@NAME is a function; write the name without a space"),
    ("func.func @f(%a: )", "1:18", "expected a type, got ')'", SYNTAX_ADVICE),
    ("func.func @f(%a: tensor<>)", "1:25", "expected the sizes and the element type of a tensor, such as 4x?xf32, got '>'", SYNTAX_ADVICE),
    ("func.func @f(%a: tensor<4, f32>)", "1:26", "expected 'x' between the sizes and the element type of a tensor, got ','", "write the type as in tensor<4x?xf32>"),
    ("func.func @f(%a: !t)", "1:20", "the alias '!t' is not defined", "define it in a line of its own: !t = ..."),
    (in_function("%0 = tosa.abs %x, : (tensor<3xf32>) -> tensor<3xf32>"), "2:21", "expected an operand, such as %x, got ':'", SYNTAX_ADVICE),
    (in_function("%0 = tosa.abs %x : (tensor<3xf32>) tensor<3xf32>"), "2:38", "expected '->', got 'tensor'", SYNTAX_ADVICE),
    (in_function('%0 = "tosa.abs"(%x) : tensor<3xf32>'), "2:25", "expected '(types) -> types', got 'tensor'", SYNTAX_ADVICE),
    (in_function("%0 = tosa.abs %x : () -> tensor<3xf32>"), "2:17", "the number of operands is 1, but the number of types is 0", "write a type for each operand"),
    (in_function("%0 = tosa.abs %x : (f32) -> tensor<3xf32>"), "2:17", "operand is used with type f32, but has been previously used or defined with type tensor<3xf32>", "write the type that the value has where it is defined"),
    (in_function("%x = tosa.abs %x : (tensor<3xf32>) -> tensor<3xf32>"), "2:3", "SSA value %x is already defined", "give one of the two another name"),
    (in_function("%0 = tosa.abs %y : (tensor<3xf32>) -> tensor<3xf32>"), "2:17", "%y is used before it is defined", "values are defined above the operations that use them; is the name right?"),
    (in_function("%0 = tosa.const_shape {values = dense<0>} : () -> i1"), "2:43", "the elements have no type", "write the type after them, as in dense<0.0> : tensor<4xf32>"),
    (in_function('%0 = "tosa.abs'), "2:8", "the string has no end", "close it with '\"' in the same line"),
    (in_function("\\"), "2:3", "unexpected '\\'", SYNTAX_ADVICE),
    (constant("dense<300>"), "2:40", "300 does not fit i8", RANGE),
    (constant("dense<-129>"), "2:40", "-129 does not fit i8", RANGE),
    (constant("dense<-0>"), "2:40", "-0 is not a number of i8", "write 0"),
    (constant("dense<1.0>"), "2:40", "expected an integer, because the type is one of integers", "write the number without a fraction, or change the type"),
    (constant("dense<true>"), "2:40", "'true' and 'false' are elements of i1 only", "write a number, or change the type"),
    (constant("dense<x>"), "2:40", "expected a number, or a list of numbers in brackets, got 'x'", "write the elements as in dense<0.0>, dense<[1, 2]> or dense<[[1], [2]]>"),
    (constant("dense<>"), "2:56", "the constant has no elements, but its type has some", AS_MANY),
    (constant("dense<[1, 2]>"), "2:62", "the elements have the shape [2], but the type has [3]", AS_MANY),
    (constant('dense<"0x0102">'), "2:64", "got 2 elements, but the type has 3", AS_MANY),
    (constant("dense<[[1, 2], [3]]>", "2x2xi8"), "2:53", "the lists of elements have different lengths", "give each list as many elements as its neighbours"),
    (constant("dense<0.0>", "?xf32"), "2:60", "Dense literal attribute should have a static shape.", "write the sizes of the constant as numbers"),
    (constant("dense<0.0>", "65536x65536xf32"), "2:47", "a constant of more than 2147483647 elements", "pass it as an argument"),
    (constant('dense<"0x0F">', "10xi1"), "2:39", "a string of 1 byte for 10 elements of i1", "write 10 bytes, or 2 with a bit for each"),
    (constant("dense<0>", "3xf32"), "2:40", "0 is an integer, expected a number of f32", "write 0.0"),
    (constant("dense<[1.0, -2, 3.0]>", "3xf32"), "2:46", "-2 is an integer, expected a number of f32", "write -2.0"),
    (constant("dense<0x7F8000000>", "3xf32"), "2:40", "the bit pattern is wider than f32", "a bit pattern of f32 has 8 digits"),
    (constant(f"dense<{'9' * 100_000}>"), "2:40", "a number of 100000 digits", "write a number that its type holds"),
    (clamp("300 : i8"), "2:33", "300 does not fit i8", RANGE),
    (clamp("-0 : i8"), "2:33", "-0 is not a number of i8", "write 0"),
    (clamp("1.5 : i8"), "2:33", "a number with a fraction has the type i8", "write an integer"),
    (clamp("1 : f32"), "2:33", "1 is an integer, expected a number of f32", "write 1.0"),
    (clamp("0x7F8000000 : f32"), "2:33", "the bit pattern is wider than f32", "a bit pattern of f32 has 8 digits"),
    (clamp("-0x7F800000 : f32"), "2:33", "-0x7F800000 is an integer, expected a number of f32", "write a decimal number"),
    (clamp("1 : none"), "2:33", "a number has the type none", "write 1 : i32 or 1.0 : f32"),
    (in_function("%0 = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape <1>"), "2:83", "a space between !tosa.shape and its parameters", "write !tosa.shape<...>"),
    (in_function("%0 = tosa.clamp %x {a = 1, a = 1} : (tensor<3xf32>) -> tensor<3xf32>"), "2:30", "attribute 'a' is given twice", "remove one"),
    (in_function("%0 = tosa.clamp %x {nan_mode = SKIP} : (tensor<3xf32>) -> tensor<3xf32>"), "2:34", "'nan_mode' expected PROPAGATE or IGNORE, got 'SKIP'", SYNTAX_ADVICE),
    (in_function('%0 = "tosa.clamp"(%x) {a = 1, a = 1} : (tensor<3xf32>) -> tensor<3xf32>'), "2:40", "attribute 'a' is given twice", "remove one"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "where", "message", "advice"), CASES, ids=lambda case: case[:30])
def test_message_and_advice(text, where, message, advice):
    error = refused(text)
    assert (str(error.location), error.message, error.advice) == (
        f"m.mlir:{where}",
        message,
        advice,
    )


def test_a_message_that_is_new_in_xdsl_stays():
    assert explain("who knows", Source("m", "a b"), 2) == ("who knows", SYNTAX_ADVICE)


def test_brackets_in_strings_and_comments_are_not_open():
    text = 'func.func @f() { // {\n  "a{(" -> ()\n'
    message, _ = explain("anything", Source("m", text), len(text))
    assert message == "the text ends without the '}' for the '{' of line 1"
