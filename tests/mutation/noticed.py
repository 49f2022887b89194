"""What a failing test said first, in a few words that are the same in every run."""

from __future__ import annotations

import re

_BEGIN, _END = 40, 60
"""Characters that a row of the list has room for, of the beginning and the end of a text."""
_MOST = 4
"""Kinds of differences that it has room for."""

_ASSERTION = re.compile(r"%Error: .*?(\w+)\.sv:\d+: Assertion failed in [^:]*(?::\d+)?: ([^\\\n]*)")
_DIFFERENCE = re.compile(r"^dispatch \d+: (.*)$", re.M)
# In the order of how much they say. What a bench says under cocotb stands behind cocotb's times.
_WORDED = (
    re.compile(r"^ {8,}AssertionError: (.*)$", re.M),
    re.compile(r"^E +(?:AssertionError|Failed): (?!assert )(.+)$", re.M),
    re.compile(r"^> +(.*assert.*)$", re.M),
)

# In the order in which they are told.
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
    """Return what pytest's output tells of the first failure, "" if nothing.

    An assertion of the hardware comes first. Of a lockstep case the kinds of what differs are told.
    """
    assertion = _ASSERTION.search(output)
    if assertion:
        words = assertion[2].partition(" (the simulator takes")[0]
        return _short(f"assertion of {assertion[1]}: {words}")
    differences = _DIFFERENCE.findall(output)
    if differences:
        kinds = list(dict.fromkeys(_kinds(differences)))
        return ", ".join(kinds[:_MOST] + ["…"] * (len(kinds) > _MOST))
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
    """Keep a text from ending a cell of a table; of a long one the beginning and the end."""
    text = text.replace("|", "/").strip()
    if len(text) <= _BEGIN + _END:
        return text
    return f"{text[:_BEGIN].rpartition(' ')[0]} … {text[-_END:].partition(' ')[2]}"
