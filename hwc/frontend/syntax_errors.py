"""Explains to the author of a text why the text is not MLIR.

xDSL's messages often talk about its own parser ("in block definition"). `explain` says the same in
terms of the text: what was found, what was expected, and what to do.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hwc.frontend.source import Source

SYNTAX_ADVICE = "write it as mlir-opt 22 prints it, pretty or generic"

_OPENERS = {"{": "}", "(": ")", "[": "]"}
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted> "(?:[^"\\\n]|\\.)*"? )
      | (?P<word> -> | :: | [%@^\#!]?[\w$.-]+ | \S )
    )""",
    re.VERBOSE,
)
_BRACKETS = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|->|[{}()\[\]]')
_BLANK = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z))*")
_NAMES = {"%": "a value", "^": "a block", "#": "an attribute", "!": "a type", "@": "a function"}


class _Rule(NamedTuple):
    """How to reword an xDSL message: a pattern for it, the new message, and the advice.

    The new message may use the groups of the pattern; `{got}` is what was found in the text.
    """

    pattern: str
    message: str
    advice: str = SYNTAX_ADVICE


_RULES = (
    _Rule(r"in block definition", "expected an operation, a block or '}', got {got}"),
    _Rule(r"Could not parse entire input!", "expected an operation, got {got}"),
    _Rule(r"type expected", "expected a type, got {got}"),
    _Rule(r"attribute expected", "expected the value of an attribute, got {got}"),
    _Rule(r"operand expected", "expected an operand, such as %x, got {got}"),
    _Rule(r"function type expected", "expected '(types) -> types', got {got}"),
    _Rule(
        r"Expected ('.*')function type signature expected",
        r"expected \1 in the types of the operation, got {got}",
    ),
    _Rule(r"operation name expected", "expected the name of an operation, got {got}"),
    _Rule(r"Expected argument or type", "expected an argument or a type, got {got}"),
    _Rule(r"expect symbol name", "expected the name of a function, such as @main, got {got}"),
    _Rule(r"Expected region!", "expected a region, '{...}', got {got}"),
    _Rule(
        r"Expected shape type\.",
        "expected the sizes and the element type of a tensor, such as 4x?xf32, got {got}",
    ),
    _Rule(
        r"Expected 'x' in shape delimiter, got .*",
        "expected 'x' between the sizes and the element type of a tensor, got {got}",
        "write the type as in tensor<4x?xf32>",
    ),
    _Rule(
        r"Expected either a float, integer, or complex literal",
        "expected a number, or a list of numbers in brackets, got {got}",
        "write the elements as in dense<0.0>, dense<[1, 2]> or dense<[[1], [2]]>",
    ),
    _Rule(
        r"identifier or string literal expected"
        r"|Expected bare-id or string-literal here as part of attribute entry!",
        "expected the name of an attribute, got {got}",
    ),
    _Rule(
        r"Dense attribute must be typed!|Expected ':' in dense attribute",
        "the elements have no type",
        "write the type after them, as in dense<0.0> : tensor<4xf32>",
    ),
    _Rule(r"Expected SSA value tuple size", "expected the number of results, got {got}"),
    _Rule(
        r"End of file reached before closing string literal\.",
        "the string has no end",
        "close it with '\"' in the same line",
    ),
    _Rule(
        r"Expected three consecutive '\.' for an ellipsis|Unexpected character: .*",
        "unexpected {got}",
    ),
    _Rule(
        r"Operation has (\d+) results, but was given (\d+) to bind\.",
        r"the number of results is \1, but there are \2 names for them",
        "write a name for each result",
    ),
    _Rule(
        r"expected (\d+) operand types but had (\d+)",
        r"the number of operands is \2, but the number of types is \1",
        "write a type for each operand",
    ),
    _Rule(
        r"operand is used with type .*",
        r"\g<0>",
        "write the type that the value has where it is defined",
    ),
    _Rule(
        r"(?:Duplicate key|attribute) ('.*') (?:in .*|is given twice)",
        r"attribute \1 is given twice",
        "remove one",
    ),
    _Rule(r"a number of \d+ digits", r"\g<0>", "write a number that its type holds"),
    _Rule(r"SSA value (%\S+) is already defined", r"\g<0>", "give one of the two another name"),
    _Rule(
        r"undefined symbol alias '(.*)'",
        r"the alias '\1' is not defined",
        r"define it in a line of its own: \1 = ...",
    ),
    _Rule(
        r"Expected integer value|Floating point value is not valid for integer type\.",
        "expected an integer, because the type is one of integers",
        "write the number without a fraction, or change the type",
    ),
    _Rule(
        r"Boolean values are only allowed for i1 types",
        "'true' and 'false' are elements of i1 only",
        "write a number, or change the type",
    ),
    _Rule(
        r"Invalid type given for integer or float attribute\.",
        "a number has the type of an integer or a float",
        "write the type as in 1 : i32 or 1.0 : f32",
    ),
    _Rule(
        r"Dense literal attribute should have a static shape\.?",
        r"\g<0>",
        "write the sizes of the constant as numbers",
    ),
    _Rule(
        r"Tensor literal has inconsistent ranks between elements",
        "the lists of elements have different lengths",
        "give each list as many elements as its neighbours",
    ),
    _Rule(
        r"Expected at least one element in the dense literal, but got None",
        "the constant has no elements, but its type has some",
        "write as many elements as the type has, or one that stands for all",
    ),
    _Rule(
        r"Shape mismatch in dense literal\. Expected (.*) shape from the type, "
        r"but got (.*) shape\.",
        r"the elements have the shape \2, but the type has \1",
        "write as many elements as the type has, or one that stands for all",
    ),
    _Rule(
        r"Shape mismatch in dense literal\. Expected (\d+) elements from the type, "
        r"but got (\d+) elements\.",
        r"got \2 elements, but the type has \1",
        "write as many elements as the type has, or one that stands for all",
    ),
    _Rule(r"[Ee]xpected ('.*?)!?", r"expected \1, got {got}"),
    _Rule(r"'\S+' expected.*", r"\g<0>, got {got}"),
    _Rule(r"Expected (one of .*)", r"expected \1, got {got}"),
    _Rule(r"Expected (integer .*)", r"expected an \1, got {got}"),
)
"""The patterns are compiled only when an error needs them."""


def explain(message: str, source: Source, position: int) -> tuple[str, str]:
    """Return an error message and advice for an xDSL message about a position of a source."""
    text = source.text
    if _BLANK.fullmatch(text):
        return "there is no program: the text is empty", "write func.func @main(...) {...}"
    if _at_end(text, position):
        return _cut_off(source)
    if message.startswith("Expected suffix identifier"):
        prefix = text[position]
        return (
            f"'{prefix}' has no name after it",
            f"{prefix}NAME is {_NAMES[prefix]}; write the name without a space before it",
        )
    if message.startswith("@ identifier expected"):
        return "'@' has no name after it", "@NAME is a function; write the name without a space"
    for rule in _RULES:
        if match := re.fullmatch(rule.pattern, message, re.DOTALL):
            said = match.expand(rule.message).replace("{got}", _found(text, position))
            return said, match.expand(rule.advice)
    return message, SYNTAX_ADVICE


def _at_end(text: str, position: int) -> bool:
    return _BLANK.fullmatch(text, min(position, len(text))) is not None


def _cut_off(source: Source) -> tuple[str, str]:
    """Return message and advice for a text that ends too early: which bracket is still open."""
    open_: list[tuple[str, int]] = []
    for match in _BRACKETS.finditer(source.text):
        bracket = match[0]
        if bracket in _OPENERS:
            open_.append((bracket, match.start()))
        elif open_ and bracket == _OPENERS[open_[-1][0]]:
            open_.pop()
    advice = "is the end of the file missing?"
    if not open_:
        return "the text ends in the middle of an operation", advice
    bracket, start = open_[-1]
    line = source.locate(start).line
    return (
        f"the text ends without the '{_OPENERS[bracket]}' for the '{bracket}' of line {line}",
        f"close it; {advice}",
    )


def _found(text: str, position: int) -> str:
    match = _TOKEN.match(text, position)
    if match is None:
        return "the end of the text"
    return f"'{match['quoted'] or match['word']}'"
