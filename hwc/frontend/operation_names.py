"""Finds the names of operations in a text without parsing the text.

The parser stops at the first unknown operation, because it does not know the operation's syntax.
The names of the other operations can still be found: a name follows the operation's results, or
begins a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hwc.frontend.old_names import name_today

_NAME = r"[A-Za-z_][\w$]*(?:\.[\w$]+)+"
_OPERATION = re.compile(
    rf"""
      //[^\n]*
    | (?: ^[ \t]* | %[\w$.-]+ (?: :[0-9]+ )? \s*=\s* )
      (?: (?P<generic>"{_NAME}") \s*\(
        | (?P<pretty>{_NAME}) (?! [\w$.] | \s*[=,:}}\]>] )
        | (?P<call>call) \s+@
        | (?P<bare>[a-z][a-z0-9_]*) [ \t]+ (?: [@%(\d] | dense | true | false ) )
    | "(?:[^"\\\n]|\\.)*"
    """,
    re.VERBOSE | re.MULTILINE,
)
"""A comment, an operation or a string; comments and strings may hold text like an operation."""

_ENDS = frozenset({"yield", "condition", "return", "terminator", "break", "continue"})


def operation_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield the position and the name of every operation with a dialect in its name, and of calls.

    Old names of operations have no dialect; `func @f` and `%0 = addf %a, %b` are two of them.

    Terminators of regions are left out: they belong to the operations around them.
    """
    for match in _OPERATION.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        name = match[kind].strip('"')
        if kind == "bare" and name_today(name) is None:
            continue
        if name.rpartition(".")[2] not in _ENDS:
            yield match.start(kind), name
