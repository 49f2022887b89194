"""What runs where in whole models: nodes, arithmetic and copies, before and now.

    PYTHONPATH=.:tests python tests/bench/model_accounts.py [--write] [MODEL ...]

Compiles each model of `tests/bench/models.py`, and a block of a transformer, with the revision
BEFORE and with this checkout, each in a process of its own (`cut_of_model.py`), and calls those
with free sizes. IREE compiles nothing: models for it have static sizes. Packages
of BEFORE have no accounts: their nodes get the operations that today's tables count for the same
results. With `--folder`, a model that was measured is not measured again. `--write` writes the page
docs/reports/model_accounts.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from bench.models import MODELS
from bench.revisions import CHECKOUT, environment, worktree
from e2e.support import transformer

import hwc
from hwc.files import write_text
from hwc.runtime.accounts import share_text

PAGE = CHECKOUT / "docs" / "reports" / "model_accounts.md"
BEFORE = "a536a389"
TRANSFORMER = "transformer block"

PREFACE = """\
Written by `PYTHONPATH=.:tests python tests/bench/model_accounts.py --write`: the models of
[models.md](models.md), and a block of a transformer as PyTorch exports it (RMSNorm, attention with
rotary positions and a causal mask, an MLP gated with SiLU; `tests/e2e/support/transformer.py`
writes it, with random weights). Each is compiled for `accel` with revision {before} and with this
one, and called once if sizes are free. [models.md](../models.md#accounts) says how operations and
copies are counted. Packages of {before} have no accounts: each of their nodes has the operations
that this revision counts for the same result. `?` marks operations that are not known.

A value that crosses is copied: arguments and results of the model that the machine reads and
writes as well. A value that two regions read is copied twice."""


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--before", default=BEFORE, help=f"a revision (default {BEFORE})")
    parser.add_argument("--folder", type=Path, help="where to keep what was measured")
    names = [TRANSFORMER, *MODELS]
    parser.add_argument("models", nargs="*", choices=[*names, []], metavar="MODEL")
    args = parser.parse_args()
    rows: list[str] = []
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        before = stack.enter_context(worktree(args.before, work / "before"))
        folder = args.folder or work
        for name in args.models or names:
            print(f"{name} ...", file=sys.stderr, flush=True)
            arguments, size = _arguments(name, folder)
            old, new = (
                _measured(name, checkout, arguments, folder / f"{name} {when}.json")
                for when, checkout in (("before", before), ("now", CHECKOUT))
            )
            rows += _rows(name, size, old, new)
    text = "\n".join(_page(rows, args.before))
    if args.write:
        write_text(PAGE, text)
    print(text if not args.write else f"see {PAGE}")
    return 0


def _path(name: str) -> Path:
    return transformer.PATH if name == TRANSFORMER else MODELS[name].path


def _arguments(name: str, folder: Path) -> tuple[Path, tuple[int, ...]]:
    """Write the arguments of a call, in the order of the model; return the file and the size."""
    rng = np.random.default_rng(0)
    if name == TRANSFORMER:
        size: tuple[int, ...] = (1, 128, transformer.WIDTH)
        feeds = {"hidden_states": rng.standard_normal(size).astype(np.float32)}
    else:
        sizes = MODELS[name].sizes
        size = sizes[len(sizes) // 2]
        feeds = MODELS[name].feeds(size, rng)
    path = folder / f"{name}.npz"
    if len(feeds) > 1:  # else the name of the argument does not matter
        inputs = [tensor.name for tensor in hwc.compile(_path(name)).inputs]
        feeds = {each: feeds[each] for each in inputs}
    np.savez(path, **feeds)  # type: ignore[arg-type]  # numpy's stub takes no names
    return path, size


def _measured(name: str, checkout: Path, arguments: Path, out: Path) -> Mapping[str, Any]:
    if not out.exists():
        script = CHECKOUT / "tests" / "bench" / "cut_of_model.py"
        command = [sys.executable, str(script), str(_path(name)), str(arguments), str(out)]
        subprocess.run(command, check=True, env=environment(checkout))
    found: Mapping[str, Any] = json.loads(out.read_text())
    return found


def _rows(
    name: str, size: tuple[int, ...], old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[str]:
    known = new["operations"]
    for when, found in (("before", old), ("now", new)):
        nodes = found["nodes"]
        sides = {
            side: [known.get(result) for result, _, on_machine in nodes if on_machine == side]
            for side in (True, False)
        }
        machine, host = (sum(filter(None, sides[side])) for side in (True, False))
        unknown = [sum(n is None for n in sides[side]) for side in (True, False)]
        marks = [f" + {count} ?" if count else "" for count in unknown]
        total = machine + host
        yield (
            f"| {f'{name}, ' + 'x'.join(map(str, size)) if when == 'before' else ''} | {when} "
            f"| {len(sides[True])} of {len(nodes)} | {found['regions']} "
            f"| {machine:,}{marks[0]} | {host:,}{marks[1]} "
            f"| {share_text(machine / total) if total else ''} "
            f"| {_copies(found['to_machine'])} | {_copies(found['to_host'])} |"
        )


def _copies(sizes: list[int]) -> str:
    return f"{len(sizes)}: {sum(sizes):,}"


def _page(rows: list[str], before: str) -> Iterator[str]:
    yield "# What runs where in whole models"
    yield ""
    yield PREFACE.format(before=before)
    yield ""
    yield (
        "| model, size | | nodes on the machine | regions | operations on the machine "
        "| on the host | the machine's share | copied to the machine: bytes "
        "| copied to the host: bytes |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    yield from rows
    yield ""


if __name__ == "__main__":
    sys.exit(main())
