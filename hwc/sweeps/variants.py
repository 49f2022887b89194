"""The targets of a sweep: each base target with every combination of the varied keys."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from hwc.errors import UserError
from isa.target import RULES, Target, load_target


@dataclass(frozen=True)
class Variant:
    """A target of a sweep: all keys of its target file, whether they make a valid target or not.

    `base` is the name of the given target, `varied` has the keys that were changed.
    """

    base: str
    varied: Mapping[str, int]
    keys: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The target and its varied keys, such as `accel lanes=4 axi_bits=128`."""
        return " ".join([self.base, *(f"{key}={value}" for key, value in self.varied.items())])

    def target(self) -> Target:
        """Return the target.

        Raises:
            TargetError: the keys do not make a valid target.
        """
        return Target.from_dict(dict(self.keys), where=self.label)


def variants(
    targets: Sequence[str | os.PathLike[str] | Target], vary: Mapping[str, Sequence[int]]
) -> list[Variant]:
    """Return every target with every combination of varied keys, in the order given.

    Raises:
        UserError: a target or a key is unknown, or two targets have the same name.
    """
    for key in vary:
        check_key(key)
    bases: dict[str, Target] = {}
    for given in targets:
        base = given
        if not isinstance(base, Target):
            base = load_target(base if isinstance(base, str) else Path(base))
        if base.name in bases:
            raise UserError(
                f"targets: error: two targets are called {base.name!r}; their `name` tells them "
                "apart in the results"
            )
        bases[base.name] = base
    if not bases:
        raise UserError("targets: error: no target")
    return [
        Variant(name, changes, {**dataclasses.asdict(base), **changes})
        for name, base in bases.items()
        for values in product(*vary.values())
        for changes in [dict(zip(vary, values, strict=True))]
    ]


def check_key(key: str) -> None:
    """Check that a key of targets can be varied.

    Raises:
        UserError: it is not the name of a size.
    """
    if key not in RULES:
        raise UserError(f"vary: error: unknown key {key!r}; known: {', '.join(RULES)}")


def listed_targets(text: str) -> list[str]:
    """Return the names of targets, or paths of target files, in a text with commas.

    Raises:
        UserError: a name is missing.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UserError(
            f"targets: error: got {text!r}, expected names of targets or paths of target files, "
            "with commas between them"
        )
    return names
