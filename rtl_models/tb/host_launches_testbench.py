"""The launch queue's part of the host registers' bench: launches in a row, aborts, interrupts."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Event, FallingEdge

from isa.load import load
from rtl_models.tb.host_bits import (
    ABORT,
    ABORTED,
    DEPTH,
    DONE,
    FAULTED,
    FLUSH,
    FREE,
    HELD,
    IRQ_ABORTED,
    IRQ_ALL,
    IRQ_DONE,
    IRQ_EMPTY,
    IRQ_FAULT,
    IRQ_OVERRUN,
    KEEP_COUNTERS,
    RESUME,
    RUNNING,
    START,
    STATE,
)
from rtl_models.tb.host_testbench import (
    CONTROL,
    COUNTERS,
    ENABLE,
    FAULT,
    KERNEL,
    PENDING,
    STATUS,
    Testbench,
    limited,
)

AROUND_THE_END = range(-8, 12)
"""Cycles from the end of a kernel to the start of a write that meets the end of its launch."""


@limited()
async def queue(dut: Any) -> None:
    """Launches run in order, each with its own program; one too many is lost; faults hold."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version
    code = load().faults["bad_version"].code

    # The first runs until its kernel is ended by hand, so the queue fills.
    end = Event()
    cocotb.start_soon(bench.kernel(end))
    await bench.dispatch(KERNEL, [version, 0x1000], 0, START | 0x1000 << 16)
    for at in (1, 2, 3):
        # The third launch faults; each has a packet of its own length.
        packet = [version + (at == 2)] + [0] * at
        await bench.dispatch("halt\n", packet, at, START | (0x1000 + at) << 16)
        assert await bench.get(STATUS) == RUNNING | (DEPTH - 1 - at) << 16
    assert await bench.get(PENDING) == 0
    assert await bench.write(CONTROL, START | 0xBAD << 16) == 0
    assert await bench.get(PENDING) == IRQ_OVERRUN
    assert await bench.get(STATUS) == RUNNING
    assert await bench.completed() == (0, 0)
    end.set()
    status = await bench.stopped()
    assert status == FAULTED | HELD | (DEPTH - 1) << 16
    assert await bench.get(FAULT) == code
    assert await bench.completed() == (3, 0x1002)
    assert await bench.get(PENDING) == IRQ_DONE | IRQ_FAULT | IRQ_OVERRUN

    # What waits goes on when the host says so, and not before; a push alone does not say so.
    await bench.dispatch("halt\n", [version], 0, START | 0x2000 << 16)
    assert await bench.get(STATUS) == FAULTED | HELD | (DEPTH - 2) << 16
    assert await bench.completed() == (3, 0x1002)
    await bench.write(CONTROL, RESUME)
    assert await bench.stopped() == DONE | FREE
    assert await bench.completed() == (5, 0x2000)
    assert await bench.get(PENDING) == IRQ_DONE | IRQ_FAULT | IRQ_EMPTY | IRQ_OVERRUN


@limited()
async def flushes(dut: Any) -> None:
    """A flush removes what has not started, while a launch runs and while a fault holds them."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version

    # A flush leaves the one that runs; with a start, that one comes after it.
    end = Event()
    cocotb.start_soon(bench.kernel(end))
    await bench.dispatch(KERNEL, [version, 0x1000], 0, START | 0x3000 << 16)
    for at in (1, 2, 3):
        await bench.dispatch("halt\n", [version], at, START | (0x3000 + at) << 16)
    assert await bench.get(STATUS) == RUNNING
    await bench.write(CONTROL, FLUSH)
    assert await bench.get(STATUS) == RUNNING | (DEPTH - 1) << 16
    for at in (1, 2, 3):
        await bench.dispatch("halt\n", [version], at, START | (0x4000 + at) << 16)
    await bench.write(CONTROL, START | FLUSH | 0x5000 << 16)
    assert await bench.get(STATUS) == RUNNING | (DEPTH - 2) << 16
    end.set()
    assert await bench.stopped() == DONE | FREE
    assert await bench.completed() == (2, 0x5000)

    # Flushed while a fault holds them: nothing is left to resume.
    await bench.dispatch("halt\n", [version + 1], 0, START | 0x6000 << 16)
    assert await bench.stopped() == FAULTED | HELD | FREE
    for at in (1, 2):
        await bench.dispatch("halt\n", [version], at, START | (0x6000 + at) << 16)
    await bench.write(PENDING, 15)
    await bench.write(CONTROL, FLUSH)
    assert await bench.get(STATUS) == FAULTED | HELD | FREE
    assert await bench.get(PENDING) == IRQ_EMPTY
    await bench.write(CONTROL, RESUME)
    assert await bench.get(STATUS) == FAULTED | FREE
    assert await bench.completed() == (3, 0x6000)


@limited()
async def sums(dut: Any) -> None:
    """A launch continues the counters of the one before if its push asks for that."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version
    alone = await bench.cycles_of(version, START)
    assert await bench.cycles_of(version, START | KEEP_COUNTERS) == 2 * alone
    # A fault of the version adds its cycles, and is the one that is told.
    both = await bench.cycles_of(version + 1, START | KEEP_COUNTERS)
    assert both == 3 * alone - 1
    assert await bench.get(FAULT) & 0xFF == load().faults["bad_version"].code
    assert await bench.cycles_of(version, START | RESUME) == alone


@limited()
async def aborts(dut: Any) -> None:
    """An abort ends what runs once the bus is idle, and holds the queue; else it does nothing."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version
    # Nothing runs: nothing happens, now or later.
    await bench.write(CONTROL, ABORT)
    await bench.dispatch("halt\n", [version], 0, START | 0x7000 << 16)
    assert await bench.stopped() == DONE | FREE
    assert await bench.get(PENDING) == IRQ_DONE | IRQ_EMPTY
    await bench.write(PENDING, IRQ_ALL)

    end = Event()
    kernel = cocotb.start_soon(bench.kernel(end))
    await bench.dispatch(KERNEL, [version, 0x1000], 0, START | 0x7001 << 16)
    await bench.dispatch("halt\n", [version], 1, START | 0x7002 << 16)
    while not int(dut.go_o.value):
        await FallingEdge(dut.clk_i)
    await bench.write(CONTROL, ABORT)
    cycles = await bench.get(COUNTERS)
    assert cycles > 0
    dut.step_i.value, dut.step_size_i.value = -1 & (1 << len(load().counters)) - 1, 1
    for _ in range(10):
        assert int(dut.draining_o.value)
        assert await bench.get(STATUS) == RUNNING | (DEPTH - 2) << 16
        assert await bench.completed() == (1, 0x7000)
    dut.step_i.value = dut.step_size_i.value = 0
    dut.bus_idle_i.value = 1
    assert await bench.stopped() == ABORTED | HELD | (DEPTH - 1) << 16
    assert not int(dut.draining_o.value)
    kernel.cancel()
    assert await bench.get(PENDING) == IRQ_ABORTED
    assert await bench.completed() == (2, 0x7001)
    assert await bench.get(FAULT) == 0
    assert await bench.get(COUNTERS) == cycles
    for index in range(1, len(load().counters)):
        assert await bench.get(COUNTERS + 8 * index) == 0, index
    assert await bench.write(ENABLE, IRQ_ABORTED) == 0
    assert int(dut.irq_o.value) == 1

    # What waits is as ever. An abort while the queue is held has no effect.
    await bench.write(CONTROL, ABORT)
    assert await bench.get(STATUS) == ABORTED | HELD | (DEPTH - 1) << 16
    await bench.write(CONTROL, RESUME)
    assert await bench.stopped() == DONE | FREE
    assert await bench.completed() == (3, 0x7002)


@limited()
async def interrupts(dut: Any) -> None:
    """The line is high while an enabled interrupt is pending; writing 1 clears that one."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version
    for enabled in range(32):
        assert await bench.write(ENABLE, enabled) == 0
        assert int(dut.irq_o.value) == 0
        end = Event()
        cocotb.start_soon(bench.kernel(end))
        await bench.dispatch(KERNEL, [version, 0x1000], 0, START | RESUME)
        for at in (1, 2, 3):
            await bench.dispatch("halt\n", [version + (at == 3)], at, START)
        assert int(dut.irq_o.value) == 0
        await bench.write(CONTROL, START)
        end.set()
        await bench.stopped()
        assert await bench.get(PENDING) == 15
        left = 15
        for bit in bench.random.sample((1, 2, 4, 8), 4):
            assert int(dut.irq_o.value) == bool(left & enabled)
            assert await bench.write(PENDING, 0) == 0
            assert await bench.write(PENDING, bit) == 0
            left &= ~bit
            assert await bench.get(PENDING) == left


@limited()
async def interrupts_while_the_host_writes(dut: Any) -> None:
    """An interrupt in the cycle in which the host clears another, or the same, stays pending."""
    bench = Testbench(dut)
    await bench.reset()
    bench.hesitates = False
    every = IRQ_DONE | IRQ_EMPTY
    for cleared in (IRQ_OVERRUN, every):
        seen: list[int] = []
        for delay in AROUND_THE_END:
            await bench.write(PENDING, IRQ_ALL)
            await bench.write_around_the_end(1, 0, PENDING, cleared, delay)
            await bench.stopped()
            seen.append(await bench.get(PENDING))
        # Writes before the events or with them clear nothing, later ones what they say.
        kept = len(seen) if cleared == IRQ_OVERRUN else seen.index(0)
        assert kept > 0
        assert seen == [every] * kept + [0] * (len(seen) - kept)


@limited()
async def aborts_between_launches(dut: Any) -> None:
    """An abort around the end of a launch ends that one or the next, which would run for ever."""
    bench = Testbench(dut)
    await bench.reset()
    bench.hesitates = False
    ended: list[int] = []
    for delay in AROUND_THE_END:
        await bench.write(CONTROL, FLUSH | RESUME)
        await bench.write_around_the_end(2, 2 * len(ended), CONTROL, ABORT, delay)
        dut.bus_idle_i.value = 1
        assert await bench.stopped() & (STATE | HELD) == ABORTED | HELD
        dut.bus_idle_i.value = 0
        _, tag = await bench.completed()
        ended.append(tag - 2 * len(ended))
    first = ended.index(1)
    assert first > 0
    assert ended == [0] * first + [1] * (len(ended) - first)
