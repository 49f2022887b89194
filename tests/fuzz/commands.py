"""Command lines of `hwc` and `hwc-opt` with options, facts, libraries and texts, run in this process.

A case is a command line, and after lines of `-----8<-----` the texts of its files, which the
command line calls `{1}`, `{2}` and so on. `{p0}`, `{p1}`, ... are packages.
"""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz import assembly, mlir, packages
from fuzz.edits import edit_words
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import refusal
from fuzz.texts import programs, random_program, random_stage
from fuzz.values import WORDS, fact

from hwc.cli import main, opt
from hwc.dialects.upstream_arith import Arith
from hwc.dialects.upstream_math import Math
from hwc.errors import UserError
from hwc.pipeline import PASSES

_SEPARATOR = "\n-----8<-----\n"
_PLACE = re.compile(r"\{(\w+)\}")
_SLOW = re.compile(r"\d{4}")
_LEFT_OUT = re.compile(r"cosim|bench|rtl")
"""What a case leaves out: hardware that would have to be built, and calls in any number."""

MODEL = """func.func @main(%x: tensor<?x?x{0}> {{hwc.symbols = ["n", "d"]}}, %y: tensor<?x{0}>) -> tensor<?x?x{1}> {{
  %0 = tosa.custom %x, %y {{domain_name = "my", implementation_attrs = "", operator_name = "f"}} : (tensor<?x?x{0}>, tensor<?x{0}>) -> tensor<?x?x{1}>
  return %0 : tensor<?x?x{1}>
}}
"""
"""A program with an operator of a library, for an element type of operands and one of results."""

_SEEDS = (
    ("hwc compile {1} --target tiny -o -",),
    ("hwc compile {1} --target tiny --emit linalg --portable --checks",),
    ("hwc compile {1} -t tiny --emit asm --assume 'a.0 % 8 == 0' --assume 'b.0 in {1, a.0}'",),
    ("hwc compile {1} -t wide --emit vector --broadcast strict --ranks equal --timing",),
    ("hwc compile - --emit kernel --print-ir-after fuse-kernels -v",),
    ("hwc specialize {1} --dims a=4x4,b=1x4 --entry main",),
    ("hwc run {1} --input random:4x4 --input random:1x4 --seed 7 --json",),
    ("hwc run {p1} --input random:4x1 --input 1x4xf32=1,2,3,4 --plan fused --rtol 1e-6",),
    (
        "hwc run {p0} --input 2x2xf32=1 --input 1x2xf32=1,2 --expected-output 2x2xf32=0 --tolerance-ulp 1",
    ),
    ("hwc info {p2} --facts --json",),
    ("hwc info {1}",),
    ("hwc disasm {p1} --plan keep-exp --hex",),
    ("hwc disasm --words {1}",),
    ("hwc targets",),
    ("hwc-opt {1} -p verify-tosa,normalize-tosa --print-op-generic",),
    ("hwc-opt {1} --split-input-file --verify-diagnostics --print-debuginfo",),
    ("hwc-opt - --convert-kernel-to-strip --schedule-strips=target=tiny --allocate-registers",),
)

_OPTIONS = {
    "compile": ("--emit {stage}", "--target {target}", "--portable", "--checks", "--entry {name}", "--library {file}",
                "--broadcast {mode}", "--ranks {mode}", "--assume {fact}", "--print-ir-after {pass}", "--print-ir-after-all", "--timing", "-v", "-q", "-o {file}"),
    "specialize": ("--dims {dims}", "--entry {name}", "--library {file}", "--broadcast {mode}", "--assume {fact}"),
    "run": ("--input {value}", "--seed {number}", "--json", "--plan {plan}", "--output {file}", "--expected-output {value}", "--rtol {number}",
            "--atol {number}", "--tolerance-ulp {number}", "--target {target}", "--assume {fact}", "--library {file}"),
    "info": ("--facts", "--json"),
    "disasm": ("--hex", "--words", "--plan {plan}"),
    "asm": ("--package {package}", "--plan {plan}", "-o -"),
    "opt": ("-p {pipeline}", "--{pass}", "--{pass}=target=tiny", "--split-input-file", "--verify-diagnostics", "--print-op-generic",
            "--print-debuginfo", "--allow-unregistered-dialect", "--print-ir-after {pass}", "--timing", "--list-passes"),
}  # fmt: skip

_WORDS = {
    "stage": ("tosa", "linalg", "kernel", "vector", "asm", "package", "x"),
    "target": ("tiny", "tiny", "accel", "wide", "{1}", "x", ""),
    "name": ("main", "f", "@main", "", "my.f"),
    "file": ("{1}", "{2}", "{2}", "{p0}", "-", "{9}"),
    "mode": ("strict", "numpy", "equal", "pad", "x"),
    "plan": ("fused", "keep-exp", "", "0", "fused,fused", "x"),
    "package": ("{p0}", "{p1}", "{p2}", "{p3}", "{1}"),
    "dims": ("a=4x4,b=1x4", "n=4", "x=4x?", "a0=3x3", "a=", "a=4x4x4", "d=1,n=2"),
    "value": ("random:4x4", "random:1", "4xi32=1,2,3,4", "f32=1.5", "@{1}", "2x2xf32=1,2,3", "[[1,2],[3,4]]", "random:0x3"),
    "number": ("0", "1", "-1", "1e-6", "nan", "inf", "x", "18446744073709551616"),
    "pass": tuple(PASSES),
}  # fmt: skip


@cache
def seeds() -> list[bytes]:
    """Return one command line of each form, with a program, and one with a library."""
    found: list[tuple[str, ...]] = [
        (*words, packages.PROGRAMS[i % 4]) for i, words in enumerate(_SEEDS)
    ]
    found += [
        ("hwc asm {1} --package {p0} -o -", assembly.seeds()[0].decode()),
        ("hwc asm {1} -o -", assembly.seeds()[2].decode()),
    ]
    rng = Random(0)
    for _ in range(8):
        library, types = _library(rng)
        found.append(
            ("hwc compile {1} -t tiny --library {2} --emit kernel", MODEL.format(*types), library)
        )
    return [_SEPARATOR.join(parts).encode() for parts in found]


def _library(rng: Random) -> tuple[str, tuple[str, str]]:
    """Return a private function of scalar operations, and its types: the operands', the result's."""
    kind = rng.choice(("f32", "i32", "i8", "i16", "i1"))
    names = [op.name for op in (*Arith.operations, *Math.operations)]
    lines, result = [], "%y"
    for i in range(rng.randrange(4)):
        operands = ", ".join(
            rng.choice(("%x", "%y", result)) for _ in range(rng.choice((1, 2, 2, 3)))
        )
        lines.append(f"  %{i} = {rng.choice(names)} {operands} : {kind}")
        result = f"%{i}"
    head = f"func.func private @my.f(%x: {kind}, %y: {kind}) -> {kind}"
    return "\n".join((f"{head} {{", *lines, f"  return {result} : {kind}", "}\n")), (kind, kind)


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Write a command line for a new text, or change the command line or a text of a case."""
    line, *texts = rng.choice(cases).decode("utf-8", "replace").split(_SEPARATOR)
    what = rng.random()
    if what < 0.1:
        library, types = _library(rng)
        texts = [MODEL.format(*types), library]
        line = "hwc compile {1} --target tiny --library {2} --emit kernel"
    elif what < 0.2:
        texts = [rng.choice(programs()) if rng.random() < 0.7 else random_program(rng)]
    elif what < 0.3:
        texts = [random_stage(rng)]
    elif texts and what < 0.6:
        at = rng.randrange(len(texts))
        pool = assembly.seeds() if " asm " in line else mlir.seeds()
        texts[at] = mlir.edited(rng, texts[at], pool).decode("utf-8", "replace")
    if rng.random() < 0.75:
        for _ in range(rng.choice((1, 1, 2, 3))):
            line = _edit_line(rng, line, texts)
    return _SEPARATOR.join((line, *texts)).encode("utf-8", "surrogatepass")


def _edit_line(rng: Random, line: str, texts: Sequence[str]) -> str:
    words = line.split(" ")
    command = "opt" if words[0] == "hwc-opt" else words[1] if len(words) > 1 else ""
    at = rng.randrange(len(words))
    match rng.randrange(8):
        case 0 if len(words) > 2:
            del words[at]
        case 1:
            words.insert(at, rng.choice(words))
        case 2:
            words[at] = shlex.quote(edit_words(rng, words[at]).replace("/", ""))
        case 3:
            words[1:2] = [rng.choice((*_OPTIONS, "targets"))]
        case _:
            options = _OPTIONS.get(command, _OPTIONS["compile"])
            words += _PLACE.sub(lambda m: _word(rng, m[1], texts), rng.choice(options)).split(" ")
    return " ".join(words)


def _word(rng: Random, kind: str, texts: Sequence[str]) -> str:
    if kind == "fact":
        return shlex.quote(fact(rng, texts[0] if texts else ""))
    if kind == "pipeline":
        chosen = ",".join(rng.choice(list(PASSES)) for _ in range(rng.randrange(1, 4)))
        return shlex.quote(
            rng.choice((chosen, f"builtin.module({chosen})", f"{chosen}{{target=tiny}}"))
        )
    if kind in ("dims", "value") and rng.random() < 0.3:
        return shlex.quote(edit_words(rng, rng.choice((*_WORDS[kind], *WORDS))).replace("/", ""))
    return rng.choice(_WORDS[kind]) or "''"


@cache
def _folder(_: int) -> Path:
    """Return a folder of this process, deep enough that `../x` stays in it; the packages are in it."""
    top = Path(
        tempfile.mkdtemp(prefix="hwc-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    )
    folder = top / "a" / "b"
    folder.mkdir(parents=True)
    for number, content in enumerate(packages.seeds()):
        (top / f"p{number}.hwx").write_bytes(content)
    return folder


@contextmanager
def _streams(given: str) -> Any:
    """Let the standard streams be texts in memory."""
    before = sys.stdin, sys.stdout, sys.stderr
    streams = [
        io.TextIOWrapper(io.BytesIO(data), "utf-8")
        for data in (given.encode("utf-8", "replace"), b"", b"")
    ]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield streams
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def play(case: bytes, pair: Any) -> str:
    """Run a command: its exit code is 0, 1 or 2, and an error says that it is one."""
    # As Python gets arguments: a byte that is not UTF-8 is half of a surrogate pair.
    line, *texts = case.decode("utf-8", "surrogateescape").split(_SEPARATOR)
    try:
        program, *argv = shlex.split(line)
    except ValueError:
        return "no command line"
    if "\0" in line:  # the system takes it for the end of an argument
        return "no command line"
    if _LEFT_OUT.search(line) or (
        _SLOW.search(line) and "compile" not in line and "opt" not in line
    ):
        return "left out"
    folder = _folder(os.getpid())
    for number, text in enumerate(texts, 1):
        (folder / f"{number}.mlir").write_bytes(text.encode("utf-8", "surrogateescape"))
    names = {f"p{n}": str(folder.parents[1] / f"p{n}.hwx") for n in range(4)}
    names |= {str(n): f"{n}.mlir" for n in range(1, len(texts) + 1)}
    argv = [_PLACE.sub(lambda m: names.get(m[1], m[0]), word) for word in argv]
    here = os.getcwd()
    os.chdir(folder)
    try:
        return _run(program, argv, texts)
    finally:
        os.chdir(here)
        for path in (*folder.iterdir(), *folder.parent.iterdir()):
            if path != folder:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _run(program: str, argv: Sequence[str], texts: Sequence[str]) -> str:
    run = opt.main if program == "hwc-opt" else main.main
    with _streams(texts[0] if texts else "") as (_, output, errors):
        try:
            code = run(argv)
        except SystemExit as stopped:
            code = stopped.code
        for stream in (output, errors):
            stream.flush()
        said = errors.buffer.getvalue().decode()
    name = argv[0] if argv and program != "hwc-opt" else program
    if code not in (0, 1, 2):
        raise Defect(f"exit code {code}")
    if "Traceback" in said or (code and "error:" not in said):
        raise Defect(f"exit code {code} without an error: {said}")
    if not code:
        return f"{name} done"
    wrong = next(text for text in said.split("\n") if "error:" in text)
    return f"{name} {refusal(UserError(wrong))}"


KIND = Kind("command", seeds, draw, play)
