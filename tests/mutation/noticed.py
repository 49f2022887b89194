"""The first message of a failing test, in a few words that are the same in every run."""

from __future__ import annotations

import re

_BEGIN, _END = 40, 60
"""Characters that a row of the list has room for, of the beginning and the end of a text."""
_MOST = 4
"""Kinds of differences that it has room for."""

_DUMP = re.compile(r":? *\b[A-Z]\w*\(\w+=.*")
"""A Python structure in a test's message, and what follows it."""

_ASSERTION = re.compile(r"%Error: .*?(\w+)\.sv:\d+: Assertion failed in [^:]*(?::\d+)?: ([^\\\n]*)")
_DIFFERENCE = re.compile(r"^dispatch \d+: (.*)$", re.M)
# In the order of how much they say. Under cocotb, a bench's words are indented further.
_WORDED = (
    re.compile(r"^ {8,}AssertionError: (.*)$", re.M),
    re.compile(r"^E +(?:AssertionError|Failed): (?!assert )(.+)$", re.M),
    re.compile(r"^> +(.*assert.*)$", re.M),
)

# In the order in which they are reported.
_KINDS = {
    r"fault \(": "the fault",
    r"\d+ bytes? of memory": "memory",
    r"counter (\w+)": "counter {}",
    r"the first strip that differs: [^,]+, [^,]+, (\w+)": "the time of a strip in {}",
    r".*does not come to an end": "no end",
    r".*stopped by itself": "the hardware stopped",
    r"the hardware saw an error on the bus": "an error on the bus",
    r"status": "the status",
}


def noticed(output: str) -> str:
    """Return what pytest's output says about the first failure, "" if it says nothing.

    An assertion of the hardware comes first. For a lockstep case, say what kinds of things differ.
    """
    assertion = _ASSERTION.search(output)
    if assertion:
        words = assertion[2].partition(" (the simulator takes")[0]
        return _short(f"assertion in {assertion[1]}: {words}")
    differences = _DIFFERENCE.findall(output)
    if differences:
        kinds = list(dict.fromkeys(_kinds(differences)))
        return "differs: " + ", ".join(kinds[:_MOST] + ["…"] * (len(kinds) > _MOST))
    for pattern in _WORDED:
        found = pattern.search(output)
        if found:
            return _short(found[1])
    return ""


def _kinds(differences: list[str]) -> list[str]:
    told: list[str] = []
    for pattern, words in _KINDS.items():
        found = (re.match(pattern, text) for text in differences)
        told += [words.format(*match.groups()) for match in found if match]
    return told


def _short(text: str) -> str:
    """Leave out dumps of structures; of a long text keep the beginning and the end.

    The text must not end a cell of a table.
    """
    text = _DUMP.sub("", text).replace("|", "/").strip()
    if len(text) <= _BEGIN + _END:
        return text
    return f"{text[:_BEGIN].rpartition(' ')[0]} … {text[-_END:].partition(' ')[2]}"
