"""Values on the command line: arrays, facts, sizes for `specialize`, pipelines of passes."""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzz.edits import STRINGS, edit_words, number
from fuzz.kinds import Kind
from fuzz.outcomes import refusal

from hwc.cli import opt, values
from hwc.compiler import compile_package, specialize
from hwc.errors import UserError
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from isa.target import load_target

PROGRAM = Source(
    "m.mlir",
    'func.func @main(%a: tensor<?x4xi8> {hwc.symbols = ["n", ""]}, %b: tensor<?x?xi8>)'
    " -> tensor<?x?xi8> {\n"
    "  %0 = tosa.add %a, %b : (tensor<?x4xi8>, tensor<?x?xi8>) -> tensor<?x?xi8>\n"
    "  return %0 : tensor<?x?xi8>\n}\n",
)
_ARGUMENT = re.compile(r"%(\w+): tensor")
_NAMED = re.compile(r'"(\w+)"(?=[^\n]*\])')
_SEEDS = (
    *("value 2x3xf32=1,2,3,4,5,6", "value f32=0x1.8p3", "value random:8x1x4", "value 3xi1=true,0,1"),
    *("value random:2x3xi8", "value 2xi8=0xff,-128", "value 2x2xi16=[[1,2],[3,4]]", "value 0x5xf32"),
    *("value f32=nan", "value 2xf32=inf,-inf", "value @/nowhere.npy", "value random:"),
    *("fact a.0 % 8 == 0", "fact b.0 in {1, a.0}", "fact n == b.0", "fact a.0 <= b.1", "fact b.0 != 1", "fact a.1 == 4"),
    *("fact 1 <= a.0 <= 100", "dims a=4x4,b=1x4", "dims a=?x4", "dims b=1x?", "dims a=scalar"),
    *("pass verify-tosa,normalize-tosa", "pass convert-kernel-to-strip{target=tiny}", "pass canonicalize"),
)  # fmt: skip
WORDS = ("random:", "x", "xf32=", "xi8=", "i1", "f32", "=", ",", "[", "]", "0x", "e9", "nan", "inf",
          "-", "@", "a.0", "b.1", "%", "==", "!=", "<=", "in", "{", "}", "1", "?", " ", ".", "p3")  # fmt: skip


def seeds() -> list[bytes]:
    """Return one value of each form."""
    return [text.encode() for text in _SEEDS]


def fact(rng: Random, text: str) -> str:
    """Return a fact about sizes of a program, in the forms that docs/shapes.md has."""
    arguments = _ARGUMENT.findall(text) or ["a", "b"]
    names = [f"{rng.choice(arguments)}.{rng.randrange(3)}", *_NAMED.findall(text)]

    def size() -> str:
        return rng.choice(names) if rng.random() < 0.6 else str(number(rng))

    def relation() -> str:
        return rng.choice(("==", "!=", "<", "<=", ">", ">="))

    match rng.randrange(6):
        case 0:
            return f"{size()} in {{{', '.join(size() for _ in range(rng.randrange(1, 5)))}}}"
        case 1:
            return f"{size()} % {number(rng)} == {number(rng)}"
        case 2:
            return f"{size()} {relation()} {size()} {relation()} {size()}"
        case _:
            return f"{rng.choice(names)} {relation()} {size()}"


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Edit a value, or put one together from words."""
    if rng.random() < 0.1:
        said = fact(rng, PROGRAM.text)
        return f"fact {edit_words(rng, said) if rng.random() < 0.3 else said}".encode(
            "utf-8", "surrogatepass"
        )
    form, _, text = rng.choice(cases).decode("utf-8", "replace").partition(" ")
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text = edit_words(rng, text)
            case 1:
                text = text[:at] + rng.choice(WORDS) + text[at:]
            case 2:
                text = text[:at] + str(number(rng)) + text[at:]
            case _:
                text = text[:at] + text[at + rng.choice((1, 2, 5)) :]
        if rng.random() < 0.02:
            text = rng.choice(STRINGS)
    return f"{form} {text}".encode("utf-8", "surrogatepass")


def _value(text: str) -> str:
    if "random" in text:  # drawing up to 2^31 numbers is what the user asked for
        return str(values.read(text, "i8").dtype)
    value = values.read(text, "f32")
    if np.prod(value.shape, dtype=object) > 1 << 20:
        return "large"
    return str(value.array(np.random.default_rng(0)).dtype)


@cache
def _target() -> Any:
    return load_target("tiny")


def _fact(text: str) -> str:
    compile_package(PROGRAM, _target(), language=Language(None, None, (text,)))
    return "fact"


def _dims(text: str) -> str:
    specialize(PROGRAM, text)
    return "dims"


def _passes(text: str) -> str:
    return str(len(opt.parse_pipeline(text)))


FORMS: dict[str, Callable[[str], str]] = {
    "value": _value,
    "fact": _fact,
    "dims": _dims,
    "pass": _passes,
}


def play(case: bytes, pair: Any) -> str:
    """Give a value to what reads it."""
    form, _, text = case.decode("utf-8", "surrogatepass").partition(" ")
    try:
        return f"{form} {FORMS.get(form, _value)(text)}"
    except UserError as error:
        return refusal(error, text)


KIND = Kind("value", seeds, draw, play)
