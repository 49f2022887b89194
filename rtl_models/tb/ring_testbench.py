"""The ring's bench inside the RTL simulator, under cocotb."""

from __future__ import annotations

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge

CYCLES = 20_000


class Testbench:
    """Lets `sv/ring_bench.sv` run and reads what it saw."""

    def __init__(self, dut: HierarchyObject) -> None:
        self.dut = dut
        Clock(dut.clk_i, 10, "ns").start()

    async def reset(self) -> None:
        """Empty ring and model."""
        for name in ("run_i", "clear_i", "element_shift_i"):
            getattr(self.dut, name).value = 0
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 2)
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1

    async def run(self, element_shift: int, cycles: int) -> None:
        """Run on elements of 2^element_shift bytes, after a clear."""
        await FallingEdge(self.dut.clk_i)
        self.dut.clear_i.value = 1
        self.dut.element_shift_i.value = element_shift
        await FallingEdge(self.dut.clk_i)
        self.dut.clear_i.value = 0
        self.dut.run_i.value = 1
        await ClockCycles(self.dut.clk_i, cycles)
        await FallingEdge(self.dut.clk_i)
        self.dut.run_i.value = 0
        await ClockCycles(self.dut.clk_i, 2)


@cocotb.test()
async def every_phase(dut: HierarchyObject) -> None:
    """Every window is right, for every element size, over many laps of the ring."""
    bench = Testbench(dut)
    await bench.reset()
    for element_shift in (0, 1, 2):
        laps, checked = int(dut.laps_o.value), int(dut.checked_o.value)
        await bench.run(element_shift, CYCLES)
        assert int(dut.wrong_o.value) == 0, f"{int(dut.wrong_o.value)} bytes are wrong"
        assert int(dut.checked_o.value) > checked + CYCLES // 2
        assert int(dut.laps_o.value) > laps + 10
