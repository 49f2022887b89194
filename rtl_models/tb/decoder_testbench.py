"""The part of the decoder's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge


@cocotb.test()
async def words(dut: Any) -> None:
    """Let the bench play its file and read what its checker saw."""
    Clock(dut.clk_i, 10, "ns").start()
    dut.rst_ni.value = 0
    await FallingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.done_o)
    await FallingEdge(dut.clk_i)
    checked, wrong = int(dut.checked_o.value), int(dut.wrong_o.value)
    cocotb.log.info("%d words checked", checked)
    assert checked == int(os.environ["BENCH_WORDS"])
    first = f"{int(dut.first_wrong_o.value):#018x}: fault {int(dut.got_o.value)}"
    assert wrong == 0, f"{wrong} wrong, first {first}, expected {int(dut.expected_o.value)}"
