"""The landing buffer's bench inside the RTL simulator: strips in, rows out in any order."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly

from isa.load import load
from rtl_models.tb import testbench
from rtl_models.tb.testbench import TARGET

STRIPS = 60
ROWS = TARGET.vlen // TARGET.lanes
ROW_BITS = 32 * TARGET.lanes
ALL_LANES = (1 << TARGET.lanes) - 1
LANE_MASK = (1 << 32) - 1


class Testbench(testbench.Testbench):
    """A writer that lands strips row by row, and a reader that reads their rows in any order."""

    idle = (
        *("write_i", "write_address_i", "write_data_i", "strip_done_i"),
        *("read_i", "read_row_i", "pop_i"),
    )

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.slots = load().timing.landing_strips
        self.ready = load().timing.landing_ready
        self.memory = [0] * (self.slots * ROWS)
        self.complete: deque[int] = deque()
        """Cycles in which the strips that are not popped were completed."""
        self.full_lap = False
        self.now = 0
        self.checked = 0

    async def run(self, writes: float, pops: float) -> None:
        """Land STRIPS strips; `writes` and `pops` say how often the two ends move."""
        dut = self.dut
        landed = popped = row = 0
        asked: int | None = None
        while popped < STRIPS:
            write = landed < STRIPS and landed - popped < self.slots and random.random() < writes
            usable = sum(self.now >= cycle + 1 + self.ready for cycle in self.complete)
            read = usable > 0 and random.random() < 0.9
            pop = usable > 0 and random.random() < pops
            # Every lane has been written before some are left as they are.
            lanes = random.getrandbits(TARGET.lanes) if self.full_lap else ALL_LANES
            data = random.getrandbits(ROW_BITS)
            address = landed % self.slots * ROWS + row
            read_row = random.randrange(ROWS)
            last = write and row == ROWS - 1
            dut.write_i.value = lanes if write else 0
            dut.write_address_i.value, dut.write_data_i.value = address, data
            dut.strip_done_i.value = int(last)
            dut.read_i.value, dut.read_row_i.value = int(read), read_row
            dut.pop_i.value = int(pop)
            await ReadOnly()
            assert bool(dut.strip_valid_o.value) == (usable > 0), f"strip {popped}"
            if asked is not None:
                assert int(dut.row_o.value) == asked, f"a row of strip {popped}"
                self.checked += 1
            # What is asked for in this cycle is shown in the next.
            asked = self.memory[popped % self.slots * ROWS + read_row] if read else asked
            if write:
                self._write(address, lanes, data)
                row = 0 if last else row + 1
            if last:
                self.full_lap |= landed == self.slots - 1
                self.complete.append(self.now)
                landed += 1
            if pop:
                self.complete.popleft()
                popped += 1
            await self.cycles()
            self.now += 1

    def _write(self, address: int, lanes: int, data: int) -> None:
        """Write the lanes of a row whose bit is set."""
        mask = sum(LANE_MASK << 32 * n for n in range(TARGET.lanes) if lanes >> n & 1)
        self.memory[address] = self.memory[address] & ~mask | data & mask


@cocotb.test()
async def random_ends(dut: Any) -> None:
    """Strips come and go at random, at rates that keep the buffer full, empty, and moving."""
    bench = Testbench(dut)
    await bench.reset()
    for writes, pops in ((1.0, 1.0), (1.0, 0.02), (0.3, 0.9), (0.9, 0.1)):
        await bench.run(writes, pops)
    assert bench.checked > STRIPS
