"""The AXI masters' bench inside the RTL simulator: the stream path on cocotbext-axi's memory."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any, BinaryIO

import cocotb
import numpy as np
from cocotbext.axi import AxiBus, AxiRam

from rtl_models.tb.stream_cases import MEMORY_BASE, MEMORY_BYTES, Case, load_cases, memory_bytes
from rtl_models.tb.stream_testbench import FOLDER, Report, Testbench
from rtl_models.tb.testbench import TARGET


class AxiTestbench(Testbench):
    """The stream path with a memory that checks the protocol and holds all five channels back."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.ram = AxiRam(
            AxiBus.from_prefix(dut, "m_axi"),
            dut.clk_i,
            dut.rst_ni,
            reset_active_level=False,
            size=MEMORY_BASE + MEMORY_BYTES,
        )
        reads, writes = self.ram.read_if, self.ram.write_if
        assert reads is not None
        assert writes is not None
        channels = (
            reads.ar_channel,
            reads.r_channel,
            writes.aw_channel,
            writes.w_channel,
            writes.b_channel,
        )
        for number, channel in enumerate(channels):
            channel.set_pause_generator(self._pauses(number))

    @staticmethod
    def _pauses(seed: int) -> Iterator[bool]:
        """Pause at random, now often, now hardly ever, so that queues run empty and full."""
        generator = random.Random(seed)
        while True:
            share = generator.choice([0.05, 0.3, 0.5, 0.9])
            for _ in range(generator.randrange(10, 200)):
                yield generator.random() < share

    async def run_on_ram(self, case: Case, stimuli: BinaryIO) -> Report:
        """Run one kernel; memory before and after are the file's."""
        before, after = (self._words(case, stimuli) for _ in range(2))
        rows = -(-case.points // TARGET.lanes)
        stimuli.seek(rows * len(case.inputs) * 4 * TARGET.lanes, os.SEEK_CUR)
        self.ram.write(MEMORY_BASE, before)
        report = await self.run(case)
        assert self.ram.read(MEMORY_BASE, len(after)) == after, f"{case}: memory is wrong"
        return report

    def _words(self, case: Case, stimuli: BinaryIO) -> bytes:
        """Read bus words, which are big-endian in the file."""
        words = np.frombuffer(stimuli.read(memory_bytes(TARGET, case)), np.uint8)
        return words.reshape(-1, TARGET.axi_bytes)[:, ::-1].tobytes()


@cocotb.test()
async def every_kernel(dut: Any) -> None:
    """Run all kernels under back-pressure on all channels: every bit is right."""
    bench = AxiTestbench(dut)
    await bench.reset()
    with (FOLDER / "stimuli.bin").open("rb") as stimuli:
        for case in load_cases(FOLDER / "cases.json"):
            bench.check(case, await bench.run_on_ram(case, stimuli))
