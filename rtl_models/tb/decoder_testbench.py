"""The part of the decoder's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from rtl_models.tb import testbench


class Testbench(testbench.Testbench):
    """Lets `sv/decoder_bench.sv` play its file and reads the counts of its checker."""

    async def play(self) -> None:
        """Wait until the last word has been checked."""
        await RisingEdge(self.dut.done_o)
        await self.cycles()

    def verdict(self) -> None:
        """Fail if a word was decoded wrongly, or not at all."""
        dut = self.dut
        checked, wrong = int(dut.checked_o.value), int(dut.wrong_o.value)
        cocotb.log.info("%d words checked", checked)
        assert checked == int(os.environ["BENCH_WORDS"])
        first = f"{int(dut.first_wrong_o.value):#018x}: fault {int(dut.got_o.value)}"
        assert wrong == 0, f"{wrong} wrong, first {first}, expected {int(dut.expected_o.value)}"


@cocotb.test()
async def words(dut: Any) -> None:
    """Every word is decoded as the package isa decodes it."""
    bench = Testbench(dut)
    await bench.reset()
    await bench.play()
    bench.verdict()
