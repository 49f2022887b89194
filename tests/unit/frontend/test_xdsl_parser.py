"""The private names of xDSL that hwc needs: each is as expected, or the test says what broke.

`hwc/frontend/xdsl_parser.py` is the only module that may use such names. If a test here fails after
xDSL was updated, its message says what hwc used the name for.
"""

import ast
import inspect
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from xdsl.parser import AttrParser, Parser, ParserState
from xdsl.utils.mlir_lexer import MLIRLexer

import hwc
from hwc.dialects import make_context
from hwc.frontend import xdsl_parser
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.frontend.xdsl_parser import LocatingParser

METHODS = {
    (Parser, "_get_op_by_name"): (
        ["self", "name"],
        "it is overridden, to say at an unknown operation why hwc does not support it",
    ),
    (Parser, "_parse_alias_def"): (
        ["self"],
        "it is overridden, to skip `#name = loc(...)`",
    ),
    (Parser, "_parse_op_result_list"): (
        ["self"],
        "it is overridden, to note where the name of an operation starts: after its results",
    ),
    (Parser, "_register_ssa_definition"): (
        ["self", "name", "values", "span"],
        "it is overridden, to note where the argument of a function is written",
    ),
    (AttrParser, "_parse_attribute_type"): (
        ["self"],
        "it is called, to read the type of a number",
    ),
    (AttrParser, "_parse_extended_type_or_attribute"): (
        ["self", "attr_or_dialect_name", "is_type"],
        "it is overridden, to refuse a space before the parameters, as MLIR does",
    ),
    (Parser, "_parse_external_resources"): (
        ["self"],
        "it is overridden, to skip what other tools note about themselves",
    ),
    (Parser, "_parse_resource"): (
        ["self", "dialect_name", "interface"],
        "it is overridden, to read the elements of constants from the end of the text",
    ),
    (AttrParser, "_parse_dialect_resource_handle"): (
        ["self", "dialect_name", "interface"],
        "it is overridden, to note where a resource is named, and in this text only",
    ),
    (AttrParser, "_parse_token"): (
        ["self", "expected_kind", "error_msg"],
        "it is called, to read the string of a resource",
    ),
    (MLIRLexer, "_lex_string_literal"): (
        ["self", "start_pos"],
        "it is overridden, to read escaped bytes that are letters as a string",
    ),
    (MLIRLexer, "_lex_number"): (
        ["self", "start_pos"],
        "it is overridden, to refuse a number of thousands of digits, which Python does not read",
    ),
    (AttrParser, "_parse_dense_literal_type"): (
        ["self"],
        "it is overridden, to refuse constants that would exhaust the memory",
    ),
    (AttrParser, "_parse_optional_integer_or_float_type"): (
        ["self"],
        "it is overridden, to refuse integers of so many bits that a check of one takes seconds",
    ),
    (AttrParser, "_parse_tensor_literal_element"): (
        ["self"],
        "it is overridden, to read `0x7FC00000` as a bit pattern in a constant of floats",
    ),
    (AttrParser, "_consume_token"): (
        ["self", "expected_kind"],
        "it is called, to skip the tokens of a location",
    ),
    (AttrParser, "_resume_from"): (
        ["self", "pos"],
        "it is called, to read an alias or a constant again from its start",
    ),
    (AttrParser._TensorLiteralElement, "to_type"): (
        ["self", "parser", "type"],
        "it is overridden, to read bit patterns and to refuse numbers that do not fit their type",
    ),
}
"""Method -> (its parameters, how hwc uses it)."""

OTHERS = {
    "_parser_state": "the state is replaced by one with hwc's lexer",
    "_TensorLiteralElement": "hwc has a subclass of it for the numbers in constants",
    "_unescaped_characters_regex": "the lexer's pattern of a string is replaced by a faster one",
}
"""Names that are not methods -> how hwc uses them."""


def broken(name, use, found):
    return (
        f"xDSL {version('xdsl')} changed its private name {name}. In hwc/frontend/xdsl_parser.py "
        f"{use}. {found}"
    )


@pytest.mark.parametrize(
    ("owner", "name"), METHODS, ids=lambda item: getattr(item, "__name__", item)
)
def test_methods_take_what_hwc_gives_them(owner, name):
    parameters, use = METHODS[owner, name]
    method = getattr(owner, name, None)
    assert method is not None, broken(name, use, "It no longer exists.")
    found = list(inspect.signature(method).parameters)
    assert found == parameters, broken(name, use, f"Its parameters are {found}, not {parameters}.")


def test_the_state_of_the_parser_is_in_one_field():
    parser = Parser(make_context(), "1")
    found = isinstance(getattr(parser, "_parser_state", None), ParserState)
    assert found, broken("_parser_state", OTHERS["_parser_state"], "It is not a ParserState.")


def test_the_number_of_a_constant_is_made_of_three_fields():
    fields = list(inspect.signature(AttrParser._TensorLiteralElement).parameters)
    expected = ["is_negative", "value", "span"]
    assert fields == expected, broken(
        "_TensorLiteralElement", OTHERS["_TensorLiteralElement"], f"Its fields are {fields}."
    )


def test_the_pattern_of_a_string_accepts_what_the_pattern_of_xdsl_accepts():
    ours = xdsl_parser._Lexer._unescaped_characters_regex
    theirs = getattr(MLIRLexer, "_unescaped_characters_regex", None)
    use = OTHERS["_unescaped_characters_regex"]
    assert isinstance(theirs, re.Pattern), broken(
        "_unescaped_characters_regex", use, "It is not a regular expression."
    )
    for text in ('"a"', '""', r'"\""', r'"\n\t\\"', r'"\0A"', r'"\q"', '"a', '"\n"', r'"\"', 'a"'):
        same = bool(ours.match(text)) == bool(theirs.match(text))
        assert same, broken("_unescaped_characters_regex", use, f"They differ for {text}.")


def parse(text):
    return LocatingParser(make_context(), Source("m.mlir", text)).parse_module()


BEHAVIOUR = {
    "_parse_op_result_list": (
        '%a,\n  %b = "test.op"() : () -> (i1, i1)',
        "m.mlir:2:8: error: unknown operation 'test.op'",
        "the location of an operation is not the location of its name",
    ),
    "_get_op_by_name": (
        "tosa.conv2d",
        "m.mlir:1:1: error: 'tosa.conv2d' is not supported: it is not element-wise",
        "an unknown operation does not say why hwc does not support it",
    ),
    "_unescaped_characters_regex": (
        '"' + "a" * 5000,
        "End of file reached before closing string literal",
        "a string without an end does not end the lexer",
    ),
    "_parse_optional_integer_or_float_type": (
        '"builtin.module"() {a = -128 : i8443066129} : () -> ()',
        "an integer of 8443066129 bits, expected at most 128",
        "an integer of very many bits is not refused",
    ),
    "_parse_dense_literal_type": (
        '"builtin.module"() {a = dense<[0]> : tensor<65536x4096xi8>} : () -> ()',
        "a constant of more than 16777216 elements",
        "a constant that would exhaust the memory is not refused",
    ),
    "_lex_number": (
        "9" * 5000,
        "a number of 5000 digits",
        "a number that Python does not convert is not refused",
    ),
    "_parse_extended_type_or_attribute": (
        "func.func @f(%a: !tosa.shape <2>)",
        "m.mlir:1:30: error: a space between !tosa.shape and its parameters",
        "a space before the parameters of a type is not refused",
    ),
    "_parse_external_resources": (
        "builtin.module {}\n{-# external_resources: { a: { b: 1 } }, other: {} #-}",
        "got an unexpected key in file metadata: other",
        "what other tools note about themselves is not skipped",
    ),
    "_parse_resource": (
        'builtin.module {}\n{-# dialect_resources: { builtin: { a: "0x" } } #-}',
        "error: the resource 'a' has no data",
        "the elements of constants at the end of a text are not read",
    ),
    "_parse_dialect_resource_handle": (
        '"builtin.module"() {a = dense_resource<b> : tensor<1xi8>} : () -> ()',
        "there is no resource 'b'",
        "a resource is not looked for in its text",
    ),
    "_parse_token": (
        "builtin.module {}\n{-# dialect_resources: { builtin: { a: 1 } } #-}",
        "expected a blob",
        "a resource that is no string is not refused",
    ),
    "_parse_attribute_type": (
        '"builtin.module"() {a = 300 : i8} : () -> ()',
        "m.mlir:1:25: error: 300 does not fit i8",
        "the type of a number is not read",
    ),
    "to_type": (
        '"builtin.module"() {a = dense<300> : tensor<1xi8>} : () -> ()',
        "300 does not fit i8",
        "a number that does not fit its type is not refused",
    ),
}
"""Private name -> (text, part of the error, what broke if the error differs)."""


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_overridden_names_are_called(name):
    text, message, otherwise = BEHAVIOUR[name]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - xDSL's errors and hwc's
        parse(text)
    assert message in str(caught.value), (
        f"xDSL {version('xdsl')} no longer calls {name} as hwc expects: {otherwise}"
    )


def test_arguments_have_locations():
    module = parse("func.func @f(%a: i32,\n    %b: i32) {\n  return\n}")
    (function,) = module.ops
    lines = [str(argument.location) for argument in function.regions[0].block.args]
    assert lines == ['loc("m.mlir":1:14)', 'loc("m.mlir":2:5)'], broken(
        "_register_ssa_definition", METHODS[Parser, "_register_ssa_definition"][1], lines
    )


def test_locations_are_skipped():
    module = parse(
        '#here = loc("a":1:2)\nfunc.func @f() {\n  return loc(#here)\n} loc(fused[#here])'
    )
    lines = [str(op.location) for op in module.walk() if op is not module]
    assert lines == ['loc("m.mlir":2:1)', 'loc("m.mlir":3:3)'], broken(
        "_parse_alias_def", METHODS[Parser, "_parse_alias_def"][1], lines
    )


def test_bit_patterns_are_read():
    for values in ("dense<0x7F800000> : tensor<1xf32>", 'dense<"0x0000807F"> : tensor<1xf32>'):
        attribute = LocatingParser(make_context(), Source("m", values)).parse_attribute()
        assert attribute.get_values() == (float("inf"),), broken(
            "_parse_tensor_literal_element",
            METHODS[AttrParser, "_parse_tensor_literal_element"][1],
            f"{values} is read as {attribute}.",
        )


def private_names(path):
    """Return the private names that a module reads or overrides."""
    tree = ast.parse(path.read_text())
    names = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names |= {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            for assignment in node.body:
                if isinstance(assignment, ast.Assign):
                    names |= {t.id for t in assignment.targets if isinstance(t, ast.Name)}
    return {n for n in names if n.startswith("_") and not n.startswith("__")}


def test_every_private_name_of_xdsl_is_listed_here():
    of_xdsl = {n for c in (Parser, MLIRLexer) for n in dir(c)} | {"_parser_state"}
    listed = {name for _, name in METHODS if name.startswith("_")} | set(OTHERS)
    path = Path(xdsl_parser.__file__)
    assert private_names(path) & of_xdsl == listed


def test_no_other_module_uses_private_names_of_xdsl():
    of_xdsl = {n for c in (Parser, MLIRLexer) for n in dir(c)} | {"_parser_state"}
    for path in Path(hwc.__file__).parent.rglob("*.py"):
        if path != Path(xdsl_parser.__file__):
            used = private_names(path) & {n for n in of_xdsl if not n.startswith("__")}
            assert not used, f"{path} uses {used}: such names belong into xdsl_parser.py"


def test_a_located_error_names_the_file():
    with pytest.raises(LocatedError, match="m.mlir:1:1: error: unknown operation 'a.b'"):
        parse("a.b")
