"""Bench of the vector pipe: runs kernels, compares with the simulator.

Results are compared with golden. Times are compared with the timing contract's recurrence, given
when inputs landed and when results were stored: both are the bench's own doing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from isa.load import load
from isa.target import Target
from rtl_models.tb.bench import Bench
from rtl_models.tb.vector_cases import Case, golden, stimuli
from sim.timing.body import BodyTime, body_time

SEED = 1
START_CYCLES = 16
"""Cycles between two kernels, at most."""
PAUSE_CYCLES = 4 * 512
"""Cycles that a hesitant kernel's strip waits, at most, besides what its rows take."""


@dataclass
class Report:
    """What the bench wrote of one kernel: times, rows of results, counters."""

    times: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    rows: dict[tuple[int, int, int], np.ndarray] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)


def play(bench: Bench, cases: Sequence[Case], reset_after: int = 0) -> None:
    """Run kernels one after another: every result, every time and every counter right.

    With `reset_after` the first run is reset after that number of cycles, and a second one follows.
    """
    target = bench.target
    with TemporaryDirectory() as name:
        path, trace = Path(name) / "stimuli.bin", Path(name) / "trace.txt"
        path.write_bytes(b"".join(stimuli(target, case) for case in cases))
        failure = None
        try:
            bench.run(
                "vector_testbench",
                SEED,
                path.parent,
                plusargs=[f"+stimuli={path}", f"+trace={trace}"],
                environment={
                    "BENCH_CYCLES": str(sum(_limit(target, case) for case in cases)),
                    "BENCH_RESET_AFTER": str(reset_after),
                },
            )
        except AssertionError as error:  # what the bench wrote before may say more
            failure = error
        runs = _read(trace)
    for reports in runs:
        for case, report in zip(cases, reports, strict=False):
            check(target, case, report)
    if failure and len(runs[-1]) < len(cases):
        kernel = len(runs[-1])
        raise AssertionError(f"stopped in kernel {kernel}: {cases[kernel]}") from failure
    assert failure is None, failure
    assert len(runs[-1]) == len(cases)
    assert len(runs) == (2 if reset_after else 1)


def check(target: Target, case: Case, report: Report) -> None:
    """Compare what the bench wrote of a kernel with golden and with the timing contract."""
    sizes = [min(target.vlen, case.points - p) for p in range(0, case.points, target.vlen)]
    for number, want in golden(case).items():
        got = np.concatenate(
            [
                report.rows[number, strip, row]
                for strip, size in enumerate(sizes)
                for row in range(-(-size // target.lanes))
            ]
        )[: case.points]
        expected = want.view(np.uint32)
        wrong = np.flatnonzero(got != expected)
        assert len(wrong) == 0, (
            f"{len(wrong)} wrong points, the first o{number}[{wrong[0]}]: {got[wrong[0]]:08x}, "
            f"not {expected[wrong[0]]:08x}, in the kernel of {case}"
        )
    times, counters = contract(target, case, sizes, report)
    for key, time in times.items():
        assert report.times.get(key) == time, (
            f"{key}: {report.times.get(key)}, expected {time}, in the kernel of {case}"
        )
    assert report.counters == counters, (
        f"{report.counters}, not {counters}, in the kernel of {case}"
    )


def contract(
    target: Target, case: Case, sizes: Sequence[int], report: Report
) -> tuple[dict[tuple[str, tuple[int, ...]], int], dict[str, int]]:
    """Times and counters of the vector pipe, given when inputs landed and results were stored."""
    constants = load().timing
    times: dict[tuple[str, tuple[int, ...]], int] = {}
    counters = dict.fromkeys(("strips", "instructions", "vector_busy"), 0)
    counters |= dict.fromkeys((f"vector_stall_{x}" for x in ("dependence", "input", "output")), 0)
    lanes = target.lanes
    bodies: dict[int, BodyTime] = {n: body_time(target, case.body, lanes, n) for n in set(sizes)}
    end = 0
    for strip, size in enumerate(sizes):
        body = bodies[size]
        landed = [report.times["landed", (i, strip)] + constants.landing_ready for i in case.inputs]
        inputs = max([end, *landed])
        start = inputs
        if strip >= constants.store_strips:
            free = report.times["stored", (strip - constants.store_strips,)] + constants.slot_free
            start = max(start, free)
        counters["strips"] += 1
        counters["instructions"] += len(case.body)
        counters["vector_busy"] += body.beats
        counters["vector_stall_dependence"] += body.length - body.beats
        counters["vector_stall_input"] += inputs - end
        counters["vector_stall_output"] += start - inputs
        end = start + body.length
        times["begin", (strip,)] = start
        times["result", (strip,)] = start + body.results
        if case.inputs:
            times["pop", (strip,)] = end
    return times, counters


def _limit(target: Target, case: Case) -> int:
    """Cycles that a kernel may take."""
    strips = -(-case.points // target.vlen)
    rows = target.vlen // target.lanes
    results = body_time(target, case.body, target.lanes, target.vlen).results
    cycles = START_CYCLES + strips * (results + 4 * rows)
    return cycles + (strips * (PAUSE_CYCLES + 100 * rows) if case.hesitant else 0)


def _read(path: Path) -> list[list[Report]]:
    """Read the bench's trace: the kernels that ended, for each run since a reset."""
    runs: list[list[Report]] = []
    for reports in _runs(path):
        if reports or not runs:
            runs.append(reports)
    return runs


def _runs(path: Path) -> Iterator[list[Report]]:
    reports: list[Report] = []
    report = Report()
    with path.open(encoding="utf-8") as file:
        for line in file:
            key, *values = line.split()
            if key == "reset":
                if reports:
                    yield reports
                reports, report = [], Report()
            elif key == "end":
                reports.append(report)
                report = Report()
            elif key == "counter":
                report.counters[values[0]] = int(values[1])
            elif key == "row":
                number, strip, row = (int(value) for value in values[:3])
                report.rows[number, strip, row] = np.frombuffer(
                    bytes.fromhex(values[3])[::-1], "<u4"
                )
            else:
                report.times[key, tuple(int(value) for value in values[:-1])] = int(values[-1])
    yield reports
