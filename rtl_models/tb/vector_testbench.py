"""The part of the vector pipe's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge, with_timeout

from rtl_models.tb import testbench
from rtl_models.tb.testbench import CLOCK_NS


class Testbench(testbench.Testbench):
    """Resets `sv/vector_pipe_bench.sv` and lets it run its kernels."""

    async def play(self, cycles: int) -> None:
        """Wait until the last kernel has ended; fails if that takes more than `cycles`."""
        await with_timeout(RisingEdge(self.dut.done_o), cycles * CLOCK_NS, "ns")


@cocotb.test()
async def every_kernel(dut: Any) -> None:
    """Run all kernels, one after another without a reset between, or after one in mid-run."""
    bench = Testbench(dut)
    await bench.reset()
    reset_after = int(os.environ["BENCH_RESET_AFTER"])
    if reset_after:
        await bench.cycles(reset_after)
        await bench.reset()
    await bench.play(int(os.environ["BENCH_CYCLES"]) + 100)
