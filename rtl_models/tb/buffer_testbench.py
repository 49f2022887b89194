"""The landing buffer's bench inside the RTL simulator: strips in, rows out in any order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly

from isa.load import load
from rtl_models.tb import testbench
from rtl_models.tb.testbench import TARGET

STRIPS = 60
PORTS = 2
ROWS = TARGET.vlen // TARGET.lanes
ROW_BITS = 32 * TARGET.lanes
ALL_LANES = (1 << TARGET.lanes) - 1
LANE_MASK = (1 << 32) - 1


class Testbench(testbench.Testbench):
    """A writer that lands strips row by row, and two readers that read rows of strips at work."""

    idle = (
        *("write_i", "next_write_address_i", "write_data_i", "strip_done_i"),
        *("read_address_i", "strip_begin_i"),
    )

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.slots = load().timing.landing_strips
        self.ready = load().timing.landing_ready
        self.memory = [0] * (self.slots * ROWS)
        self.address_bits = (len(self.memory) - 1).bit_length()
        self.complete: deque[int] = deque()
        """Cycles in which the strips that have not begun were completed."""
        self.full_lap = False
        self.now = 0
        self.checked = 0

    async def run(self, writes: float, begins: float, ends: float) -> None:
        """Land STRIPS strips; the arguments say how often rows come, and strips begin and end."""
        dut = self.dut
        landed = begun = ended = row = 0
        rows_on_their_way: deque[tuple[int, int, int, int]] = deque()
        asked: list[int | None] = [None] * PORTS
        while ended < STRIPS:
            write = landed < STRIPS and landed - ended < self.slots and random.random() < writes
            usable = sum(self.now >= cycle + 1 + self.ready for cycle in self.complete)
            due = sum(self.now >= cycle + self.ready for cycle in self.complete)
            begin = usable > 0 and random.random() < begins
            at_work = range(ended, begun + begin)
            reads = [bool(at_work) and random.random() < 0.9 for _ in range(PORTS)]
            rows = [
                random.choice(at_work) % self.slots * ROWS + random.randrange(ROWS) if read else 0
                for read in reads
            ]
            # Every lane has been written before some are left as they are.
            lanes = random.getrandbits(TARGET.lanes) if self.full_lap else ALL_LANES
            data = random.getrandbits(ROW_BITS)
            address = landed % self.slots * ROWS + row
            last = write and row == ROWS - 1
            # A row is written as late as it may be: its strip may be used in that cycle.
            if write:
                rows_on_their_way.append((self.now + 1 + self.ready, lanes, address, data))
            self._write_next(rows_on_their_way)
            dut.strip_done_i.value = int(last)
            dut.read_address_i.value = packed(rows, self.address_bits)
            dut.strip_begin_i.value = int(begin)
            await ReadOnly()
            assert bool(dut.strip_due_o.value) == (due > 0), f"strip {begun}"
            if asked != [None] * PORTS:
                shown = int(dut.row_o.value)
                for port, at in enumerate(asked):
                    if at is not None:
                        got = shown >> port * ROW_BITS & (1 << ROW_BITS) - 1
                        assert got == self.memory[at], f"port {port}, strips {at_work}"
                        self.checked += 1
            # What is asked for in this cycle is shown in the next, as it is then.
            asked = [at if read else None for read, at in zip(reads, rows, strict=True)]
            if write:
                row = 0 if last else row + 1
            if last:
                self.full_lap |= landed == self.slots - 1
                self.complete.append(self.now)
                landed += 1
            if begin:
                self.complete.popleft()
                begun += 1
            if ended < begun and random.random() < ends:
                ended += 1
            await self.cycles()
            self.now += 1

    def _write_next(self, rows: deque[tuple[int, int, int, int]]) -> None:
        """Write the row whose cycle has come, and give the address of one that comes next.

        A row is its cycle, a bit for each lane to write, address and data.
        """
        self.dut.write_i.value = 0
        if rows and rows[0][0] == self.now:
            _, lanes, address, data = rows.popleft()
            self.dut.write_i.value, self.dut.write_data_i.value = lanes, data
            self._write(lanes, address, data)
        if rows and rows[0][0] == self.now + 1:
            self.dut.next_write_address_i.value = rows[0][2]

    def _write(self, lanes: int, address: int, data: int) -> None:
        """Write the lanes of a row whose bit is set."""
        mask = sum(LANE_MASK << 32 * n for n in range(TARGET.lanes) if lanes >> n & 1)
        self.memory[address] = self.memory[address] & ~mask | data & mask


def packed(values: Iterable[int], bits: int) -> int:
    """Return values beside each other, the first one lowest."""
    return sum(value << bits * index for index, value in enumerate(values))


@cocotb.test()
async def random_ends(dut: Any) -> None:
    """Strips come and go at random, at rates that keep the buffer full, empty, and moving."""
    bench = Testbench(dut)
    await bench.reset()
    for rates in ((1.0, 1.0, 1.0), (1.0, 0.02, 1.0), (0.3, 0.9, 0.5), (0.9, 0.5, 0.02)):
        await bench.run(*rates)
    assert bench.checked > STRIPS
