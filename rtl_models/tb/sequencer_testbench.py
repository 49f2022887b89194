"""The part of the sequencer's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

import isa
from isa.asm import assemble
from isa.dispatch import NO_FAULT, Fault
from isa.load import load
from isa.operands import O
from rtl_models.tb.program_cases import Dispatch, Programs, expected
from rtl_models.tb.sequencer_host import MEMORY_BASE, MEMORY_BYTES, Result, Testbench
from rtl_models.tb.testbench import TARGET
from sim.timing import load_cycles

STOPPED = 4
"""Cycles after which a stopped sequencer is sure to stay so."""


def _small() -> Dispatch:
    """A program of one small kernel."""
    words = assemble("base o0, f32, rank=1, p0, +0\nsize o0, 0, #5\nloop\nmov o0, #1\nend\nhalt\n")
    return Dispatch(tuple(words), (load().version, 0x1000), (0x1000, 0x2000))


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
