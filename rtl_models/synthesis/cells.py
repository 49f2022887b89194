"""How many cells targets have: what sweeps estimate the cells of other targets from.

`configs/cells.json` has a row for each target of `TARGETS`: the keys of the target, what its
machine has, and a digest of the sources that it was synthesised from. `hwc/sweeps/cells.py` reads
it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isa.gen.sv_target import sv_target
from isa.target import CONFIGS, Target, load_target
from rtl_models.sources import TARGET_PACKAGE, modules, packages
from rtl_models.synthesis.report import Synthesis, instances
from rtl_models.synthesis.run import synthesise

FILE = CONFIGS / "cells.json"
_COMMENT = re.compile(rb"\s*//[^\n]*")

TARGETS: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("tiny", {}),
    ("tiny", {"lanes": 4}),
    ("tiny", {"lanes": 8}),
    ("tiny", {"lanes": 4, "special_rate": 2}),
    ("tiny", {"axi_bits": 128}),
    ("tiny", {"axi_bits": 256}),
    ("tiny", {"input_streams": 2}),
    ("tiny", {"output_streams": 2}),
    ("tiny", {"vlen": 256, "ring_bytes": 8192, "vector_registers": 32, "instruction_words": 2048}),
    ("accel", {}),
    ("accel", {"lanes": 4}),
    ("accel", {"lanes": 4, "axi_bits": 128}),
    ("accel", {"lanes": 16}),
    ("accel", {"lanes": 16, "axi_bits": 512}),
    ("accel", {"axi_bits": 128}),
    ("accel", {"axi_bits": 512}),
    ("accel", {"special_rate": 1}),
    ("accel", {"special_rate": 4}),
    ("accel", {"input_streams": 3}),
    ("accel", {"vlen": 128, "outstanding": 16, "memory_latency": 32}),
    ("wide", {}),
)
"""Named targets, and the keys of them that differ: every key that matters, small and large."""


def targets() -> list[Target]:
    """Return the targets; each has the name of the one that it is a variant of."""
    return [
        Target.from_dict({**load_target(name).to_dict(), **changed}) for name, changed in TARGETS
    ]


def sources_digest() -> str:
    """Return a digest of everything that the hardware of a target is made of, but the target.

    Comments do not count.
    """
    digest = hashlib.sha256()
    for path in sorted([*packages(Path(TARGET_PACKAGE)), *modules().values()]):
        if path.name != TARGET_PACKAGE:
            digest.update(f"{path.name}\0".encode() + _COMMENT.sub(b"", path.read_bytes()))
    return digest.hexdigest()[:16]


def keys(target: Target) -> dict[str, Any]:
    """Return the keys of a target that its hardware depends on: all but the name."""
    return {key: value for key, value in target.to_dict().items() if key != "name"}


def count(
    target: Target, top: str, folder: Path, progress: Callable[[int, int], None]
) -> dict[str, int]:
    """Synthesise the machine of a target in a folder, and return what it has.

    Circuits that several targets have are mapped once; their netlists are kept beside the folder.

    Raises:
        SynthesisError: Yosys fails, or warns of anything.
    """
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / TARGET_PACKAGE
    package.write_text(sv_target(target), encoding="utf-8")
    files = [*packages(package), *modules().values()]
    known = folder.parent / "mapped"
    known.mkdir(exist_ok=True)
    netlists = synthesise(top, files, folder, progress, known)
    machine = Synthesis(target.name, top, netlists, {}, {}, [], instances(top, netlists))
    return {
        "cells": machine.cells,
        "flip_flops": machine.flip_flops,
        "memories": sum(number for _, _, number in machine.memories),
        "memory_bits": sum(m.words * m.bits * number for _, m, number in machine.memories),
    }


def kept(file: Path, sources: str) -> list[dict[str, Any]]:
    """Return the rows of a file that were synthesised from these sources."""
    if not file.exists():
        return []
    rows = json.loads(file.read_text(encoding="utf-8"))["targets"]
    return [row for row in rows if row["sources"] == sources]


def text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the file."""
    about = "Written by `make synth` (rtl_models/synthesis/cells.py): Yosys' own gates, flip-flops"
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{{\n "about": "{about} and memories of targets",\n "targets": [\n{lines}\n ]\n}}\n'
