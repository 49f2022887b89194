"""MLIR text: programs whose types, operators, numbers, lines and words change; random programs."""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from fuzz import calls
from fuzz.edits import edit_bytes, number
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import ROOT, refusal
from random_programs.generator import generate

from hwc.compiler import compile_package
from hwc.dialects.tosa_table import OPERATORS
from hwc.errors import UserError
from hwc.files import decode_source
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from isa.target import load_target

LONGEST = 3000
"""Characters of a program to begin with; long ones are slow."""

_TYPE = re.compile(r"(?:tensor|vector|memref)<[^<>]*>|!tosa\.shape<[^<>]*>")
_NUMBER = re.compile(r"(?<![\w%.#])-?\d+(?:\.\d+(?:e[-+]?\d+)?)?")
_OPERATION = re.compile(r"\b(?:tosa|arith|math|linalg|tensor|func|hwc|scf|builtin)\.\w+")
_WORD = re.compile(r"\w+|[^\w\s]|\s+")

SCALARS = (
    "f32",
    "i32",
    "i16",
    "i8",
    "i1",
    "f16",
    "bf16",
    "f64",
    "i64",
    "i48",
    "index",
    "ui8",
    "none",
)
DIMENSIONS = (
    "?",
    "?",
    "1",
    "2",
    "3",
    "4",
    "0",
    "17",
    "-1",
    "65536",
    "2147483648",
    "99999999999999",
)
TOKENS = (
    *("99999999999999999999999", "0xFFFFFFFFFFFFFFFFFF", "1e400", "nan", "tensor<*xf32>", "-0", "0x7FC00000"),
    *("vector<4xf32>", "!tosa.shape<-1>", "dense_resource<x>", "dense<", "[[[[", "}}}}", "dense<[1, 2]>"),
    *("affine_map<(d0) -> (d0)>", "affine_map<(d0, d1) -> (d1, 0)>", "complex<f32>", '"\\FF"', "\x00", "é"),
    *("!quant.uniform<i8:f32, 1.0>", "// c\n", "^bb0:", "@", "#", "-", "none", "tuple<>", "memref<4xf32>"),
    *("sparse", "strided<[1]>", 'opaque<"a", "b">', "unit", "loc(unknown)", "hwc.strict", "hwc.assume"),
    *('hwc.symbols = ["n", "m"]', "hwc.nonexpanding = array<i64: 0>", "true", "false", "i99999999999"),
    *("{-# #-}", "#a = #a", "!t = !t", "->", "()", "%0:2", "%0#1", ":", "=", ",", '"a" = 1', "private"),
)  # fmt: skip


@cache
def seeds() -> list[bytes]:
    """Return the short programs of the project's tests, good ones and bad ones."""
    found: list[str] = []
    for path in sorted((ROOT / "tests").rglob("*.mlir")):
        if "fuzz" not in path.parts:
            found += re.split(r"^\s*// -----.*$", path.read_text("utf-8"), flags=re.M)
    texts = {re.sub(r"^\s*//.*\n", "", text, flags=re.M).strip() + "\n" for text in found}
    return [text.encode() for text in sorted(texts) if 20 < len(text) < LONGEST]


@cache
def _names() -> tuple[str, ...]:
    """Return the names of operations that programs of the tests use, and all of TOSA's."""
    texts = "\n".join(seed.decode() for seed in seeds())
    return tuple(sorted({*_OPERATION.findall(texts), *(f"tosa.{name}" for name in OPERATORS)}))


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Change a program, or make a random one and perhaps change that."""
    kind = rng.random()
    if kind < 0.02:
        return edit_bytes(rng, rng.choice(cases))
    if kind < 0.06:
        text = generate(rng.randrange(1 << 30)).graph.text()
        if rng.random() < 0.3:
            return text.encode()
    else:
        text = rng.choice(cases).decode("utf-8", "replace")
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        text = _edit(rng, text, cases)
    return text[: 4 * LONGEST].encode("utf-8", "replace")


def _edit(rng: Random, text: str, cases: Sequence[bytes]) -> str:
    match rng.randrange(12):
        case 0 | 1:
            return _replace(rng, text, _TYPE, lambda old: _type(rng, old))
        case 2:  # everywhere, which often leaves a program good
            found = _TYPE.findall(text)
            if not found:
                return text
            old = rng.choice(found)
            return text.replace(old, _type(rng, old))
        case 3:
            scalar, other = rng.choice(SCALARS[:5]), rng.choice(SCALARS)
            return re.sub(rf"(?<=[x<]){scalar}\b", other, text)
        case 4:
            return _replace(rng, text, _OPERATION, lambda _: rng.choice(_names()))
        case 5 | 6:
            return _replace(rng, text, _NUMBER, lambda _: str(number(rng)))
        case 7 | 8:
            return _edit_lines(rng, text, cases)
        case 9:
            return _replace(rng, text, re.compile(r"%\w+"), lambda _: _value(rng, text))
        case _:
            return _edit_words(rng, text)


def _replace(rng: Random, text: str, pattern: re.Pattern[str], new: Any) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = rng.choice(found)
    return text[: match.start()] + new(match[0]) + text[match.end() :]


def _type(rng: Random, old: str) -> str:
    if rng.random() < 0.5 and "<" in old:  # another size or element type
        head, _, rest = old.partition("<")
        parts = rest.rstrip(">").split("x")
        at = rng.randrange(len(parts))
        parts[at] = rng.choice(SCALARS if at == len(parts) - 1 else DIMENSIONS)
        if rng.random() < 0.2:
            parts.insert(0, rng.choice(DIMENSIONS))
        return f"{head}<{'x'.join(parts)}>"
    sizes = [rng.choice(DIMENSIONS) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 7)))]
    return f"tensor<{'x'.join([*sizes, rng.choice(SCALARS)])}>"


def _value(rng: Random, text: str) -> str:
    return rng.choice(re.findall(r"%\w+", text))


def _edit_lines(rng: Random, text: str, cases: Sequence[bytes]) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            donor = rng.choice(cases).decode("utf-8", "replace").split("\n")
            lines.insert(at, rng.choice(donor))
    return "\n".join(lines)


def _edit_words(rng: Random, text: str) -> str:
    words = _WORD.findall(text)
    if not words:
        return rng.choice(TOKENS)
    at, other = rng.randrange(len(words)), rng.randrange(len(words))
    match rng.randrange(5):
        case 0:
            del words[at]
        case 1:
            words.insert(at, words[other])
        case 2:
            words[at] = rng.choice(TOKENS)
        case 3:
            words.insert(at, rng.choice(TOKENS))
        case _:
            words[at], words[other] = words[other], words[at]
    return "".join(words)


@cache
def _target() -> Any:
    return load_target("tiny")


def play(case: bytes, pair: Any) -> str:
    """Compile a program; one that compiles is called."""
    try:
        source = Source("fuzz.mlir", decode_source(case, "fuzz.mlir"))
        package = compile_package(source, _target()).package
    except UserError as error:
        if isinstance(error, LocatedError) and error.location:
            line = error.location.line
            lines = source.text.count("\n") + 1
            if not 1 <= line <= lines or "error: " not in str(error):
                raise Defect(f"an error without its place: {error}") from error
        return refusal(error)
    return calls.play(package, pair)


KIND = Kind("mlir", seeds, draw, play)
