"""The landing buffer's bench inside the RTL simulator: strips in, rows out in any order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import ReadOnly

from isa.load import load
from rtl_models.tb import testbench
from rtl_models.tb.testbench import TARGET

STRIPS = 60
READS = 0.9
"""How often a port asks for a row."""
PORTS = 2
ROWS = TARGET.vlen // TARGET.lanes
ROW_BITS = 32 * TARGET.lanes
ALL_LANES = (1 << TARGET.lanes) - 1
LANE_MASK = (1 << 32) - 1


class Strip(NamedTuple):
    """A strip of some rows at a row address, and the first cycle in which it is used."""

    address: int
    rows: int
    begin: int


class Testbench(testbench.Testbench):
    """A writer that lands strips row by row, and two readers that read rows of strips at work."""

    idle = (
        *("write_i", "write_address_i", "write_data_i", "strip_done_i", "strip_row_i"),
        *("read_address_i", "strip_begin_i"),
    )

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.timing = load().timing
        self.slots = self.timing.landing_strips
        self.memory = [0] * (self.slots * ROWS)
        self.address_bits = (len(self.memory) - 1).bit_length()
        self.landed: deque[Strip] = deque()
        """The strips that have not begun, with the cycle in which they may."""
        self.full_lap = False
        self.now = 0
        self.checked = 0

    async def run(self, writes: float, begins: float, ends: float) -> None:
        """Land STRIPS strips; the arguments say how often rows come, and strips begin and end."""
        dut, c = self.dut, self.timing
        landed = ended = row = rest = 0
        rows = self._rows(landed)
        on_their_way: deque[tuple[int, int, int, int]] = deque()
        at_work: deque[Strip] = deque()
        while ended < STRIPS:
            room = landed < STRIPS and landed - ended < self.slots
            write = room and rest == 0 and random.random() < writes
            due = bool(self.landed) and self.landed[0].begin <= self.now + 1
            usable = bool(self.landed) and self.landed[0].begin <= self.now
            begin = usable and random.random() < begins
            if begin:
                at_work.append(self.landed.popleft()._replace(begin=self.now))
            asked = [self._row_to_ask(at_work) for _ in range(PORTS)]
            # Every lane has been written before some are left as they are.
            lanes = random.getrandbits(TARGET.lanes) if self.full_lap else ALL_LANES
            data = random.getrandbits(ROW_BITS)
            address = landed % self.slots * ROWS
            last = write and row == rows - 1
            # A row is written as late as it may be: in the cycle before it may be asked for.
            if write:
                written = self.now + c.last_row_ready - 1
                on_their_way.append((written, lanes, address + row, data))
            expected = [None if at is None else self.memory[at] for at in asked]
            self._write_next(on_their_way)
            dut.strip_done_i.value = int(last)
            dut.strip_row_i.value = row
            dut.read_address_i.value = packed((at or 0 for at in asked), self.address_bits)
            dut.strip_begin_i.value = int(begin)
            await ReadOnly()
            assert bool(dut.strip_due_o.value) == due, f"cycle {self.now}: {self.landed}"
            rest = max(0, rest - 1)
            if write:
                row += 1
            if last:
                self.full_lap |= landed == self.slots - 1
                ready = max(c.landing_ready, c.last_row_ready - (rows - 1))
                self.landed.append(Strip(address, rows, self.now + 1 + ready))
                # A strip of few rows is a kernel's last, and the next kernel comes later.
                rest = ready - c.landing_ready
                landed += 1
                row, rows = 0, self._rows(landed)
            if at_work and random.random() < ends and self.now >= at_work[0].begin:
                at_work.popleft()
                ended += 1
            await self.cycles()
            self._check(expected, f"cycle {self.now}, strips {list(at_work)}")
            self.now += 1

    def _rows(self, strip: int) -> int:
        """The rows of a strip: all, unless each of them has been written before."""
        return random.choice((ROWS, ROWS, min(2, ROWS), 1)) if strip >= self.slots else ROWS

    def _row_to_ask(self, at_work: Sequence[Strip]) -> int | None:
        """The address of a row that a port asks for, or none.

        Row k of a strip may be asked for k - 1 cycles after the strip's begin.
        """
        if not at_work or random.random() > READS:
            return None
        strip = random.choice(at_work)
        return strip.address + random.randrange(min(strip.rows, self.now - strip.begin + 2))

    def _check(self, expected: Iterable[int | None], where: str) -> None:
        """Compare the rows that are shown with those that were asked for in the cycle before."""
        shown = int(self.dut.row_o.value)
        for port, row in enumerate(expected):
            if row is not None:
                got = shown >> port * ROW_BITS & (1 << ROW_BITS) - 1
                assert got == row, f"port {port}, {where}"
                self.checked += 1

    def _write_next(self, rows: deque[tuple[int, int, int, int]]) -> None:
        """Write the row whose cycle has come: its cycle, a bit for each lane, address and data."""
        self.dut.write_i.value = 0
        if rows and rows[0][0] == self.now:
            _, lanes, address, data = rows.popleft()
            self.dut.write_i.value, self.dut.write_data_i.value = lanes, data
            self.dut.write_address_i.value = address
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
