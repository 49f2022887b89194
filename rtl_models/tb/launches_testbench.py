"""The launch queue's tests on the machine's bench, inside the RTL simulator.

The folder has two cases: the first is done, and the second faults after the same work. Neither
writes what one of them reads, so both may run any number of times.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from rtl_models.tb import machine_testbench
from rtl_models.tb.host_bits import (
    ABORT,
    ABORTED,
    DONE,
    FAULTED,
    FLUSH,
    FREE,
    HELD,
    IRQ_ABORTED,
    IRQ_DONE,
    IRQ_EMPTY,
    IRQ_FAULT,
    IRQ_OVERRUN,
    KEEP_COUNTERS,
    RESUME,
    RUNNING,
    START,
)
from rtl_models.tb.machine_testbench import REST_CYCLES, read_cases

LAUNCHES = 9
limited = partial(cocotb.test, timeout_time=5, timeout_unit="ms")
"""A test with a limit of time, since a launch may never end."""


class Testbench(machine_testbench.Testbench):
    """The machine with the two cases, between a memory and a host that hesitate."""

    def __init__(self, dut: Any) -> None:
        memory, ((self.case, self.before, self.after), (self.wrong, _, _)) = read_cases()
        super().__init__(dut, **memory)

    async def reset(self) -> None:
        """Reset; then memory and host hesitate."""
        await super().reset()
        self.behave(cocotb.RANDOM_SEED, None)

    async def fill(self, *launches: tuple[dict[str, Any], int]) -> None:
        """Launch cases with their tags; memory does not answer, so that none ends."""
        requests = self.taken[0]
        requests.clear_pause_generator()
        requests.pause = True
        for number, (case, tag) in enumerate(launches, 1):
            if number == 1:
                await self.start(case, self.before, tag)
            else:
                await self.launch(case, START | tag << 16)
            assert await self.read("status") == RUNNING | waiting(number)

    def answer(self) -> None:
        """Let memory answer again."""
        self.behave(cocotb.RANDOM_SEED + 1, None)

    async def interrupt(self, enabled: int) -> None:
        """Wait for an interrupt of these, and clear it."""
        await self.write("irq_enable", enabled)
        if not int(self.dut.irq_o.value):
            await RisingEdge(self.dut.irq_o)
        await self.write("irq_pending", enabled)
        assert not int(self.dut.irq_o.value)

    async def check_end(self, launches: int, tag: int, beats: int, *cases: dict[str, Any]) -> None:
        """Check that the queue is empty and every launch over; the last has this tag and is done.

        Args:
            launches: how many have ended since reset.
            tag: of the last.
            beats: how many were written since memory was loaded.
            cases: the counters are the sums over these.
        """
        assert await self.read("status") == DONE | FREE
        assert await self.read("completed") == completed(launches, tag)
        await self.check_launches(*cases)
        assert self.memory.data == self.after
        assert self.memory.write_beats == beats


def waiting(launches: int) -> int:
    """Return `free` of `status` while this number of launches is in the queue."""
    return FREE - (launches << 16)


def completed(launches: int, tag: int) -> int:
    """Return the value of `completed`."""
    return launches | tag << 32


@limited()
async def launches(dut: Any) -> None:
    """A case whose runs leave its inputs alone, launched whenever the queue has room."""
    bench = Testbench(dut)
    await bench.reset()
    await bench.write("irq_enable", IRQ_EMPTY)
    room: list[int] = []
    await bench.start(bench.case, bench.before)
    for tag in range(1, LAUNCHES):
        while not (free := await bench.read("status") >> 16):
            assert not int(dut.irq_o.value), "got an interrupt for an empty queue that is full"
        room.append(free)
        await bench.write("control", START | tag << 16)
    assert min(room) == 1, "the queue was never full but for one"
    await bench.interrupt(IRQ_EMPTY)
    assert await bench.read("irq_pending") == IRQ_DONE
    beats = LAUNCHES * bench.case["counters"]["write_beats"]
    await bench.check_end(LAUNCHES, LAUNCHES - 1, beats, bench.case)


@limited()
async def tags(dut: Any) -> None:
    """The host sees the tag of each launch from the end of this launch to the end of the next."""
    bench = Testbench(dut)
    await bench.reset()
    given = Random(cocotb.RANDOM_SEED).sample(range(1, 1 << 16), 4)
    await bench.fill(*((bench.case, tag) for tag in given))
    bench.answer()
    seen = [0]
    done = False
    while not done:
        done = await bench.read("status") == DONE | FREE
        word = await bench.read("completed")
        if word != seen[-1]:
            seen.append(word)
    assert seen == [0, *(completed(number, tag) for number, tag in enumerate(given, 1))]


@limited()
async def overrun(dut: Any) -> None:
    """A launch into a full queue is lost, with an interrupt; those in the queue still run."""
    bench = Testbench(dut)
    await bench.reset()
    await bench.fill(*((bench.case, tag) for tag in (1, 2, 3, 4)))
    assert await bench.read("irq_pending") == 0
    for tag in (5, 6):
        await bench.launch(bench.wrong, START | tag << 16)
        assert await bench.read("irq_pending") == IRQ_OVERRUN
        assert await bench.read("status") == RUNNING | waiting(4)
        await bench.interrupt(IRQ_OVERRUN)
        assert await bench.read("irq_pending") == 0
    bench.answer()
    await bench.interrupt(IRQ_EMPTY)
    assert await bench.read("irq_pending") == IRQ_DONE
    await bench.check_end(4, 4, 4 * bench.case["counters"]["write_beats"], bench.case)


async def to_a_fault(dut: Any) -> Testbench:
    """Launch four, of which the second faults; two wait then."""
    bench = Testbench(dut)
    await bench.reset()
    case, wrong = bench.case, bench.wrong
    await bench.fill((case, 1), (wrong, 2), (case, 3), (case, 4))
    bench.answer()
    await bench.interrupt(IRQ_FAULT)
    for _ in range(2):
        assert await bench.read("status") == FAULTED | HELD | waiting(2)
        assert await bench.read("completed") == completed(2, 2)
        assert await bench.read("irq_pending") == IRQ_DONE
        await bench.check_launches(wrong)
        assert bench.memory.write_beats == 2 * case["counters"]["write_beats"]
        await bench.cycles(REST_CYCLES)
    await bench.write("irq_pending", IRQ_DONE)
    return bench


@limited()
async def fault_and_resume(dut: Any) -> None:
    """After a fault the other launches wait; after a resume they run as ever."""
    bench = await to_a_fault(dut)
    await bench.write("control", RESUME)
    await bench.interrupt(IRQ_EMPTY)
    assert await bench.read("irq_pending") == IRQ_DONE
    await bench.check_end(4, 4, 4 * bench.case["counters"]["write_beats"], bench.case)


@limited()
async def fault_and_flush(dut: Any) -> None:
    """A flush removes the launches that wait: a resume starts none; the next one runs as ever."""
    bench = await to_a_fault(dut)
    await bench.write("control", FLUSH)
    await bench.interrupt(IRQ_EMPTY)
    assert await bench.read("status") == FAULTED | HELD | FREE
    await bench.write("control", RESUME)
    await bench.cycles(REST_CYCLES)
    assert await bench.read("status") == FAULTED | FREE
    assert await bench.read("completed") == completed(2, 2)
    assert await bench.read("irq_pending") == 0
    await bench.launch(bench.case, START | 5 << 16)
    await bench.interrupt(IRQ_EMPTY)
    await bench.check_end(3, 5, 3 * bench.case["counters"]["write_beats"], bench.case)


@limited()
async def abort_and_resume(dut: Any) -> None:
    """After an abort the other launches wait; after a resume they run as ever."""
    bench = Testbench(dut)
    await bench.reset()
    case = bench.case
    await bench.fill(*((case, tag) for tag in (1, 2, 3)))
    bench.answer()
    while not bench.memory.write_beats:
        await bench.cycles()
    await bench.write("control", ABORT)
    await bench.interrupt(IRQ_ABORTED)
    for _ in range(2):
        assert await bench.read("status") == ABORTED | HELD | waiting(2)
        assert await bench.read("completed") == completed(1, 1)
        assert await bench.read("irq_pending") == 0
        await bench.check_rest(case)
    beats = bench.memory.write_beats
    assert beats < case["counters"]["write_beats"]
    await bench.write("control", RESUME)
    await bench.interrupt(IRQ_EMPTY)
    assert await bench.read("irq_pending") == IRQ_DONE
    await bench.check_end(3, 3, beats + 2 * case["counters"]["write_beats"], case)


@limited()
async def kept_counters(dut: Any) -> None:
    """Counters are kept if the launch was pushed so; the register's later value does not matter."""
    bench = Testbench(dut)
    await bench.reset()
    case, beats = bench.case, bench.case["counters"]["write_beats"]
    await bench.fill((case, 1))
    await bench.launch(case, START | KEEP_COUNTERS | 2 << 16)
    await bench.write("control", 0)
    bench.answer()
    await bench.interrupt(IRQ_EMPTY)
    await bench.check_end(2, 2, 2 * beats, case, case)
    await bench.launch(case, START | 3 << 16)
    await bench.write("control", KEEP_COUNTERS)
    await bench.interrupt(IRQ_EMPTY)
    await bench.check_end(3, 3, 3 * beats, case)
