"""What all testbenches that run inside the RTL simulator share."""

from __future__ import annotations

import os
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from isa.target import load_target

CLOCK_NS = 10
TARGET = load_target(os.environ.get("BENCH_TARGET", "accel"))
"""The target that the bench was built for."""


class Testbench:
    """A bench's clock and reset; signals change at the clock's falling edge."""

    idle: tuple[str, ...] = ()
    """Inputs that are 0 at rest."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        # Registers hold anything at first, so that the first edge of the clock has to find a reset.
        dut.rst_ni.value = 0
        Clock(dut.clk_i, CLOCK_NS, "ns").start(start_high=False)

    async def cycles(self, count: int = 1) -> None:
        """Wait for the falling edge after the next `count` rising edges."""
        await ClockCycles(self.dut.clk_i, count, FallingEdge)

    async def reset(self) -> None:
        """Hold reset for a cycle, with all inputs at rest."""
        await self.cycles()
        for name in self.idle:
            getattr(self.dut, name).value = 0
        self.dut.rst_ni.value = 0
        await self.cycles()
        self.dut.rst_ni.value = 1

    async def pulse(self, signal: Any) -> None:
        """Hold a signal high for one cycle."""
        signal.value = 1
        await self.cycles()
        signal.value = 0
