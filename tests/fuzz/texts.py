"""MLIR text to begin with: the programs of tests and pages, at every stage, and random ones."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from fuzz.outcomes import ROOT
from lockstep.programs import texts
from random_programs.generator import generate

from hwc import pipeline
from hwc.cli.print_ir import text_of
from hwc.errors import UserError
from hwc.frontend.source import Source
from isa.target import load_target

LONGEST = 3000
"""Characters of a program to begin with; long ones are slow."""

_PAGES = ("README.md", "docs/*.md", "docs/examples/*")
_BLOCK = re.compile(r"^```mlir\n(.*?)^```$", re.M | re.S)
_COMMENT = re.compile(r"^\s*//.*\n", re.M)
_SEPARATOR = re.compile(r"^\s*// -----.*$", re.M)

FORMS: dict[str, tuple[str, tuple[pipeline.Stage, ...]]] = {
    "tosa 1.0": ("tosa", (pipeline.TOSA_1_0,)),
    "linalg": ("linalg", ()),
    "portable": ("linalg", (pipeline.PORTABLE,)),
    "checked portable": ("linalg", (pipeline.CHECKED_PORTABLE,)),
    "kernel": ("kernel", ()),
    "vector": ("vector", ()),
}
"""What `hwc compile --emit` can write: the stage, and what is added to it."""


@cache
def programs() -> tuple[str, ...]:
    """Return the short programs of the project's tests and pages, good ones and bad ones."""
    found = [text.text for text in texts()]
    for path in sorted((ROOT / "tests").rglob("*.mlir")):  # what is not one function, as well
        if "fuzz" not in path.parts:
            found += _SEPARATOR.split(path.read_text("utf-8"))
    for path in (path for pattern in _PAGES for path in sorted(ROOT.glob(pattern))):
        content = path.read_text("utf-8")
        found += [content] if path.suffix == ".mlir" else _BLOCK.findall(content)
    stripped = {_COMMENT.sub("", text).strip() + "\n" for text in found}
    return tuple(text for text in sorted(stripped) if 20 < len(text) < LONGEST)


def emitted(text: str, form: str, generic: bool = False) -> str:
    """Return what `hwc compile --emit` writes of a program, in a form of `FORMS`.

    Raises:
        UserError: the program does not compile.
    """
    until, then = FORMS[form]
    result = pipeline.run(
        Source("fuzz.mlir", text), target=load_target("tiny"), until=until, then=then
    )
    return text_of(result.module, generic=generic)


def random_program(rng: Random) -> str:
    """Return the text of a random program, which calls with the right sizes fit."""
    return generate(rng.randrange(1 << 30)).graph.text()


def random_stage(rng: Random) -> str:
    """Return a random program at a random stage, seldom in generic form."""
    text = random_program(rng)
    try:
        return emitted(text, rng.choice(list(FORMS)), generic=rng.random() < 0.1)
    except UserError:
        return text
