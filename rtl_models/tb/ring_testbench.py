"""The ring's bench inside the RTL simulator, under cocotb."""

from __future__ import annotations

from typing import Any

import cocotb

from rtl_models.tb import testbench

CYCLES = 20_000


class Testbench(testbench.Testbench):
    """Lets `sv/ring_bench.sv` run and reads what it saw."""

    idle = ("run_i", "clear_i", "element_shift_i")

    async def run(self, element_shift: int, cycles: int) -> None:
        """Run on elements of 2^element_shift bytes, after a clear."""
        self.dut.element_shift_i.value = element_shift
        await self.pulse(self.dut.clear_i)
        self.dut.run_i.value = 1
        await self.cycles(cycles)
        self.dut.run_i.value = 0
        await self.cycles(2)


@cocotb.test()
async def every_phase(dut: Any) -> None:
    """Every window is right, for every element size, over many laps of the ring."""
    bench = Testbench(dut)
    await bench.reset()
    for element_shift in (0, 1, 2):
        laps, checked = int(dut.laps_o.value), int(dut.checked_o.value)
        await bench.run(element_shift, CYCLES)
        assert int(dut.wrong_o.value) == 0, f"{int(dut.wrong_o.value)} bytes are wrong"
        assert int(dut.checked_o.value) > checked + CYCLES // 2
        assert int(dut.laps_o.value) > laps + 10
