"""Fuzzing: no input may end in a traceback, take 5 s, need 1 GiB, or tell machines apart.

    PYTHONPATH=.:tests python -m fuzz --seconds 60 --seed 1 [--kind package ...] [--hardware 0.001]
    PYTHONPATH=.:tests python -m fuzz replay KIND FILE

Every worker is a process with its own seed. A case that fails is shrunk and kept in build/fuzz
with the command that plays it again; `corpus/` beside this file has the cases that the default
tests play.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.kinds import kinds
from fuzz.outcomes import ROOT
from fuzz.worker import Failure, Session, limit_memory, play, shrink

KEPT = ROOT / "build" / "fuzz"
PATIENCE = 600.0
"""Seconds without a word from a worker after which it is stopped: a case hangs.

They are not the processor's, because a case may wait for something, and there are many of them,
because the machine may have other work.
"""

_RAN = re.compile(r"\bran\b")

LARGEST = 1 << 20
"""Bytes of a case that a worker shows before it plays it."""


@dataclass
class Worker:
    """A process, what it said last, and the case that it plays."""

    kind: str
    number: int
    process: Any
    pipe: Any
    showing: Any
    length: Any
    heard: float = field(default_factory=time.monotonic)


def main() -> int:
    """Run the command; the exit code is 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("replay", nargs="*", help="replay KIND FILE: play one case again")
    parser.add_argument("--kind", action="append", choices=list(kinds()), help="default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all kinds together")
    parser.add_argument("--cases", type=int, default=1 << 62, help="of each kind, at most")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--hardware", type=float, default=0.0, help="share of the cases that run on both"
    )
    parser.add_argument("--keep", type=Path, help="folder for interesting cases")
    args = parser.parse_args()
    if args.replay:
        if len(args.replay) != 3 or args.replay[0] != "replay":
            parser.error("expected: replay KIND FILE")
        return _replay(*args.replay[1:], args.hardware)
    return _fuzz(args)


def _replay(name: str, path: str, hardware: float) -> int:
    pair = _pair() if hardware else None
    limit_memory()
    result = play(kinds()[name], Path(path).read_bytes(), pair)
    if isinstance(result, Failure):
        print(f"{path}: {result.where}: {result.message}")
        return 1
    print(f"{path}: {result}")
    return 0


def _pair() -> Any:
    from fuzz.calls import Pair  # noqa: PLC0415 - most runs need no hardware

    from isa.target import load_target  # noqa: PLC0415 - as above
    from rtl_models.simulation.build import build  # noqa: PLC0415 - as above

    build(load_target("tiny"))  # no case builds it, nor within its limits
    return Pair(load_target("tiny"))


def _fuzz(args: argparse.Namespace) -> int:
    names = args.kind or list(kinds())
    if args.hardware:
        _pair()
    start = time.monotonic()
    cases = slowest = memory = failed = 0
    for index, name in enumerate(names):
        left = args.seconds - (time.monotonic() - start)
        until = time.monotonic() + max(1.0, left / (len(names) - index))
        reports = _run_kind(name, args, until)
        cases += sum(report["cases"] for report in reports)
        slowest = max(slowest, *(report["slowest"] for report in reports))
        memory = max(memory, *(report["memory"] for report in reports))
        failed += _tell(name, reports)
        if args.keep:
            folder = args.keep / name
            folder.mkdir(parents=True, exist_ok=True)
            for case in (case for report in reports for case in report["found"]):
                (folder / _digest(case)).write_bytes(case)
    took = time.monotonic() - start
    print(
        f"{cases:,} cases in {took:.0f} s ({cases / took:.0f} a second), seed {args.seed}; the "
        f"slowest took {slowest:.2f} s of processor time, the largest process {memory >> 20} MiB; "
        f"{failed} places where cases fail"
    )
    return 1 if failed else 0


def _tell(name: str, reports: list[dict[str, Any]]) -> int:
    """Print what became of the cases of one kind; return the number of places where they fail."""
    outcomes: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    failures: dict[str, Failure] = {}
    for report in reports:
        outcomes.update(report["outcomes"])
        repeated.update(report["repeated"])
        for where, failure in report["failures"].items():
            known = failures.get(where)
            if known is None or len(failure.case) < len(known.case):
                failures[where] = failure
    ran = sum(n for outcome, n in outcomes.items() if _RAN.search(outcome))
    both = sum(n for outcome, n in outcomes.items() if outcome.endswith("ran on both"))
    print(
        f"{name:8} {sum(report['cases'] for report in reports):9,} cases, {len(outcomes):5} "
        f"outcomes, {ran:8,} ran, {both:6,} on both, {outcomes['failed']:5} failed",
        flush=True,
    )
    for where, failure in sorted(failures.items()):
        _report(failure, repeated[where])
    return len(failures)


def _report(failure: Failure, count: int) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    if failure.where not in ("the process ended", "too slow"):
        failure = shrink(kinds()[failure.kind], failure)
    path = KEPT / f"{failure.kind}-{_digest(failure.case)}"
    path.write_bytes(failure.case)
    print(f"error: {count} cases: {failure.where}: {failure.message}")
    replay = f"-m fuzz replay {failure.kind} {path}"
    print(f"  PYTHONPATH=.:tests {sys.executable} {replay}", flush=True)


def _digest(case: bytes) -> str:
    return hashlib.sha256(case).hexdigest()[:16]


def _run_kind(name: str, args: argparse.Namespace, until: float) -> list[dict[str, Any]]:
    """Run the workers of one kind until a time; return their reports."""
    kinds()[name].seeds()  # once, before the workers are copies of this process
    reports: list[dict[str, Any]] = []
    running = [_start(name, number, args, until) for number in range(args.workers)]
    number = args.workers
    while running:
        for worker in list(running):
            try:
                said = worker.pipe.recv() if worker.pipe.poll(0.1) else None
            except EOFError:
                said = "ended"
            if isinstance(said, dict):
                reports.append(said)
            elif said == "alive":
                worker.heard = time.monotonic()
                continue
            elif said is None and time.monotonic() - worker.heard < PATIENCE:
                continue
            running.remove(worker)
            if worker.process.is_alive() and not isinstance(said, dict):
                worker.process.kill()
            worker.process.join()
            if not isinstance(said, dict):
                reports.append(_lost(worker))
                if time.monotonic() < until:
                    running.append(_start(name, number, args, until))
                    number += 1
    return reports


def _lost(worker: Worker) -> dict[str, Any]:
    """Return the report of a worker that ended in the middle of a case."""
    case = bytes(worker.showing[: worker.length.value])
    where = "the process ended"
    failure = Failure(worker.kind, case, where, f"exit code {worker.process.exitcode}")
    empty = {"cases": 0, "slowest": 0.0, "memory": 0, "outcomes": {"failed": 1}, "found": []}
    return {**empty, "failures": {where: failure}, "repeated": {where: 1}}


def _start(name: str, number: int, args: argparse.Namespace, until: float) -> Worker:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    showing, length = context.RawArray("c", LARGEST), context.RawValue("q", 0)
    process = context.Process(
        target=_work, args=(name, number, args, until, theirs, showing, length), daemon=True
    )
    process.start()
    theirs.close()
    return Worker(name, number, process, ours, showing, length)


def _work(
    name: str,
    number: int,
    args: argparse.Namespace,
    until: float,
    pipe: Any,
    showing: Any,
    length: Any,
) -> None:
    import resource  # noqa: PLC0415 - only a worker asks

    pair: list[Any] = []
    if args.hardware:
        pair.append(_pair())
    limit_memory()
    spoke = time.monotonic()

    def before(case: bytes) -> None:
        length.value = min(len(case), LARGEST)
        showing[: length.value] = case[:LARGEST]

    def done(session: Session) -> bool:
        nonlocal spoke
        now = time.monotonic()
        if now - spoke > 1:
            pipe.send("alive")
            spoke = now
        return now >= until or session.cases * args.workers >= args.cases

    session = Session(
        kinds()[name], f"{args.seed}.{number}", (lambda: pair[0]) if pair else None,
        args.hardware, before,
    )  # fmt: skip
    session.run(done)
    pipe.send(
        {
            "cases": session.cases,
            "slowest": session.slowest,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
            "outcomes": dict(session.outcomes),
            "failures": session.failures,
            "repeated": dict(session.repeated),
            "found": session.found if args.keep else [],
        }
    )


if __name__ == "__main__":
    sys.exit(main())
