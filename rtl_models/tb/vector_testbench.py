"""The part of the vector pipe's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout

CLOCK_NS = 10


class Testbench:
    """Resets `sv/vector_pipe_bench.sv` and lets it run its kernels."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        Clock(dut.clk_i, CLOCK_NS, "ns").start()

    async def reset(self) -> None:
        """Hold reset for one cycle; the kernels start anew."""
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 0
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1

    async def play(self, cycles: int) -> None:
        """Wait until the last kernel has ended; fails if that takes longer than so many cycles."""
        await with_timeout(RisingEdge(self.dut.done_o), cycles * CLOCK_NS, "ns")


@cocotb.test()
async def every_kernel(dut: Any) -> None:
    """Run all kernels, one after another without a reset between, or after one in mid-run."""
    bench = Testbench(dut)
    await bench.reset()
    reset_after = int(os.environ["HWC_RESET_AFTER"])
    if reset_after:
        await ClockCycles(dut.clk_i, reset_after)
        await bench.reset()
    await bench.play(int(os.environ["HWC_CYCLES"]) + 100)
