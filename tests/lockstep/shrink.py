"""Makes a dispatch that differs smaller: fewer kernels, streams and instructions, smaller sizes.

A smaller dispatch need not stay legal: simulator and hardware have to agree on every dispatch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import TypeAlias

from isa.encode import Decoded, decode, encode
from isa.errors import DecodeError
from isa.load import load
from isa.operands import immediate_code
from rtl_models.tb.random_dispatches import Dispatch

Edits: TypeAlias = Mapping[int, int | None]
"""The replacement of each edited word, by its number in the drawn program; None drops it."""

SECONDS = 90.0
"""Seconds in which smaller dispatches are tried."""


def edited(dispatch: Dispatch, edits: Edits) -> Dispatch:
    """The dispatch with its edited words."""
    words = [edits.get(at, word) for at, word in enumerate(dispatch.words)]
    return dataclasses.replace(dispatch, words=[word for word in words if word is not None])


def shrink(
    dispatch: Dispatch, differs: Callable[[Dispatch], bool], seconds: float = SECONDS
) -> dict[int, int | None]:
    """Edits after which the dispatch still differs, but with no further single edit."""
    edits: dict[int, int | None] = {}
    end = monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for tried in _candidates(dispatch, edits):
            if monotonic() > end:
                return edits
            merged = {**edits, **tried}
            if merged != edits and differs(edited(dispatch, merged)):
                edits = merged
                progress = True
    return edits


def _candidates(dispatch: Dispatch, edits: dict[int, int | None]) -> Iterator[Edits]:
    """Edits to try, the largest first; a later round sees the edits made meanwhile."""
    left = [at for at, _ in enumerate(dispatch.words) if edits.get(at, 0) is not None]
    words = {at: edits.get(at) or dispatch.words[at] for at in left}
    found = {at: entry for at, word in words.items() if (entry := _decoded(word)) is not None}
    yield from _kernels(found)
    length = len(left) // 2
    while length:
        for first in range(0, len(left), length):
            yield dict.fromkeys(left[first : first + length])
        length //= 2
    yield from _streams(found)
    yield from _operands(found)
    yield from _results(found)
    yield from _sizes(found, dispatch.packet)


def _decoded(word: int) -> Decoded | None:
    try:
        return decode(word)
    except DecodeError:
        return None


def _kernels(found: Mapping[int, Decoded]) -> Iterator[Edits]:
    """Whole kernels."""
    kernel: list[int] = []
    for at, entry in found.items():
        kernel.append(at)
        if entry.name == "end":
            yield dict.fromkeys(kernel)
            kernel = []


def _streams(found: Mapping[int, Decoded]) -> Iterator[Edits]:
    """All words of a stream; its readers read the immediate instead."""
    for code in sorted({e.fields["stream"] for e in found.values() if "stream" in e.fields}):
        edits: dict[int, int | None] = {}
        for at, entry in found.items():
            if entry.fields.get("stream") == code or entry.fields.get("dst") == code:
                edits[at] = None
            elif code in entry.sources:
                edits[at] = _constant(entry, code)
        yield edits


def _operands(found: Mapping[int, Decoded]) -> Iterator[Edits]:
    for at, entry in found.items():
        for code in sorted(set(entry.sources) - {immediate_code()}):
            yield {at: _constant(entry, code)}


def _results(found: Mapping[int, Decoded]) -> Iterator[Edits]:
    """Another instruction of a body writes an output instead of the one that writes it."""
    outputs = load().operands["output"]
    body: list[int] = []
    for at, entry in found.items():
        if "dst" in entry.fields:
            body.append(at)
            continue
        writers = [i for i in body if outputs.holds(found[i].fields["dst"])]
        for writer in writers:
            for other in (i for i in body if i not in writers):
                fields = {**found[other].fields, "dst": found[writer].fields["dst"]}
                yield {other: encode(found[other].name, **fields), writer: None}
        body = []


def _constant(entry: Decoded, code: int) -> int:
    """The instruction with the immediate instead of an operand."""
    fields = dict(entry.fields)
    fields.update({n: immediate_code() for n in entry.instruction.operands if fields[n] == code})
    return encode(entry.name, **fields)


def _sizes(found: Mapping[int, Decoded], packet: list[int]) -> Iterator[Edits]:
    """Sizes of one value, all at once, so that they still fit each other."""
    value_of = {at: _value(entry, packet) for at, entry in found.items() if entry.name == "size"}
    for value in sorted(set(value_of.values()), reverse=True):
        for smaller in dict.fromkeys((1, 2, 3, value // 2, value - value // 8, value - 1)):
            if 0 < smaller < value:
                yield {
                    at: encode("size", **{**found[at].fields, "from_param": 0, "value": smaller})
                    for at, own in value_of.items()
                    if own == value
                }


def _value(entry: Decoded, packet: list[int]) -> int:
    value = entry.fields["value"]
    if not entry.fields["from_param"]:
        return value
    return packet[value + 1] if value + 1 < len(packet) else 0


def as_options(edits: Edits) -> list[str]:
    """Options of `lockstep.replay` that give the edits."""
    dropped = [at for at, word in sorted(edits.items()) if word is None]
    options = [f"--drop={_ranges(dropped)}"] if dropped else []
    return options + [f"--word={at}:{word:#x}" for at, word in edits.items() if word is not None]


def from_options(drop: str, words: list[str]) -> dict[int, int | None]:
    """The edits that options give."""
    edits: dict[int, int | None] = {}
    for part in filter(None, drop.split(",")):
        first, _, last = part.partition("-")
        edits.update(dict.fromkeys(range(int(first), int(last or first) + 1)))
    for text in words:
        at, _, word = text.partition(":")
        edits[int(at)] = int(word, 16)
    return edits


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)
