"""Finding the names of operations in a text without parsing it.

The parser stops at the first operation that it does not know, because it does not know the syntax
of that operation. The names of the others can still be found: a name follows its results, or begins
a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"[A-Za-z_][\w$]*(?:\.[\w$]+)+"
_OPERATION = re.compile(
    rf"""
      //[^\n]*
    | (?: ^[ \t]* | %[\w$.-]+ (?: :[0-9]+ )? \s*=\s* )
      (?: (?P<generic>"{_NAME}") \s*\(
        | (?P<pretty>{_NAME}) (?! [\w$.] | \s*[=,:}}\]>] )
        | (?P<call>call) \s+@ )
    | "(?:[^"\\\n]|\\.)*"
    """,
    re.VERBOSE | re.MULTILINE,
)
"""A comment, an operation or a string; what looks like an operation in the others is none."""

_ENDS = frozenset({"yield", "condition", "return", "terminator", "break", "continue"})


def operation_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield the position and the name of every operation with a dialect in its name, and of calls.

    The ends of regions are left out: they belong to the operations around them.
    """
    for match in _OPERATION.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        name = match[kind].strip('"')
        if name.rpartition(".")[2] not in _ENDS:
            yield match.start(kind), name
