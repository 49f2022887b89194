"""Host, memory and engines around a sequencer, for its bench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from isa.dispatch import NO_FAULT, STATUSES, Fault
from isa.load import load
from isa.operands import O, S
from rtl_models.stream_descriptor import DESCRIPTOR
from rtl_models.tb import testbench
from rtl_models.tb.program_cases import Dispatch, Expected, expected
from rtl_models.tb.testbench import TARGET
from sim.kernel import Kernel

MEMORY_BASE = 65536
MEMORY_BYTES = 8192 * TARGET.axi_bytes
START_LEAD = load().timing.setup_start - 2
"""Cycles from `kernel_start_o` to `go_o`."""


@dataclass(frozen=True)
class Result:
    """What the registers say after a run."""

    status: str
    fault: Fault | None
    cycles: int
    axi_error: bool


class Testbench(testbench.Testbench):
    """Host, memory and engines of a sequencer."""

    idle = ("start_i", "axi_error_i", "done_i", "body_read_i", "body_pc_i", "stall_i")

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.random = Random(cocotb.RANDOM_SEED)
        self.found: Counter[str] = Counter()
        self.prepared = 0
        cocotb.start_soon(self.watch())
        self._fault = DESCRIPTOR.layout("fault_t", TARGET)
        self._names = {f.code: f.name for f in load().faults.values()}

    async def reset(self) -> None:
        """Reset with all inputs at rest."""
        await super().reset()
        assert self._status() == "idle"

    def _status(self) -> str:
        return STATUSES[int(self.dut.status_o.value)]

    def choose_addresses(self, dispatch: Dispatch) -> tuple[int, int]:
        """Choose addresses of program and packet."""
        half = MEMORY_BYTES // 128
        program = self.random.randrange(half - len(dispatch.words) // 8 - 1)
        packet = half + self.random.randrange(half - len(dispatch.packet) // 8 - 1)
        return MEMORY_BASE + 64 * program, MEMORY_BASE + 64 * packet

    async def begin(
        self, dispatch: Dispatch, addresses: tuple[int, int], program_words: int | None = None
    ) -> None:
        """Store program and packet, set the registers, start."""
        dut = self.dut
        program, packet = addresses
        self._store(program, dispatch.words)
        self._store(packet, dispatch.packet)
        dut.program_address_i.value = program
        dut.program_words_i.value = len(dispatch.words) if program_words is None else program_words
        dut.packet_address_i.value = packet
        dut.packet_words_i.value = len(dispatch.packet)
        dut.window_base_i.value, dut.window_limit_i.value = dispatch.window
        await self.start()

    async def start(self) -> None:
        """Pulse start."""
        self.dut.start_i.value = 1
        await FallingEdge(self.dut.clk_i)
        self.dut.start_i.value = 0

    def _store(self, address: int, words: tuple[int, ...]) -> None:
        words_per_beat = TARGET.axi_bytes // 8
        first = address % TARGET.axi_bytes // 8
        padded = [*[0] * first, *words]
        for at in range(0, len(padded), words_per_beat):
            value = 0
            for index, word in enumerate(padded[at : at + words_per_beat]):
                value |= word << 64 * index
            row = (address - MEMORY_BASE) // TARGET.axi_bytes + at // words_per_beat
            self.dut.u_memory.u_memory.words[row].value = value

    def result(self) -> Result:
        """Read the registers."""
        dut = self.dut
        fault = self._fault.unpack(int(dut.fault_o.value))
        pc = int(dut.fault_pc_o.value)
        found = None
        if fault["code"] or pc:
            name = self._names.get(fault["code"], NO_FAULT)
            found = Fault(name, pc, fault["stream"], fault["dimension"])
        return Result(
            self._status(), found, int(dut.cycles_o.value), bool(int(dut.axi_error_o.value))
        )

    async def store(self, dispatch: Dispatch, kernel: Kernel, length: int) -> None:
        """Be the engines of a kernel for `length` cycles from the start of its store on."""
        dut = self.dut
        while not int(dut.store_go_o.value):
            await FallingEdge(dut.clk_i)
        first = kernel.pc + 1
        assert int(dut.points_o.value) == kernel.points
        assert int(dut.body_first_o.value) == first
        assert int(dut.body_words_o.value) == len(kernel.body)
        assert int(dut.inputs_o.value) == sum(1 << s.code - S(0) for s in kernel.inputs)
        assert int(dut.outputs_o.value) == sum(1 << s.code - O(0) for s in kernel.outputs)
        for at in range(length):
            assert int(dut.store_go_o.value) == (at == 0)
            if at:
                pc = first + (at - 1) % len(kernel.body)
                assert int(dut.body_word_o.value) == dispatch.words[pc]
            dut.body_read_i.value = at < length - 1
            dut.body_pc_i.value = first + at % len(kernel.body)
            dut.done_i.value = at == length - 1
            await FallingEdge(dut.clk_i)
        dut.done_i.value = 0

    async def store_all(self, dispatch: Dispatch, want: Expected, lengths: Sequence[int]) -> None:
        """Be the engines of all kernels."""
        for number, (_, kernel) in enumerate(want.kernels):
            await self.store(dispatch, kernel, lengths[min(number, len(lengths) - 1)])

    async def watch(self) -> None:
        """Note when the engines are told to prepare themselves."""
        while True:
            await RisingEdge(self.dut.kernel_start_o)
            await FallingEdge(self.dut.clk_i)
            self.prepared = int(self.dut.cycles_o.value)

    async def play(self, dispatch: Dispatch, *, exact: bool = True) -> Expected:
        """Run a dispatch to its end; its fault, cycles and kernels equal the simulator's."""
        dut = self.dut
        addresses = self.choose_addresses(dispatch)
        lengths = [self.random.choice((1, 2, 3, 6, 30, 100)) for _ in range(4)]
        want = expected(TARGET, dispatch, addresses, lengths)
        await self.begin(dispatch, addresses)
        engines = cocotb.start_soon(self.store_all(dispatch, want, lengths if exact else [1]))
        for started, _ in want.kernels:
            while not int(dut.go_o.value):
                assert int(dut.running_o.value), "the program stopped before its kernel"
                await FallingEdge(dut.clk_i)
            now = int(dut.cycles_o.value)
            assert now - self.prepared >= START_LEAD, "the fetch has no time to prepare"
            if exact:
                assert now == started, "the kernel starts in another cycle"
            await FallingEdge(dut.clk_i)
        while int(dut.running_o.value):
            await FallingEdge(dut.clk_i)
            assert not int(dut.go_o.value), "a kernel that should not be"
        await engines
        await FallingEdge(dut.clk_i)
        got = self.result()
        assert got.fault == want.fault, (
            f"got {_said(got.fault)}, expected {_said(want.fault)}: {dispatch}"
        )
        assert got.status == ("fault" if want.fault else "done"), got
        assert not got.axi_error
        if exact:
            assert got.cycles == want.cycles, f"{got}, expected {want}"
        self.found[want.fault.name if want.fault else "done"] += 1
        return want


def _said(fault: Fault | None) -> str:
    """Say a fault in words."""
    if fault is None:
        return "no fault"
    where = f"stream {fault.stream}, dimension {fault.dimension}"
    return f"fault {fault.name} at pc {fault.pc}, {where}"
