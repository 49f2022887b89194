"""Whether two revisions compile and run programs the same, to the bit and to the cycle.

    python tests/bench/compare_revisions.py REVISION [--random 2000] [--targets accel tiny wide]

Compiles every program of the tests (`lockstep.programs` finds them) for every target and random
programs for one target in turn, with REVISION and with the checkout that this file is in. Runs each
program on the same arguments in both, and compares

- the machine code as assembly text, which does not depend on how opcodes are numbered;
- the results, bit by bit;
- every counter, cycles included.

A program whose code differs is listed with the kernels and cycles of both revisions. Exit code 1 if
a result differs, if counters differ for the same code, if only one revision compiles a program, if
the checkout crashes, or if the code differs and has no fewer kernels than before. REVISION runs
from a worktree of its own, with the Python of this process and what is installed there; both must
have `hwc.compile`, programs that can be called, and the command `hwc disasm`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from revisions import CHECKOUT, disassembly, environment, worktree

TARGETS = ("accel", "tiny", "wide")
CALLS = ("random", "ones", "mixed", "zero")
"""Kinds of shapes that a program of the tests is called with (`lockstep.cases.draw`)."""

POINTS = 3000
SPECIAL_VALUES = (0.0, -0.0, 1.0, -1.0, 0.5, 3e38, 1e-40, np.inf, -np.inf, np.nan)


def main() -> int:
    """Compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compare what two revisions compile and compute.")
    parser.add_argument("revision", help="the revision to compare this checkout with")
    parser.add_argument("--random", type=int, default=2000, help="number of random programs")
    parser.add_argument("--targets", nargs="+", default=TARGETS, help="names of targets")
    args = parser.parse_args()
    jobs = list(_jobs(args.targets, args.random))
    calls = sum(len(job["calls"]) for job in jobs)
    print(f"{len(jobs)} programs × targets, {calls} calls", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        path = work / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs))
        with worktree(args.revision, work / "before") as before:
            running = [
                _start(checkout, path, work / f"{name}.jsonl")
                for name, checkout in (("old", before), ("new", CHECKOUT))
            ]
            codes = [process.wait() for process in running]
        if any(codes):
            print("error: a revision did not get through the programs; its message is above")
            return 1
        old, new = (
            [json.loads(line) for line in (work / f"{name}.jsonl").read_text().splitlines()]
            for name in ("old", "new")
        )
    return _report(jobs, old, new)


# -- what is compiled and called


def _jobs(targets: Sequence[str], count: int) -> Iterator[dict[str, Any]]:
    """Every program with its target and the arguments of its calls."""
    sys.path[:0] = [str(CHECKOUT), str(CHECKOUT / "tests")]
    from lockstep import cases, programs  # noqa: PLC0415 - the recorder must not import these
    from unit.backend.programs import generate  # noqa: PLC0415

    from hwc.errors import UserError  # noqa: PLC0415
    from isa.target import load_target  # noqa: PLC0415

    for text in programs.texts():
        for target in targets:
            job = {"name": text.name, "text": text.text, "entry": text.entry, "target": target}
            try:
                package = programs.package(text, target)
            except UserError:
                yield {**job, "calls": []}
                continue
            rng = np.random.default_rng(len(text.text))
            drawn = [cases.draw(package, load_target(target), kind, rng, POINTS) for kind in CALLS]
            shapes = [s for s in drawn if s is not None]
            if text.shapes is not None:
                shapes.append(list(text.shapes))
            yield {**job, "calls": _calls(package, shapes)}
    for seed in range(count):
        rng = Random(f"compare {seed}")
        size = rng.randint(1, 8), rng.choice((3, 8, 20, 40)), rng.randint(1, 4)
        with np.errstate(all="ignore"):
            program = generate(10_000 + seed, *size, rng.choice((0.0, 0.5, 0.9, 1.0)))
        shapes = [a.shape for a in program.arguments]
        dtypes = [a.dtype.str for a in program.arguments]
        yield {
            "name": f"random {seed}",
            "text": program.text,
            "entry": None,
            "target": targets[seed % len(targets)],
            "calls": [list(zip(shapes, dtypes, strict=True))],
        }


def _calls(package: Any, shapes: Sequence[Sequence[Sequence[int]]]) -> list[Any]:
    from isa.stored import tensor_type  # noqa: PLC0415

    dtypes = [np.dtype(tensor_type(t.type).dtype).str for t in package.inputs]
    return [list(zip(shape, dtypes, strict=True)) for shape in shapes]


# -- what a revision does with it


def _start(checkout: Path, jobs: Path, results: Path) -> subprocess.Popen[bytes]:
    """Start the recorder on one revision."""
    command = [sys.executable, str(Path(__file__).resolve()), "--record", str(jobs), str(results)]
    return subprocess.Popen(command, cwd=checkout, env=environment(checkout))


def record(jobs: Path, results: Path) -> None:
    """Compile and run every job with the revision on `PYTHONPATH`; write one line for each."""
    import hwc  # noqa: PLC0415 - the one of the revision

    with jobs.open() as lines, results.open("w") as out:
        for line in lines:
            out.write(json.dumps(_outcome(hwc, json.loads(line))) + "\n")


def _outcome(hwc: Any, job: dict[str, Any]) -> dict[str, Any]:
    from isa.errors import UserError  # noqa: PLC0415

    try:
        program = hwc.compile(job["text"] + "\n", job["target"], entry=job["entry"])
    except UserError:
        return {"refused": True}
    except Exception as error:  # noqa: BLE001 - a bug of one revision hides no difference elsewhere
        return {"refused": True, "crash": repr(error)}
    calls: list[Any] = []
    for number, call in enumerate(job["calls"]):
        arguments = [_array(shape, dtype, number, i) for i, (shape, dtype) in enumerate(call)]
        try:
            result = program(*arguments)
        except UserError:
            calls.append({"refused": True})
            continue
        digest = hashlib.sha256()
        for output in result.outputs:
            digest.update(f"{output.shape} {output.dtype}".encode() + output.tobytes())
        calls.append({"results": digest.hexdigest(), "counters": dict(result.counters)})
    return {"code": _code(program), "calls": calls}


def _array(shape: Sequence[int], dtype: str, call: int, argument: int) -> Any:
    rng = np.random.default_rng([call, argument, *shape])
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.asarray(rng.integers(0, 2, shape), kind)
    if kind.kind == "f":
        values = np.asarray(rng.standard_normal(shape) * 8, kind)
        special = np.asarray(rng.choice(SPECIAL_VALUES, shape), kind)
        return np.where(rng.random(shape) < 0.1, special, values).astype(kind)
    if kind.kind == "V":  # the bits of narrow floats
        return np.frombuffer(rng.bytes(math.prod(shape) * kind.itemsize), kind).reshape(shape)
    info = np.iinfo(kind)
    return np.asarray(rng.integers(info.min, info.max, shape, endpoint=True), kind)


def _code(program: Any) -> list[str]:
    """The machine code as assembly text, without comments."""
    lines = (line.partition(";")[0].rstrip() for line in disassembly(program).splitlines())
    return [line for line in lines if line]


# -- what differs


def _report(jobs: Sequence[Any], old: Sequence[Any], new: Sequence[Any]) -> int:
    seen: Counter[str] = Counter()
    bad = 0
    for job, before, after in zip(jobs, old, new, strict=True):
        where = f"{job['name']} on {job['target']}"
        for when, outcome in (("before", before), ("now", after)):
            if "crash" in outcome:
                bad += outcome is after
                print(f"{where}: crashed {when}: {outcome['crash']}")
        if before.get("refused") or after.get("refused"):
            same = before.get("refused") == after.get("refused")
            seen["programs that both refuse" if same else "programs that one refuses"] += 1
            if not same:
                bad += 1
                print(f"{where}: refused {'before' if before.get('refused') else 'now'} only")
            continue
        same_code = before["code"] == after["code"]
        seen["programs with the same code" if same_code else "programs with other code"] += 1
        if not same_code:
            kernels = [_kernels(code["code"]) for code in (before, after)]
            cycles = [
                sum(c["counters"].get("cycles", 0) for c in code["calls"] if "counters" in c)
                for code in (before, after)
            ]
            bad += kernels[1] >= kernels[0]
            print(
                f"{where}: other code: kernels {kernels[0]} → {kernels[1]}, "
                f"cycles {cycles[0]} → {cycles[1]}"
            )
        for number, (a, b) in enumerate(zip(before["calls"], after["calls"], strict=True)):
            bad += _compare_call(f"{where}, call {number}", a, b, same_code, seen)
    for what, count in seen.items():
        print(f"{what}: {count}")
    print("no difference that a user would see" if not bad else f"{bad} differences")
    return 1 if bad else 0


def _kernels(code: Sequence[str]) -> int:
    return sum("loop" in line.split() for line in code)


def _compare_call(where: str, a: Any, b: Any, same_code: bool, seen: Counter[str]) -> int:
    if a.get("refused") or b.get("refused"):
        seen["calls refused"] += 1
        if a == b:
            return 0
        print(f"{where}: refused {'before' if a.get('refused') else 'now'} only")
        return 1
    bad = 0
    seen["calls run"] += 1
    seen["cycles before"] += a["counters"].get("cycles", 0)
    seen["cycles now"] += b["counters"].get("cycles", 0)
    if a["results"] != b["results"]:
        bad += 1
        print(f"{where}: other results")
    if same_code and a["counters"] != b["counters"]:
        bad += 1
        names = [n for n in a["counters"] if a["counters"][n] != b["counters"].get(n)]
        print(f"{where}: other counters: {', '.join(names)}")
    return bad


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(Path(sys.argv[2]), Path(sys.argv[3]))
        sys.exit(0)
    sys.exit(main())
