"""The part of the sequencer's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

import isa
from isa.asm import assemble
from isa.dispatch import NO_FAULT, STATUSES, Fault
from isa.load import load
from isa.operands import O, S
from rtl_models.stream_descriptor import DESCRIPTOR
from rtl_models.tb import testbench
from rtl_models.tb.program_cases import Dispatch, Expected, Programs, expected
from rtl_models.tb.testbench import TARGET
from sim.kernel import Kernel
from sim.timing import load_cycles

MEMORY_BASE = 65536
MEMORY_BYTES = 8192 * TARGET.axi_bytes
STOPPED = 4
"""Cycles after which a stopped sequencer is sure to stay so."""
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


def _small() -> Dispatch:
    """A program of one small kernel."""
    words = assemble("base o0, f32, rank=1, p0, +0\nsize o0, 0, #5\nloop\nmov o0, #1\nend\nhalt\n")
    return Dispatch(tuple(words), (load().version, 0x1000), (0x1000, 0x2000))


def _said(fault: Fault | None) -> str:
    """Say a fault in words."""
    if fault is None:
        return "no fault"
    where = f"stream {fault.stream}, dimension {fault.dimension}"
    return f"fault {fault.name} at pc {fault.pc}, {where}"


@cocotb.test()
async def limits(dut: Any) -> None:
    """Images of every odd size: none, full, too large, a wrong version, a missing one."""
    bench = Testbench(dut)
    await bench.reset()
    version = load().version
    halt, rest = isa.encode("halt"), (0, 1 << 20)
    full = (isa.encode("base", stream=O(0), type="i8", rank=0, param=0, offset=0),)
    most, packets = TARGET.instruction_words, TARGET.parameter_words
    body = [isa.encode("loop"), *[isa.encode("mov", dst=0, a=63, imm=7)] * (most - 5)]
    body += [isa.encode("mov", dst=O(0), a=0), isa.encode("end"), halt]
    for words, packet in (
        ((halt,), (version,)),
        ((), (version,)),
        ((halt,), ()),
        ((), ()),
        ((halt,), (version + 1,)),
        ((halt,), (version | 1 << 63,)),
        ((*full, *body), (version, *[0] * (packets - 1))),
        (full, (version,)),
        ((halt,), tuple(range(1, packets + 1))),
    ):
        await bench.play(Dispatch(tuple(words), packet, rest))
    assert len(full) + len(body) == most
    for program_words, packet, name in (
        (most + 1, (version,), "program_too_large"),
        ((1 << 32) - 1, tuple([version] * (packets + 1)), "program_too_large"),
        (1, tuple([version] * (packets + 1)), "packet_too_large"),
    ):
        large = Dispatch((halt,), packet, rest)
        await bench.begin(large, bench.choose_addresses(large), program_words)
        await FallingEdge(dut.running_o)
        await FallingEdge(dut.clk_i)
        assert bench.result() == Result("fault", Fault(name, 0), 1, False)


@cocotb.test()
async def bodies(dut: Any) -> None:
    """Each way in which a body may be wrong; a fault of the shapes goes first."""
    bench = Testbench(dut)
    await bench.reset()
    streams = "base s0, i32, rank=1, p0, +0\nsize s0, 0, #5\n"
    streams += "base o0, i32, rank=1, p1, +0\nsize o0, 0, {size}\nloop\n"
    wrong = (
        "mov o0, s0\nmov o0, s0\nend\n",
        "mov o0, s0\nmov v0, s0\nadd.i32 o0, s0, v0\nend\n",
        "end\n",
        "mov v0, s0\nend\n",
        "mov o0, v0\nend\n",
        "mov v0, v0\nmov o0, v0\nend\n",
        "add.i32 o0, s0, v0\nend\n",
        "sel o0, s0, s0, v0\nend\n",
        "mov o0, s1\nend\n",
        "add.i32 o0, s0, s1\nend\n",
        "sel o0, s0, s0, s1\nend\n",
        "mov o0, s0\nloop\nend\n",
        "mov o0, s0\nhalt\n",
        "mov o0, s0\nsize s0, 0, #5\nend\n",
        "mov o0, s0\n.word 0xff\nend\n",
        "mov o0, s0\n",
    )
    for size, fault in (("#5", "bad_structure"), ("#6", "output_shape")):
        for body in wrong:
            text = streams.format(size=size) + body
            if not body.endswith(("halt\n", "mov o0, s0\n")):
                text += "halt\n"
            packet = (load().version, 0x1000, 0x2000)
            dispatch = Dispatch(tuple(assemble(text)), packet, (0x1000, 0x3000))
            want = await bench.play(dispatch)
            assert want.fault is not None
            assert want.fault.name in (fault, "illegal_instruction" if ".word" in body else fault)
    # Phases: copies, the body, and the word that is one too many.
    group, other = (f"exp.f32 {t}, s0\nmov v0, {t}\n" for t in ("t0", "t1"))
    three = group + other + group
    share = {n: (TARGET.registers("vector", n), TARGET.registers("result", n)) for n in (2, 4)}
    phased = [
        (1, "exp.f32 o0, s0\nend\n", 0),
        (2, f"{group}exp.f32 o0, v0\nend\n", 2),
        (2, "mov v0, s0\nexp.f32 t0, v0\ndiv.i32 t1, t0, s0\nmov o0, t1\nend\n", None),
        (4, f"mov v0, s0\n{three}mov o0, v0\nend\n", None),
        (4, f"{three}exp.f32 t1, s0\nmov o0, v0\nend\n", 6),
        (4, f"{group}exp.f32 t0, s0\nmov o0, v0\nend\n", 2),
        (4, f"{group}exp.f32 t1, s0\nmov v1, s0\nexp.f32 t0, t1\nmov o0, v0\nend\n", None),
        (4, "exp.f32 t0, s0\nmov o0, t1\nend\n", 1),
        (2, f"mov v{share[2][0] - 1}, s0\nmov o0, v{share[2][0] - 1}\nend\n", None),
        (4, f"exp.f32 t{share[4][1] - 1}, s0\nmov o0, s0\nend\n", None),
        (4, f"exp.f32 t0, s0\nexp.f32 t{share[4][1]}, s0\nmov o0, s0\nend\n", 1),
        *((n, f"mov v0, s0\nmov v{share[n][0]}, s0\nmov o0, s0\nend\n", 1) for n in (2, 4)),
    ]
    for copies, body, wrong_at in phased:
        if TARGET.registers("vector", copies) == 0:
            continue
        text = streams.format(size="#5").replace("loop", f"loop copies={copies}") + body
        words, packet = assemble(f"{text}halt\n"), (load().version, 0x1000, 0x2000)
        want = await bench.play(Dispatch(tuple(words), packet, (0x1000, 0x3000)))
        fault = None if wrong_at is None else Fault("bad_structure", 5 + wrong_at)
        assert want.fault == fault, body
    # What a kernel writes is not there for the next.
    text = streams.format(size="#5")
    text += f"mov v0, s0\nmov o0, v0\nend\n{text}mov o0, v0\nend\nhalt\n"
    packet = (load().version, 0x1000, 0x2000)
    want = await bench.play(Dispatch(tuple(assemble(text)), packet, (0x1000, 0x3000)))
    assert want.fault is not None
    assert len(want.kernels) == 1


@cocotb.test()
async def random_programs(dut: Any) -> None:
    """Random programs: faults, kernels and cycles as the simulator says."""
    bench = Testbench(dut)
    await bench.reset()
    programs = Programs(TARGET, cocotb.RANDOM_SEED)
    for _ in range(int(os.environ["BENCH_CASES"])):
        await bench.play(programs.pick())
    cocotb.log.info("%s", dict(bench.found))
    started_only = {"program_too_large", "packet_too_large"}
    for name in ({"done"} | set(load().faults)) - started_only:
        assert bench.found[name], f"no program with {name}"


@cocotb.test()
async def slow_memory(dut: Any) -> None:
    """With a memory that stalls, everything but the cycles is the same."""
    bench = Testbench(dut)
    await bench.reset()
    programs = Programs(TARGET, cocotb.RANDOM_SEED + 1)
    dut.stall_i.value = 1
    for _ in range(40):
        await bench.play(programs.pick(), exact=False)


@cocotb.test()
async def starts(dut: Any) -> None:
    """A start while running is ignored; one after a reset in mid-run is as any other."""
    bench = Testbench(dut)
    await bench.reset()
    small = _small()
    addresses = bench.choose_addresses(small)
    want = expected(TARGET, small, addresses)
    await bench.begin(small, addresses)
    for _ in range(want.cycles - 20):
        await bench.start()  # again and again
    await RisingEdge(dut.store_go_o)
    await FallingEdge(dut.clk_i)
    assert int(dut.cycles_o.value) == want.kernels[0][0]
    dut.done_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.done_i.value = 0
    assert not int(dut.running_o.value)  # `halt` is executed in the kernel's only cycle
    assert bench.result() == Result("done", None, want.cycles, False)
    for cycles in range(1, want.cycles + 20, 7):
        await bench.begin(small, addresses)
        for _ in range(cycles):
            await FallingEdge(dut.clk_i)
        await bench.reset()
        for _ in range(STOPPED):
            await FallingEdge(dut.clk_i)
        assert bench.result() == Result("idle", None, 0, False)
        await bench.play(small)


@cocotb.test()
async def axi_errors(dut: Any) -> None:
    """An error stops the program after its load, or after its kernel; the next start forgets it."""
    bench = Testbench(dut)
    await bench.reset()
    small = _small()
    addresses = bench.choose_addresses(small)
    started, kernel = expected(TARGET, small, addresses).kernels[0]
    # A program outside of memory.
    dut.packet_address_i.value = MEMORY_BASE
    dut.program_address_i.value = MEMORY_BASE + MEMORY_BYTES
    dut.program_words_i.value = dut.packet_words_i.value = 1
    await bench.start()
    await FallingEdge(dut.running_o)
    await FallingEdge(dut.clk_i)
    registers = ((MEMORY_BASE + MEMORY_BYTES, 1), (MEMORY_BASE, 1))
    assert bench.result() == Result("fault", None, load_cycles(TARGET, registers), True)
    await bench.play(small)
    # An error in a kernel: it goes on to its end, the words after it are not executed.
    for at in (0, 3, 9):
        await bench.begin(small, addresses)
        await RisingEdge(dut.store_go_o)
        await FallingEdge(dut.clk_i)
        for cycle in range(10):
            dut.axi_error_i.value = cycle == at
            dut.done_i.value = cycle == 9
            await FallingEdge(dut.clk_i)
        dut.axi_error_i.value = dut.done_i.value = 0
        got = bench.result()
        assert got == Result("fault", Fault(NO_FAULT, kernel.pc), started + 10, True)
        await bench.play(small)
    # An error while the next kernel is set up, and while the program waits for its last kernel. The
    # set-up takes longer than the load of the program after it.
    streams = [*(f"s{i}" for i in range(TARGET.input_streams)), "o0"]
    text = "".join(
        f"base {stream}, i8, rank=6, p0, +{number}\n"
        + "".join(f"size {stream}, {dimension}, #1\n" for dimension in range(6))
        for number, stream in enumerate(streams)
    )
    large = assemble(f"{text}loop\nmov o0, s0\nend\n")
    words = (*small.words[:-1], *large, small.words[-1])
    two = Dispatch(words, small.packet, small.window)
    begin = len(large) - 3  # of the set-up
    for length in (*range(1, begin, 7), *range(begin, begin + 8), *range(begin + 8, begin + 60, 7)):
        await bench.begin(two, bench.choose_addresses(two))
        while not int(dut.store_go_o.value):
            await FallingEdge(dut.clk_i)
        dut.axi_error_i.value = 1
        for cycle in range(length):
            dut.done_i.value = cycle == length - 1
            await FallingEdge(dut.clk_i)
            dut.axi_error_i.value = 0
        dut.done_i.value = 0
        assert bench.result().fault == Fault(NO_FAULT, kernel.pc)
        await bench.play(small)
