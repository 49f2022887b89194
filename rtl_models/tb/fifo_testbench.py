"""The queue's bench inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge

CYCLES = 3000


class Testbench:
    """Drives both ends at random and compares with a deque, cycle by cycle."""

    def __init__(self, dut: HierarchyObject) -> None:
        self.dut = dut
        self.depth = int(os.environ["HWC_DEPTH"])
        self.model: deque[int] = deque()
        self.seen_full = self.seen_empty = False
        Clock(dut.clk_i, 10, "ns").start()

    async def reset(self) -> None:
        """Empty queue and model."""
        self.dut.valid_i.value = 0
        self.dut.ready_i.value = 0
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 2)
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        self.model.clear()

    async def cycle(self, push: bool, pop: bool) -> None:
        """Offer a word, ask for one, and compare all outputs before the clock edge."""
        dut, model = self.dut, self.model
        word = random.randrange(1 << 16)
        dut.valid_i.value = int(push)
        dut.data_i.value = word
        dut.ready_i.value = int(pop)
        full, empty = len(model) == self.depth, not model
        self.seen_full |= full
        self.seen_empty |= empty
        assert bool(dut.ready_o.value) == (not full)
        assert bool(dut.valid_o.value) == (not empty)
        if not empty:
            assert int(dut.data_o.value) == model[0]
            if pop:
                model.popleft()
        if push and not full:
            model.append(word)
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def random_ends(dut: HierarchyObject) -> None:
    """Both ends come and go at random, at rates that fill and drain the queue."""
    bench = Testbench(dut)
    for _ in range(3):
        await bench.reset()
        for phase in range(10):
            pushes, pops = (0.9, 0.3) if phase % 2 else (0.3, 0.9)
            for _ in range(CYCLES // 30):
                await bench.cycle(random.random() < pushes, random.random() < pops)
    assert bench.seen_full
    assert bench.seen_empty
