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
from isa.phases import phase_lag
from isa.target import Target
from rtl_models.tb.bench import Bench
from rtl_models.tb.vector_cases import Case, golden, stimuli
from rtl_models.tb.vectors import I32Array
from sim.semantics.lookup_table import EMPTY
from sim.timing.body import body_time, phases_of

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
        table = EMPTY
        for case, report in zip(cases, reports, strict=False):
            table = check(target, case, report, table)
    if failure and len(runs[-1]) < len(cases):
        kernel = len(runs[-1])
        raise AssertionError(f"stopped in kernel {kernel}: {cases[kernel]}") from failure
    assert failure is None, failure
    assert len(runs[-1]) == len(cases)
    assert len(runs) == (2 if reset_after else 1)


def check(target: Target, case: Case, report: Report, table: I32Array) -> I32Array:
    """Compare what the bench wrote of a kernel with golden and with the timing contract.

    `table` is the machine's table before the kernel. Returns the table after it.
    """
    sizes = [min(target.vlen, case.points - p) for p in range(0, case.points, target.vlen)]
    outputs, after = golden(case, table)
    for number, want in outputs.items():
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
    return after


def contract(
    target: Target, case: Case, sizes: Sequence[int], report: Report
) -> tuple[dict[tuple[str, tuple[int, ...]], int], dict[str, int]]:
    """Times and counters of the vector pipe, given when inputs landed and results were stored."""
    constants = load().timing
    phases = phases_of(case.body)
    first_output = next(g for g, phase in enumerate(phases) if phase.writes_output)
    bodies = {n: body_time(target, phases, target.lanes, n) for n in set(sizes)}
    times: dict[tuple[str, tuple[int, ...]], int] = {}
    counters = dict.fromkeys((f"lane_stall_{x}" for x in ("input", "special", "output")), 0)
    ended: dict[int, int] = {}  # E(s)
    ready: dict[tuple[int, int], int] = {}  # X0_g(s) + back_g, by strip and phase
    lane = special = 0
    lag = phase_lag(sum(bool(phase.group) for phase in phases), case.copies)
    for strip, phase in parts_in_order(len(sizes), len(phases), lag):
        time = bodies[sizes[strip]].phases[phase]
        landing = bodies[sizes[strip]].landing
        landed = [report.times["landed", (i, strip)] + landing for i in case.inputs]
        inputs = max(landed, default=1) if phase == 0 else 0
        before = ended.get(strip - case.copies, 0) if phase == 0 else ready[strip, phase - 1]
        slot = 0
        if phase == first_output and strip >= constants.store_strips:
            slot = report.times["stored", (strip - constants.store_strips,)] + constants.slot_free
        begin = max(inputs, before, slot)
        results = 0
        if time.length:
            landed_at, ready_at = max(lane, inputs), max(lane, inputs, before)
            begin = max(lane, begin)
            counters["lane_stall_input"] += landed_at - lane
            counters["lane_stall_special"] += ready_at - landed_at
            counters["lane_stall_output"] += begin - ready_at
            lane = begin + time.length
            times["lane", (strip, phase, begin)] = lane
            ended[strip] = lane
            results = lane + time.results
        if time.group:
            group = max(special, begin + time.lead)
            special = group + time.group
            ready[strip, phase] = group + time.back
            times["special", (strip, phase, group)] = special
            if phase == len(phases) - 1:
                ended[strip] = max(ended.get(strip, 0), ready[strip, phase])
                results = max(results, special + constants.special)
        if phase == len(phases) - 1:
            times["result", (strip,)] = results
            if case.inputs:
                times["pop", (strip,)] = ended[strip]
    used = [bodies[size] for size in sizes]
    counters["strips"] = len(sizes)
    counters["instructions"] = len(sizes) * len(case.body)
    counters["lane_busy"] = sum(body.lane_beats for body in used)
    counters["lane_stall_dependence"] = sum(body.lane_length - body.lane_beats for body in used)
    counters["special_busy"] = sum(body.special_beats for body in used)
    counters["special_stall"] = special - counters["special_busy"]
    return times, counters


def parts_in_order(strips: int, phases: int, lag: int) -> list[tuple[int, int]]:
    """Strip and phase of the ports' work, in the order of the steps."""
    steps = range(strips + lag * phases)
    parts = ((step - lag * phase, phase) for step in steps for phase in range(phases))
    return [(strip, phase) for strip, phase in parts if 0 <= strip < strips]


def _limit(target: Target, case: Case) -> int:
    """Cycles that a kernel may take."""
    strips = -(-case.points // target.vlen)
    rows = target.vlen // target.lanes
    times = body_time(target, phases_of(case.body), target.lanes, target.vlen).phases
    work = sum(time.length + time.results + time.back for time in times)
    cycles = START_CYCLES + len(case.body) + strips * (work + 4 * rows)
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
