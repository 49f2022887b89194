"""The part of the stream path's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge, with_timeout

from isa.load import load
from rtl_models.stream_descriptor import DESCRIPTOR
from rtl_models.structs import join
from rtl_models.tb import testbench
from rtl_models.tb.stream_cases import (
    Case,
    load_cases,
    memory_bytes,
    output_word,
    shape_word,
)
from rtl_models.tb.testbench import CLOCK_NS, TARGET
from sim.counters import ANY_TIMING
from sim.timing import kernel_time
from sim.trace import StripRecord

FOLDER = Path(os.environ["BENCH_FOLDER"])
PLAN_CYCLES = 14
"""Cycles from start_i to go_i, the fewest that the planners take."""

RESET_CYCLES = (1, 9, 40, 90, 150)
"""Cycles after the kernel's start at which it is reset."""

VECTOR = tuple(
    name
    for name in load().counters
    if name in ("strips", "instructions") or name.startswith(("lane_", "special_"))
)
"""Counters of the vector pipe, which the bench only stands in for."""


@dataclass
class Report:
    """What the bench wrote of one kernel: strips of engines, counters, and faults it saw."""

    strips: dict[tuple[str, int, int], tuple[int, int]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)


class Testbench(testbench.Testbench):
    """Plays kernels into `sv/stream_bench.sv` and compares what happened with the timing model."""

    idle = ("load_i", "start_i", "go_i", "shape_i", "output_i", "points_i", "words_i", "stall_i")

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.stalls = bool(os.environ["BENCH_STALLS"])
        self._trace = FOLDER / "trace.txt"

    async def reset(self) -> None:
        """Bring everything to its idle state."""
        await super().reset()
        self.dut.stall_i.value = int(self.stalls)
        self._reports = self._read_reports(self._trace.stat().st_size)

    async def run(self, case: Case) -> Report:
        """Run one kernel to its end."""
        await self.start(case)
        limit = 200 * case.points + 100_000
        await with_timeout(RisingEdge(self.dut.done_o), limit * CLOCK_NS, "ns")
        return next(self._reports)

    async def start(self, case: Case) -> None:
        """Load memory and start a kernel."""
        dut, kernel = self.dut, case.kernel(TARGET)
        shapes = [shape_word(TARGET, s, case.iteration) for s in kernel.inputs]
        outputs = [output_word(TARGET, s) for s in kernel.outputs]
        await self.cycles()
        dut.words_i.value = memory_bytes(TARGET, case) // TARGET.axi_bytes
        dut.shape_i.value = join(shapes, DESCRIPTOR.layout("stream_shape_t", TARGET).bits)
        dut.output_i.value = join(outputs, DESCRIPTOR.layout("output_shape_t", TARGET).bits)
        dut.points_i.value = case.points
        await self.pulse(dut.load_i)
        await self.pulse(dut.start_i)
        await self.cycles(PLAN_CYCLES)
        await self.pulse(dut.go_i)

    def check(self, case: Case, report: Report) -> None:
        """Every bit right; without stalls, every cycle of every strip and every counter."""
        rows = -(-case.points // TARGET.lanes)
        assert report.values.pop("checked_rows") == rows * len(case.inputs), case
        assert all(value == 0 for value in report.values.values()), f"{case}: {report.values}"
        trace: list[StripRecord] = []
        expected = kernel_time(TARGET, case.kernel(TARGET), trace=trace)
        if self.stalls:
            for name in ANY_TIMING:
                assert name in VECTOR or report.counters[name] == expected[name], f"{case}: {name}"
            return
        inputs = load().operands["input"].first
        for record in trace:
            stream = record.stream - inputs if record.engine == "broadcast" else 0
            got = report.strips[record.engine, stream, record.strip]
            want = (record.start, record.start if record.engine == "fetch" else record.end)
            where = f"{case}: {record.engine} of stream {stream}, strip {record.strip}"
            assert got == want, f"{where}: {got}, not {want}"
        for name, value in expected.items():
            if name not in VECTOR:
                assert report.counters[name] == value, f"{case}: {name}"

    def _read_reports(self, position: int) -> Iterator[Report]:
        """Read the bench's trace on from a position as it grows."""
        names = list(load().counters)
        report = Report()
        with self._trace.open(encoding="utf-8") as file:
            file.seek(position)
            while True:
                line = file.readline()
                if not line:
                    raise AssertionError("the trace ends before the kernel's report")
                key, *values = line.split()
                if key == "end":
                    yield report
                    report = Report()
                elif key == "counter":
                    report.counters[names[int(values[0])]] = int(values[1])
                elif len(values) == 1:
                    report.values[key] = int(values[0])
                else:
                    stream, strip, begin, end = (int(value) for value in values)
                    report.strips[key, stream, strip] = (begin, end)


@cocotb.test()
async def reset_in_mid_run(dut: Any) -> None:
    """A reset at any time forgets the kernel: the next one is right."""
    bench = Testbench(dut)
    case = load_cases(FOLDER / "cases.json")[0]
    for cycles in RESET_CYCLES:
        await bench.reset()
        await bench.start(case)
        await bench.cycles(cycles)
        await bench.reset()
        bench.check(case, await bench.run(case))


@cocotb.test()
async def every_kernel(dut: Any) -> None:
    """Run all kernels, one after another without a reset between."""
    bench = Testbench(dut)
    await bench.reset()
    for case in load_cases(FOLDER / "cases.json"):
        bench.check(case, await bench.run(case))
