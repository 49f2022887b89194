"""The part of the arithmetic units' bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

import isa
from rtl_models.tb import testbench


class Testbench(testbench.Testbench):
    """Resets `sv/unit_bench.sv`, lets it play its file and reads the counts of its checker."""

    async def play(self) -> None:
        """Wait until the last result of the file has been checked."""
        await RisingEdge(self.dut.done_o)

    def verdict(self) -> None:
        """Fail if a result was wrong or in another cycle than the unit's depth says."""
        checked = int(self.dut.checked.value)
        wrong_results = int(self.dut.wrong_results.value)
        wrong_cycles = int(self.dut.wrong_cycles.value)
        cocotb.log.info("%d results checked", checked)
        assert checked > 0, "no result was checked"
        assert wrong_cycles == 0, f"valid_o was wrong in {wrong_cycles} cycles"
        assert wrong_results == 0, f"{wrong_results} of {checked} wrong, first: {self._first()}"

    def _first(self) -> str:
        """Return the first wrong result with its operands."""
        record = int(self.dut.first_wrong.value)
        opcode, a, b, c, expected = (record >> shift & 0xFFFFFFFF for shift in (128, 96, 64, 32, 0))
        name = isa.decode(opcode & 0xFF).name
        got = int(self.dut.first_wrong_result.value)
        return f"{name} a={a:08x} b={b:08x} c={c:08x}: expected {expected:08x}, got {got:08x}"


@cocotb.test()
async def reset_in_mid_run(dut: Any) -> None:
    """A reset forgets operations in flight: no earlier result shows after the reset."""
    bench = Testbench(dut)
    await bench.reset()
    await bench.cycles(200)
    await bench.reset()
    await bench.cycles(200)
    bench.verdict()


@cocotb.test()
async def every_result(dut: Any) -> None:
    """Every result of the file is golden's and comes in its cycle."""
    bench = Testbench(dut)
    await bench.reset()
    await bench.play()
    bench.verdict()
