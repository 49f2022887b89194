"""MLIR text: programs whose types, operators, numbers, lines and words change; random programs."""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

from fuzz import calls
from fuzz.edits import edit_bytes, number
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import refusal
from fuzz.texts import LONGEST, programs, random_program

from hwc import package as hwx
from hwc.compiler import compile_package
from hwc.dialects import DIALECTS
from hwc.dialects.tosa_table import OPERATORS
from hwc.errors import UserError
from hwc.files import decode_program
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Location, Source
from hwc.package import Package
from isa.target import load_target

_TYPE = re.compile(r"(?:tensor|vector|memref)<[^<>]*>|!tosa\.shape<[^<>]*>")
_NUMBER = re.compile(r"(?<![\w%.#])-?\d+(?:\.\d+(?:e[-+]?\d+)?)?")
_OPERATION = re.compile(
    r"\b(?:tosa|arith|math|linalg|tensor|func|hwc|kernel|strip|scf|cf|builtin)\.\w+(?:\.\w+)?"
)
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
    *("kernel.size", "s0 = dim(argument 0, dimension 0)", "d0 = broadcast(s0, s1)", "[4, r0] = reshape(s0, 5)"),
    *("equal(s0, 4)", "strict(s0, s1)", "among(s0, [1, 4])", "congruent(s0, 8, 0)", "within(s0, 1, 64)", "size(s0)"),
    *("s0 = element(argument 0, [0])", "n0 = subi(s0, 5)", "[s0]", "[s0, 4]", "[]", "[d0, d1]", "positions"),
    *('in dimension 0 of "tosa.add"', 'from "tosa.add", "tosa.exp"', 'or "keep" {', '"fused" {', ": v0", ": o0"),
    *("!strip.reg<s0>", "!strip.reg<o9>", "!strip.reg<imm>", "#kernel.step<equal(s0, s1)>", "strip.imm 0xFFFFFFFF"),
    *('hwc.assume = ["a.n % 8 == 0"]', 'hwc.broadcast = "strict"', 'hwc.ranks = "equal"', 'hwc.symbols = ["", "n"]'),
    *('attrs = {source = "tosa.add"}', "inferred = 0 : i64", '"hwc.broadcast"', '"hwc.reshape"', "linalg.index 0 : index"),
    *('iterator_types = ["parallel"]', '"reduction"', "permutation = array<i64: 0>", "dimensions = [0]", "linalg.yield"),
    *("tensor.empty() : tensor<4xf32>", "output_shape [4, 1]", "[[0, 1]]", "into", "to", "fastmath<fast>", "olt", "slt"),
    *("overflow<nsw>", "index", "i64", "affine_map<(d0) -> (0)>", "affine_map<(d0)[s0] -> (d0 + s0)>", "step", "source"),
)  # fmt: skip


@cache
def seeds() -> list[bytes]:
    """Return the short programs of the project's tests, good ones and bad ones, and of its pages."""
    return [text.encode() for text in programs()]


@cache
def _names() -> tuple[str, ...]:
    """Return the names of operations that programs of the tests use, and all of ours and TOSA's."""
    found = {*_OPERATION.findall("\n".join(programs())), *(f"tosa.{name}" for name in OPERATORS)}
    for path in DIALECTS.values():
        module, _, name = path.partition(":")
        found.update(op.name for op in getattr(import_module(module), name).operations)
    return tuple(sorted(found))


def _operation(rng: Random, old: str) -> str:
    """Return another name of an operation, rather of the same dialect."""
    own = tuple(name for name in _names() if name.startswith(f"{old.partition('.')[0]}."))
    return rng.choice(own if own and rng.random() < 0.7 else _names())


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Change a program, or make a random one and perhaps change that."""
    kind = rng.random()
    if kind < 0.02:
        return edit_bytes(rng, rng.choice(cases))
    if kind >= 0.06:
        return edited(rng, pick(rng, cases), cases)
    text = random_program(rng)
    return text.encode() if rng.random() < 0.3 else edited(rng, text, cases)


def pick(rng: Random, cases: Sequence[bytes]) -> str:
    """Return one of the cases as text."""
    return rng.choice(cases).decode("utf-8", "replace")


def edited(rng: Random, text: str, cases: Sequence[bytes]) -> bytes:
    """Return a program with a few edits; lines may come from other cases."""
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
            return _replace(rng, text, _OPERATION, lambda old: _operation(rng, old))
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


def text_of(case: bytes) -> str | bytes:
    """Return the text of a case, or the bytes of one that is a flatbuffer or bytecode.

    Raises:
        UserError: the case is no text.
    """
    return decode_program(case, "fuzz.mlir")


def compiled(case: bytes) -> Package | str:
    """Compile a program; return what it is refused for, if it is."""
    text: str | bytes = ""
    try:
        text = text_of(case)
        return compile_package(Source("fuzz.mlir", text), _target()).package
    except UserError as error:
        if isinstance(error, LocatedError) and error.location:
            lines = text.count("\n") + 1 if isinstance(text, str) else 0
            where = error.location
            placed = not isinstance(where, Location) or 1 <= where.line <= lines
            if not placed or "error: " not in str(error):
                raise Defect(f"an error without its place: {error}") from error
        return refusal(error)


def called(package: Package, pair: Any) -> str:
    """Write and read a package, and call it."""
    again = hwx.from_bytes(hwx.to_bytes(package), "again")
    if again != package:
        raise Defect("a package is not read back as it was")
    return calls.play(package, pair)


def play(case: bytes, pair: Any) -> str:
    """Compile a program; one that compiles is called."""
    package = compiled(case)
    return package if isinstance(package, str) else called(package, pair)


KIND = Kind("mlir", seeds, draw, play)
