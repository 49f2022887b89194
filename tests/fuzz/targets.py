"""Target files: YAML edited by its keys and values, and by its bytes."""

# ruff: noqa: E501 - long lists of words

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from fuzz import calls, packages
from fuzz.edits import STRINGS, edit_bytes, number, scratch
from fuzz.kinds import Kind
from fuzz.outcomes import ROOT, refusal

from hwc.package import Package
from hwc.package.hwx import from_bytes
from isa.errors import UserError
from isa.target import RULES, load_target

_FORMS = ("{key}: {value}", "{key}:{value}", "{key}: '{value}'", "- {value}", "{key}: [{value}]",
          "{key}: {{{value}}}", "  {key}: {value}", "{key}: !!int {value}", "{key}: &a {value}",
          "{key}: *a", "? {key}", "--- # {value}", "{key}: 0x{value}", "{key}: {value}.0",
          "{key}: |\n  {value}", "{key}: >\n {value}", "%YAML {value}", "{key}: {value}e9")  # fmt: skip


@cache
def seeds() -> list[bytes]:
    """Return the configurations of the project."""
    return [path.read_bytes() for path in sorted((ROOT / "configs").glob("*.yaml"))]


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Edit a line of a target file, or its bytes."""
    data = rng.choice(cases)
    if rng.random() < 0.1:
        return edit_bytes(rng, data)
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(lines))
        key = rng.choice((*RULES, "name", rng.choice(STRINGS)))
        value = str(number(rng)) if rng.random() < 0.6 else rng.choice(STRINGS)
        if key in RULES and rng.random() < 0.6:  # a value that may be allowed
            rule = RULES[key]
            low, high = rule.low, rule.high
            value = str(
                1 << rng.randrange(low.bit_length() - 1, high.bit_length())
                if rule.power_of_two
                else rng.choice((low, high, rng.randint(low, high)))
            )
        match rng.randrange(6):
            case 0:
                del lines[at]
                lines = lines or [""]
            case 1:
                lines.insert(at, rng.choice(lines))
            case 2:
                lines.insert(at, rng.choice(_FORMS).format(key=key, value=value))
            case _:
                found = [i for i, line in enumerate(lines) if line.startswith(f"{key}:")]
                form = _FORMS[0] if rng.random() < 0.8 else rng.choice(_FORMS)
                lines[found[0] if found else at] = form.format(key=key, value=value)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


@cache
def _package() -> Package:
    return from_bytes(packages.seeds()[0], "x.hwx")


def play(case: bytes, pair: Any) -> str:
    """Read a target; on one that is a target, a package runs."""
    scratch().write_bytes(case)
    try:
        target = load_target(scratch())
    except UserError as error:
        return refusal(error)
    return calls.play(dataclasses.replace(_package(), target=target.to_dict()), pair)


KIND = Kind("target", seeds, draw, play)
