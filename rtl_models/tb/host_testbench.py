"""The part of the host registers' bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, Event, FallingEdge, RisingEdge

from isa.asm import assemble
from isa.load import load
from isa.operands import O
from rtl_models.tb import testbench
from rtl_models.tb.host_bits import (
    AXI_ERROR,
    DONE,
    FAULTED,
    FREE,
    HELD,
    IDLE,
    RESUME,
    RUNNING,
    START,
    STATE,
)
from rtl_models.tb.testbench import TARGET
from sim.kernel import Stream
from sim.timing import load_cycles, setup_cycles

MEMORY_BASE = 65536
PROGRAM, PACKET = MEMORY_BASE + 0x400, MEMORY_BASE + 0x800
SLAVE_ERROR = 2

WRITABLE = {  # offset: bits that a write sets
    0x00: (1 << 64) - 64,
    0x08: (1 << 32) - 1,
    0x10: (1 << 64) - 64,
    0x18: (1 << 32) - 1,
    0x20: (1 << 64) - 4096,
    0x28: (1 << 64) - 4096,
    0x50: 31,
    0x60: 0x0F7F_0F7F,
}
AFTER_RESET = dict.fromkeys(WRITABLE, 0) | {0x60: 0x0002_0002}
CONTROL, STATUS, FAULT, COMPLETED, ENABLE, PENDING, COUNTERS = (
    *(0x30, 0x38, 0x40, 0x48, 0x50, 0x58),
    0x100,
)


limited = partial(cocotb.test, timeout_time=1, timeout_unit="ms")
"""A test with a limit of time, since a start, an answer or an end may never come."""


class Testbench(testbench.Testbench):
    """A host that takes its time on every channel, if it `hesitates`, and stubbed engines."""

    hesitates = True

    idle = (
        *("aw_valid_i", "w_valid_i", "b_ready_i", "ar_valid_i", "r_ready_i"),
        *("done_i", "axi_error_i", "bus_idle_i", "step_i", "step_size_i"),
    )

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.random = Random(cocotb.RANDOM_SEED)

    async def _wait(self) -> None:
        for _ in range(self.random.choice((0, 0, 0, 1, 4)) if self.hesitates else 0):
            await FallingEdge(self.dut.clk_i)

    async def _send(self, valid: Any, ready: Any) -> None:
        """Hold `valid` until a cycle in which `ready` is high."""
        await self._wait()
        valid.value = 1
        while True:
            await RisingEdge(self.dut.clk_i)
            taken = int(ready.value)
            await FallingEdge(self.dut.clk_i)
            if taken:
                valid.value = 0
                return

    async def write(self, offset: int, value: int, strobe: int = 0xFF) -> int:
        """Write a register; returns the response."""
        dut = self.dut
        dut.aw_address_i.value = offset
        dut.w_data_i.value = value
        dut.w_strobe_i.value = strobe
        sends = [
            cocotb.start_soon(self._send(dut.aw_valid_i, dut.aw_ready_o)),
            cocotb.start_soon(self._send(dut.w_valid_i, dut.w_ready_o)),
        ]
        for send in sends:
            await send
        while not int(dut.b_valid_o.value):
            await FallingEdge(dut.clk_i)
        await self._wait()
        response = int(dut.b_response_o.value)
        dut.b_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.b_ready_i.value = 0
        return response

    async def read(self, offset: int) -> tuple[int, int]:
        """Read a register; returns value and response."""
        dut = self.dut
        dut.ar_address_i.value = offset
        await self._send(dut.ar_valid_i, dut.ar_ready_o)
        while not int(dut.r_valid_o.value):
            await FallingEdge(dut.clk_i)
        await self._wait()
        result = int(dut.r_data_o.value), int(dut.r_response_o.value)
        dut.r_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.r_ready_i.value = 0
        return result

    async def get(self, offset: int) -> int:
        """Read a register that there is."""
        value, response = await self.read(offset)
        assert response == 0
        return value

    def store(self, address: int, words: list[int]) -> None:
        """Put 64-bit words into memory."""
        words_per_beat = TARGET.axi_bytes // 8
        for at in range(0, len(words), words_per_beat):
            value = sum(word << 64 * n for n, word in enumerate(words[at : at + words_per_beat]))
            row = (address - MEMORY_BASE) // TARGET.axi_bytes + at // words_per_beat
            self.dut.u_memory.u_memory.words[row].value = value

    async def dispatch(
        self, text: str, packet: list[int], at: int = 0, control: int = START | RESUME
    ) -> tuple[int, int]:
        """Set up and start a program; returns words of program and packet.

        Args:
            text: the program.
            packet: its words.
            at: where they lie; programs with other numbers below 4 do not touch them.
            control: what is written to start it.
        """
        words = assemble(text)
        program, packet_address = PROGRAM + at * 0x100, PACKET + at * 0x100
        self.store(program, words)
        self.store(packet_address, packet)
        values = (program, len(words), packet_address, len(packet), 0x1000, 0x3000)
        for offset, value in zip(list(WRITABLE)[: len(values)], values, strict=True):
            assert await self.write(offset, value) == 0
        assert await self.write(CONTROL, control) == 0
        return len(words), len(packet)

    async def stopped(self) -> int:
        """Poll status until the program has stopped; returns the last status."""
        while True:
            status = await self.get(STATUS)
            if status & STATE != RUNNING:
                return status

    async def kernel(self, end: Event) -> None:
        """Wait for a kernel to begin, and end it after `end`."""
        while not int(self.dut.go_o.value):
            await FallingEdge(self.dut.clk_i)
        await end.wait()
        await FallingEdge(self.dut.clk_i)
        self.dut.done_i.value = 1 - int(self.dut.draining_o.value)  # engines may be in reset
        await FallingEdge(self.dut.clk_i)
        self.dut.done_i.value = 0

    async def write_around_the_end(
        self, launches: int, tag: int, offset: int, value: int, delay: int
    ) -> None:
        """Launch kernels, end the first, and write a register `delay` cycles later, or earlier.

        Args:
            launches: how many kernels are launched; the others begin and do not end.
            tag: the tag of the first launch; the others have the tags after it.
            offset: of the register.
            value: what is written there.
            delay: cycles.
        """
        end = Event()
        kernel = cocotb.start_soon(self.kernel(end))
        for at in range(launches):
            packet = [load().version, 0x1000]
            await self.dispatch(KERNEL, packet, at, START | RESUME | (tag + at) << 16)
        while not int(self.dut.go_o.value):
            await FallingEdge(self.dut.clk_i)

        async def ends() -> None:
            await ClockCycles(self.dut.clk_i, max(0, -delay) + 1)
            end.set()
            await kernel

        ending = cocotb.start_soon(ends())
        await ClockCycles(self.dut.clk_i, max(0, delay) + 1)
        await FallingEdge(self.dut.clk_i)
        await self.write(offset, value)
        await ending

    async def cycles_of(self, version: int, control: int) -> int:
        """Run a program of one word; returns the counter of cycles after it."""
        await self.dispatch("halt\n", [version], 0, control)
        await self.stopped()
        return await self.get(COUNTERS)

    async def completed(self) -> tuple[int, int]:
        """How many launches have ended, and the tag of the last."""
        value = await self.get(COMPLETED)
        return value & 0xFFFF_FFFF, value >> 32


KERNEL = "base o0, f32, rank=1, p0, +0\nsize o0, 0, #5\nloop\nmov o0, #1\nend\nhalt\n"


@limited()
async def registers(dut: Any) -> None:
    """Values, strobes, what cannot be written, what is not there."""
    bench = Testbench(dut)
    await bench.reset()
    random = bench.random
    for offset in (CONTROL, FAULT, COMPLETED, PENDING):
        assert await bench.read(offset) == (0, 0)
    values = dict(AFTER_RESET)
    for offset, value in values.items():
        assert await bench.read(offset) == (value, 0)
    for _ in range(200):
        offset = random.choice(list(WRITABLE))
        value, strobe = random.getrandbits(64), random.choice((0xFF, random.getrandbits(8)))
        assert await bench.write(offset, value, strobe) == 0
        mask = sum(0xFF << 8 * n for n in range(8) if strobe >> n & 1) & WRITABLE[offset]
        values[offset] = values[offset] & ~mask | value & mask
        offset = random.choice(list(WRITABLE))
        assert await bench.get(offset) == values[offset]
    last = COUNTERS + 8 * (len(load().counters) - 1)
    for offset in (STATUS, FAULT, COMPLETED, COUNTERS, last, last + 8, 0x68, 0xF8):
        assert await bench.write(offset, (1 << 64) - 1) == SLAVE_ERROR
    for offset in (last + 8, 0x68, 0xF8):
        assert (await bench.read(offset))[1] == SLAVE_ERROR
    for offset, value in values.items():
        assert await bench.get(offset) == value
    assert await bench.get(STATUS) == IDLE | FREE


@limited()
async def programs(dut: Any) -> None:
    """Programs that end, that fault, that meet an AXI error; the host sees it, and starts again."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version

    images = await bench.dispatch("halt\n", [version])
    assert await bench.stopped() == DONE | FREE
    loaded = load_cycles(TARGET, ((PROGRAM, images[0]), (PACKET, images[1])))
    assert await bench.get(COUNTERS) == loaded + 1

    # A program that runs has what the registers held when it was pushed. Its kernel may begin
    # before the host has written them all.
    async def kernel() -> None:
        while not int(dut.go_o.value):
            await FallingEdge(dut.clk_i)
        for cycle in range(40):
            dut.done_i.value = cycle == 39
            await FallingEdge(dut.clk_i)
        dut.done_i.value = 0

    work = cocotb.start_soon(kernel())
    images = await bench.dispatch(KERNEL, [version, 0x1000])
    loaded = load_cycles(TARGET, ((PROGRAM, images[0]), (PACKET, images[1])))
    assert await bench.get(STATUS) == RUNNING | FREE - (1 << 16)
    for offset in WRITABLE:
        assert await bench.write(offset, 0) == 0
    await work
    assert await bench.stopped() == DONE | FREE
    assert await bench.get(FAULT) == 0
    output = Stream.dense(O(0), load().types["f32"], 0x1000, (5,))
    setup = setup_cycles(TARGET, 2, [], [output])
    assert await bench.get(COUNTERS) == loaded + 2 + setup + 40

    # A fault with everything in it.
    await bench.dispatch("base o0, f32, rank=2, p0, +0\nsize o0, 1, p1\nhalt\n", [version, 0])
    assert await bench.stopped() == FAULTED | HELD | FREE
    code = load().faults["bad_parameter"].code
    assert await bench.get(FAULT) == code | 40 << 8 | 1 << 16 | 1 << 32

    # An AXI error in a kernel; then a start that forgets it.
    await bench.dispatch(KERNEL, [version, 0x1000])
    while not int(dut.go_o.value):
        await FallingEdge(dut.clk_i)
    dut.axi_error_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.axi_error_i.value = 0
    assert await bench.get(STATUS) == RUNNING | AXI_ERROR | FREE - (1 << 16)
    dut.done_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.done_i.value = 0
    assert await bench.stopped() == FAULTED | AXI_ERROR | HELD | FREE
    assert await bench.get(FAULT) == 2 << 32
    await bench.dispatch("halt\n", [version])
    assert await bench.stopped() == DONE | FREE
    assert await bench.completed() == (5, 0)


@limited()
async def counters(dut: Any) -> None:
    """Every counter counts its own steps, and starts again with a program."""
    bench = Testbench(dut)
    await bench.reset()
    await FallingEdge(dut.clk_i)  # they are cleared in the first cycle after reset
    version, count = load().version, len(load().counters)
    sums = [0] * count
    for _ in range(300):
        step, size = bench.random.getrandbits(count) & ~1, bench.random.randrange(65)
        size = min(size, max(TARGET.axi_bytes, TARGET.burst_beats))
        dut.step_i.value, dut.step_size_i.value = step, size
        await FallingEdge(dut.clk_i)
        sums = [total + size * (step >> n & 1) for n, total in enumerate(sums)]
    dut.step_i.value = 0
    for n, total in enumerate(sums):
        assert await bench.get(COUNTERS + 8 * n) == total
    await bench.dispatch("halt\n", [version])
    assert await bench.stopped() == DONE | FREE
    for n in range(1, count):
        assert await bench.get(COUNTERS + 8 * n) == 0
