"""The machine's bench inside the RTL simulator: cocotbext-axi is its memory and its host.

The cases come from files, see `test_machine.py`; what is expected is in them.
"""

from __future__ import annotations

import json
import logging
import os
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiSlave

from isa.load import load
from rtl_models.simulation.host_registers import registers
from rtl_models.tb import testbench
from rtl_models.tb.host_bits import (
    ABORT,
    ABORTED,
    AXI_ERROR,
    DONE,
    FAULTED,
    FREE,
    HELD,
    IDLE,
    IRQ_ABORTED,
    IRQ_ALL,
    IRQ_DONE,
    IRQ_EMPTY,
    RESUME,
    RUNNING,
    START,
    STATE,
)
from rtl_models.tb.slow_memory import DelayQueue, ErrorQueue, Memory, latencies, pauses
from rtl_models.tb.testbench import CLOCK_NS, TARGET

REST_CYCLES = 20
MODEL_CYCLES = 1
"""Cycles that cocotbext-axi's memory takes by itself, from a request to its first beat."""

BYTES_WRITTEN = list(load().counters).index("bytes_written")


class Testbench(testbench.Testbench):
    """The machine between cocotbext-axi's memory and its host."""

    def __init__(self, dut: Any, base: int = 0x1000, size: int = 4096) -> None:
        super().__init__(dut)
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)  # of every access
        self.registers = registers()
        self.memory = Memory(base, bytes(size), TARGET.axi_bytes)
        common = {"clock": dut.clk_i, "reset": dut.rst_ni, "reset_active_level": False}
        bus = AxiBus.from_prefix(dut, "m_axi")
        self.slave: Any = AxiSlave(bus, target=self.memory, **common)
        self.host: Any = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), **common)
        reads, writes = self.slave.read_if, self.slave.write_if
        self.taken = (reads.ar_channel, writes.aw_channel, writes.w_channel)
        self.given = (reads.r_channel, writes.b_channel)
        self.asking = (
            *(self.host.write_if.aw_channel, self.host.write_if.w_channel),
            *(self.host.write_if.b_channel, self.host.read_if.ar_channel),
            self.host.read_if.r_channel,
        )
        for channel in self.taken:
            channel.queue = DelayQueue()
        self.beats = ErrorQueue()
        reads.r_channel.queue = self.beats

    def behave(self, seed: int, latency: int | None) -> None:
        """Give memory this latency, in cycles, or let memory and host hesitate at random."""
        random = Random(seed)
        for channel in self.taken:
            steady = None if latency is None else repeat(latency - MODEL_CYCLES)
            channel.queue.latencies = steady or latencies(random)
            channel.queue.most = 0
            channel.queue_occupancy_limit = -1 if steady else random.choice([1, 2, 8, -1])
        for channel in (*self.taken, *self.given, *self.asking):
            hesitant = latency is None and random.random() < 0.8
            channel.set_pause_generator(pauses(Random(random.random())) if hesitant else None)
            channel.pause = False

    async def write(self, name: str, value: int) -> None:
        """Write a register of the host."""
        answer = await self.host.write(self.registers[name], value.to_bytes(8, "little"))
        assert answer.resp == AxiResp.OKAY, name

    async def read(self, name: str, index: int = 0) -> int:
        """Read a register of the host."""
        answer = await self.host.read(self.registers[name] + 8 * index, 8)
        assert answer.resp == AxiResp.OKAY, name
        return int.from_bytes(answer.data, "little")

    async def start(self, case: dict[str, Any], before: bytes, tag: int = 0) -> None:
        """Load memory and launch the case; a fault before it is over with."""
        error, at = case["error"] or ("", None)
        self.memory.load(before, at if error == "write" else None)
        self.beats.count = 0
        self.beats.at = at if error == "read" else None
        await self.launch(case, START | RESUME | tag << 16)

    async def launch(self, case: dict[str, Any], control: int) -> None:
        """Set the registers of a dispatch, and write this to the one for control."""
        for name in ("program_address", "program_words", "packet_address", "packet_words"):
            await self.write(name, case[name])
        await self.write("window_base", case["window"][0])
        await self.write("window_limit", case["window"][1])
        await self.write("control", control)

    async def run(self, case: dict[str, Any], before: bytes) -> None:
        """Run to the end; fails if that does not come."""

        async def stopped() -> None:
            await RisingEdge(self.dut.running_o)
            await FallingEdge(self.dut.running_o)

        end = cocotb.start_soon(stopped())
        await self.start(case, before)
        await with_timeout(end, CLOCK_NS * (200_000 + 60 * case["cycles"]), "ns")

    async def break_off(self, case: dict[str, Any], before: bytes) -> None:
        """Start, and reset after some beats of a kind, while more of that kind are in flight.

        If none are from there on, half as many beats are tried, and so on.
        """
        kind, beats = case["reset"]
        while not await self._reach(case, before, kind, beats):
            assert beats, "nothing was ever on its way"
            beats //= 2
        await self.reset()
        assert (await self.read("status"), await self.read("fault")) == (IDLE | FREE, 0)
        for index in range(len(load().counters)):
            assert await self.read("counter", index) == 0

    async def _reach(self, case: dict[str, Any], before: bytes, kind: str, beats: int) -> bool:
        """Start, and wait for `beats` beats with more in flight; False if the run ends first."""
        await self.start(case, before)
        channel = self.taken[0] if kind == "read" else self.taken[2]
        while True:
            await self.cycles()
            if not int(self.dut.running_o.value):
                return False
            done = self.memory.read_beats.sum() if kind == "read" else self.memory.write_beats
            if done >= beats and not channel.empty():
                return True

    async def abort(self, case: dict[str, Any], before: bytes) -> bool:
        """Start, and abort some cycles later: the bus comes to rest, nothing more is written.

        Returns False if the run was over before the host's write arrived.
        """
        await self.write("irq_pending", IRQ_ALL)
        await self.start(case, before)
        await self.cycles(case["abort"])
        await self.write("control", ABORT)
        if await self.read("irq_pending") & IRQ_DONE:
            return False
        while (status := await self.read("status")) & STATE == RUNNING:
            pass
        assert status == ABORTED | HELD | FREE
        assert await self.read("irq_pending") == IRQ_ABORTED | IRQ_EMPTY
        await self.check_rest(case)
        return True

    async def check_rest(self, case: dict[str, Any]) -> None:
        """After an abort of the only launch since memory was loaded: the bus is at rest."""
        memory = self.memory
        for channel in (*self.taken, *self.given):
            assert channel.empty(), "the machine has stopped with a burst on its way"
        reached, written = bytes(memory.data), memory.written.sum()
        outputs = mask(case["writes"], memory.base, len(reached))
        assert (outputs | (memory.written == 0)).all(), "got writes outside of the outputs"
        assert await self.read("counter", BYTES_WRITTEN) == written, "a word was lost"
        await self.cycles(REST_CYCLES)
        assert memory.data == reached

    async def check(self, case: dict[str, Any], after: bytes) -> None:
        """Compare memory, status, fault, counters, and what the bus was used for."""
        status = FREE | (DONE if case["status"] == "done" else FAULTED | HELD)
        assert await self.read("status") == status | (AXI_ERROR if case["error"] else 0)
        await self.check_launches(case)
        if case["latency"] == TARGET.memory_latency:
            assert await self.read("counter") == case["cycles"]
        memory = self.memory
        assert memory.data == after, f"{np.flatnonzero(different(memory.data, after)).size} bytes"
        self._check_reads(case)
        written = mask(case["writes"], memory.base, len(after))
        assert (written == (memory.written != 0)).all(), "got writes outside of the outputs"
        assert memory.written.sum() == case["counters"]["bytes_written"]
        assert memory.write_beats == case["counters"]["write_beats"]
        for channel in (*self.taken, *self.given):
            assert channel.empty()
        if case["crowd"]:
            # A strip is a burst. The oldest has left the queue and waits at its output.
            strips = TARGET.input_streams * load().timing.fetched_strips
            assert self.taken[0].queue.most >= min(TARGET.outstanding, strips) - 1

    async def check_launches(self, *cases: dict[str, Any]) -> None:
        """Compare the fault of the last case, and counters that are sums over all of them."""
        code, pc, stream, dimension = cases[-1]["fault"]
        assert await self.read("fault") == code | stream << 8 | dimension << 16 | pc << 32
        for index, name in enumerate(load().counters):
            if name in cases[-1]["counters"]:
                total = sum(case["counters"][name] for case in cases)
                assert await self.read("counter", index) == total, name

    def _check_reads(self, case: dict[str, Any]) -> None:
        memory = self.memory
        wanted = mask(case["reads"], memory.base, len(memory.data)).reshape(-1, memory.word)
        read = memory.read_beats != 0
        assert (wanted.any(axis=1) == read).all(), "got reads of other words than the operands"
        assert memory.read_beats.sum() == case["counters"]["read_beats"] + case["load_beats"]


def read_cases() -> tuple[dict[str, int], list[tuple[dict[str, Any], bytes, bytes]]]:
    """Return memory's base and size, and the folder's cases with memory before and after each."""
    folder = Path(os.environ["HWC_CASES"])
    found = json.loads((folder / "cases.json").read_text())
    cases = [
        (case, (folder / f"{n}.before").read_bytes(), (folder / f"{n}.after").read_bytes())
        for n, case in enumerate(found["cases"])
    ]
    return {"base": found["base"], "size": found["size"]}, cases


def different(one: bytes | bytearray, other: bytes) -> np.ndarray:
    """Say which bytes differ."""
    return np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8)


def mask(ranges: list[tuple[int, int]], base: int, size: int) -> np.ndarray:
    """Mark the bytes of address ranges."""
    marked = np.zeros(size, bool)
    for first, end in ranges:
        marked[first - base : end - base] = True
    return marked


@cocotb.test()
async def dispatches(dut: Any) -> None:
    """Run every case of the folder: all that no timing changes is as the simulator says."""
    memory, cases = read_cases()
    bench = Testbench(dut, **memory)
    await bench.reset()
    aborted: list[bool] = []
    for case, before, after in cases:
        begin = get_sim_time("ns")
        bench.behave(case["seed"], case["latency"])
        try:
            if case["reset"]:
                await bench.break_off(case, before)
            if case["abort"] is not None:
                aborted.append(await bench.abort(case, before))
            await bench.run(case, before)
            await bench.cycles(REST_CYCLES)
            await bench.check(case, after)
        except BaseException:
            print(f"{case['name']}, memory's seed {case['seed']}")
            raise
        cycles = (get_sim_time("ns") - begin) / CLOCK_NS
        cocotb.log.info("%s: %d cycles, simulator %d", case["name"], cycles, case["cycles"])
    assert 2 * sum(aborted) >= len(aborted), "most runs were over before they were aborted"


ATTRIBUTES = ("cache", 4, 0), ("prot", 3, 4), ("qos", 4, 8)
"""Of a burst: the end of the signal's name, its bits, and where they lie in the register."""


@cocotb.test()
async def bus_attributes(dut: Any) -> None:
    """Bursts have the attributes that the host asked for, and keep them while they wait."""
    memory, ((case, before, _),) = read_cases()
    bench = Testbench(dut, **memory)
    await bench.reset()
    bench.behave(cocotb.RANDOM_SEED, None)
    random = Random(cocotb.RANDOM_SEED)
    seen: dict[str, set[int]] = {"ar": set(), "aw": set()}

    async def watch(channel: str) -> None:
        signals = [(getattr(dut, f"m_axi_{channel}{name}"), at) for name, _, at in ATTRIBUTES]
        valid, ready = (getattr(dut, f"m_axi_{channel}{name}") for name in ("valid", "ready"))
        while True:
            await RisingEdge(dut.clk_i)
            if int(valid.value) and int(ready.value):
                seen[channel].add(sum(int(signal.value) << at for signal, at in signals))

    for channel in seen:
        cocotb.start_soon(watch(channel))

    def drawn() -> int:
        return sum(random.getrandbits(bits) << at for _, bits, at in ATTRIBUTES)

    read = write = 0
    for _ in range(5):
        read, write = drawn(), drawn()
        await bench.write("bus_attributes", read | write << 16)
        await bench.run(case, before)
        assert seen == {"ar": {read}, "aw": {write}}
        for bursts in seen.values():
            bursts.clear()
    # While it runs, a host may ask for others; the checkers see whether a burst that waits changes.
    asked = {"ar": {read}, "aw": {write}}
    run = cocotb.start_soon(bench.run(case, before))
    while not run.done():
        read, write = drawn(), drawn()
        asked["ar"].add(read)
        asked["aw"].add(write)
        await bench.write("bus_attributes", read | write << 16)
    for channel, bursts in seen.items():
        assert len(bursts) > 1, channel
        assert bursts <= asked[channel], channel


WRITABLE = {  # the bits that there are
    "program_address": (1 << 64) - 64,
    "program_words": (1 << 32) - 1,
    "packet_address": (1 << 64) - 64,
    "packet_words": (1 << 32) - 1,
    "window_base": (1 << 64) - 4096,
    "window_limit": (1 << 64) - 4096,
    "irq_enable": 31,
    "bus_attributes": 0x0F7F_0F7F,
}
AFTER_RESET = dict.fromkeys(WRITABLE, 0) | {"bus_attributes": 0x0002_0002}


async def write_strobed(bench: Testbench, offset: int, value: int, strobe: int) -> AxiResp:
    """Write any bytes of a register, not only neighbours, which the host's own `write` cannot."""
    port = bench.host.write_if
    address, word = port.aw_channel._transaction_obj(), port.w_channel._transaction_obj()
    address.awaddr, word.wdata, word.wstrb = offset, value, strobe
    await port.aw_channel.send(address)
    await port.w_channel.send(word)
    return AxiResp(int((await port.b_channel.recv()).bresp))


@cocotb.test()
async def host_registers(dut: Any) -> None:
    """Registers under back-pressure: strobes, what is only read, what is not there, many reads."""
    bench = Testbench(dut)
    await bench.reset()
    bench.behave(cocotb.RANDOM_SEED, None)
    random = Random(cocotb.RANDOM_SEED)
    offsets = bench.registers
    count = len(load().counters)
    counters = [offsets["counter"] + 8 * index for index in range(count)]
    for name in ("control", "fault", "completed", "irq_pending"):
        assert await bench.read(name) == 0
    for name, value in AFTER_RESET.items():
        assert await bench.read(name) == value
    assert await bench.read("status") == IDLE | FREE
    values = dict(AFTER_RESET)
    for _ in range(200):
        name, value, strobe = (
            random.choice(list(WRITABLE)),
            random.getrandbits(64),
            random.choice([0xFF, random.getrandbits(8)]),
        )
        assert await write_strobed(bench, offsets[name], value, strobe) == AxiResp.OKAY
        mask = WRITABLE[name] & sum(0xFF << 8 * n for n in range(8) if strobe >> n & 1)
        values[name] = values[name] & ~mask | value & mask
        name = random.choice(list(WRITABLE))
        assert await bench.read(name) == values[name], name

    others = "control", "status", "fault", "completed", "irq_pending"
    there = {offsets[name] for name in (*WRITABLE, *others)} | set(counters)
    assert len(there) == len(WRITABLE) + len(others) + count
    holes = [n for n in range(0, 1 << len(dut.s_axil_awaddr), 8) if n not in there]
    assert holes
    for offset in holes:
        assert (await bench.host.read(offset, 8)).resp == AxiResp.SLVERR, hex(offset)
    only_read = [offsets[name] for name in ("status", "fault", "completed")]
    for offset in (*holes, *only_read, *counters):
        assert (await bench.host.write(offset, b"\xff" * 8)).resp == AxiResp.SLVERR, hex(offset)
    # A write to `control` starts nothing unless it writes the byte of the start bit.
    assert await write_strobed(bench, offsets["control"], 1, 0xFE) == AxiResp.OKAY

    # Many reads at a time: the answers are in order.
    names = [random.choice(list(WRITABLE)) for _ in range(50)]
    reads = [cocotb.start_soon(bench.read(name)) for name in names]
    assert [await read for read in reads] == [values[name] for name in names]
    assert await bench.read("status") == IDLE | FREE
    assert not int(dut.running_o.value)
