"""Edits that several kinds share: of bytes, of words, of JSON values."""

from __future__ import annotations

import os
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

NUMBERS = (
    *(0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256, 1000, 4095, 4096, 65535),
    *(65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63),
    *((1 << 64) - 1, 1 << 64, 10**15, 10**30, -1, -2, -128, -129, -(1 << 31), -(1 << 63)),
)

STRINGS = (
    *("", " ", "a", "x" * 300, "\x00", "\n", "é", "\ud800", "𐀀", "\u202e", "%s", "{0}", "../x"),
    *("null", "0", "-1", "1e400", "nan", "f32", "i8", "i1", "f99", "main", "input0", "s0", "d0"),
)

VALUES: tuple[Any, ...] = (None, True, False, 1.5, float("1e300"), [], {}, [[]], {"a": 1})


def number(rng: Random) -> int:
    """Draw a number, often at a limit."""
    return rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randrange(1 << rng.randrange(1, 66))


def edit_bytes(rng: Random, data: bytes) -> bytes:
    """Change a few bytes: flip, insert, delete, repeat, cut."""
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not content:
            return rng.randbytes(rng.randrange(20))
        at = rng.randrange(len(content))
        match rng.randrange(6):
            case 0:
                content[at] ^= 1 << rng.randrange(8)
            case 1:
                content[at] = rng.choice(b'\x00\xff \n"0-{}[]:,\\9x')
            case 2:
                del content[at : at + rng.choice((1, 1, 4, 30))]
            case 3:
                content[at:at] = content[at : at + rng.choice((1, 4, 30))]
            case 4:
                content[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
            case _:
                if rng.random() < 0.2:
                    del content[at:]
    return bytes(content)


def edit_json(rng: Random, value: Any) -> Any:
    """Return a JSON value with one part of it changed; every part is as likely as any other."""
    places = list(_places(value))
    if not places or rng.random() < 0.02:
        return deepcopy(rng.choice((*VALUES, *STRINGS, *NUMBERS)))
    holder, key = rng.choice(places)
    old = holder[key]
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1:
            holder[key] = deepcopy(rng.choice((*VALUES, rng.choice(STRINGS), number(rng))))
        case 2 if isinstance(holder, list):
            holder.insert(key, deepcopy(old))
        case 2:
            holder[rng.choice(STRINGS)] = deepcopy(old)
        case 3 | 4:  # what another place has, which is often of the right kind
            other, at = rng.choice(places)
            holder[key] = deepcopy(other[at])
        case 5 if isinstance(holder, list) and len(holder) > 1:
            rng.shuffle(holder)
        case _:
            holder[key] = _like(rng, old)
    return value


def _like(rng: Random, old: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(old, bool) or old is None:
        return deepcopy(rng.choice(VALUES))
    if isinstance(old, int):
        return rng.choice((old + 1, old - 1, old * 2, -old, number(rng)))
    if isinstance(old, str):
        return edit_words(rng, old)
    return deepcopy(rng.choice(VALUES))


def edit_words(rng: Random, text: str) -> str:
    """Change a number or a character of a string."""
    if not text or rng.random() < 0.3:
        return rng.choice(STRINGS)
    at = rng.randrange(len(text))
    if text[at].isdecimal() and rng.random() < 0.7:
        return text[:at] + str(number(rng)) + text[at + 1 :]
    insert = rng.choice(("", text[at] * 2, rng.choice(STRINGS), rng.choice("()[],=-x ")))
    return text[:at] + insert + text[at + 1 :]


def _places(value: Any) -> Any:
    """Yield every place in a JSON value: the list or the object that holds it, and its key."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@cache
def _scratch(_: int) -> Path:
    if hasattr(os, "memfd_create"):
        return Path(f"/proc/self/fd/{os.memfd_create('fuzz')}")
    handle, path = tempfile.mkstemp(prefix="hwc-fuzz-")
    os.close(handle)
    return Path(path)


def scratch() -> Path:
    """Return a file of this process, in memory where there are such files."""
    return _scratch(os.getpid())
