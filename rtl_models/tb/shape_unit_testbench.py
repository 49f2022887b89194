"""The part of the shape unit's bench that runs inside the RTL simulator, under cocotb."""

from __future__ import annotations

import os
from collections import Counter
from math import prod
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from isa.dispatch import Fault
from isa.load import load
from isa.operands import O, S, operand_text
from rtl_models.stream_descriptor import DESCRIPTOR
from rtl_models.tb import testbench
from rtl_models.tb.shape_cases import Case, Cases, Expected, expected, walk
from rtl_models.tb.testbench import TARGET
from sim import shapes
from sim.kernel import Stream
from sim.streams import canonical_levels
from sim.timing import shape_cycles
from sim.views import dense_strides

REPEAT_LEVELS = DESCRIPTOR.values(TARGET)["RepeatLevels"]
WALKED_POINTS = 4000
"""Kernels up to this many points are walked point by point."""


class Testbench(testbench.Testbench):
    """Configures kernels, starts the shape unit and compares what it finds."""

    idle = ("clear_i", "set_base_i", "set_size_i", "start_i")

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.found: Counter[str] = Counter()
        self._base = DESCRIPTOR.layout("stream_base_t", TARGET)
        self._fault = DESCRIPTOR.layout("fault_t", TARGET)
        self._input = DESCRIPTOR.layout("stream_shape_t", TARGET)
        self._output = DESCRIPTOR.layout("output_shape_t", TARGET)
        self._names = {f.code: f.name for f in load().faults.values()}

    async def configure(self, case: Case) -> None:
        """Write the streams into the table, the outputs before the inputs."""
        dut = self.dut
        dut.clear_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.clear_i.value = 0
        for code in sorted(case.streams, reverse=True):
            type_, address, sizes = case.streams[code]
            dut.stream_i.value = code - S(0) if code < O(0) else TARGET.input_streams + code - O(0)
            dut.rank_i.value = len(sizes)
            dut.base_i.value = self._base.pack({"element_type": type_.code, "address": address})
            dut.set_base_i.value = 1
            await FallingEdge(dut.clk_i)
            dut.set_base_i.value = 0
            dut.set_size_i.value = 1
            for dim, size in enumerate(sizes):
                dut.dimension_i.value = dim
                dut.size_i.value = size
                await FallingEdge(dut.clk_i)
            dut.set_size_i.value = 0

    async def check(self, case: Case) -> None:
        """Run one kernel and compare everything."""
        dut = self.dut
        await self.configure(case)
        dut.window_base_i.value, dut.window_limit_i.value = case.window
        dut.start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.start_i.value = 0
        await RisingEdge(dut.done_o)
        await FallingEdge(dut.clk_i)
        inputs, outputs = self._streams(case)
        want_cycles = shape_cycles(TARGET, inputs, outputs)
        cycles = int(dut.cycles_o.value) - 1  # the one after is the first with done_o
        assert cycles == want_cycles, f"{cycles} cycles of set-up, expected {want_cycles}: {case}"

        want = expected(case)
        assert self._simulated(case) == want, f"the simulator differs from the model: {case}"
        fault = self._fault.unpack(int(dut.fault_o.value))
        assert int(dut.faulty_o.value) == bool(fault["code"])
        if fault["code"]:
            got: Expected = (self._names[fault["code"]], fault["stream"], fault["dimension"])
            assert got == want, f"got {_said(got)}, expected {_said(want)}: {case}"
            self.found[got[0]] += 1
            return
        assert not want or isinstance(want[0], int), f"got no fault, expected {_said(want)}: {case}"
        iteration = tuple(int(size) for size in want)
        points = prod(iteration)
        assert int(dut.points_o.value) == points, f"points are wrong: {case}"
        self.found["points" if points else "no points"] += 1
        self._check_outputs(case)
        value = int(dut.inputs_o.value)
        for number in range(TARGET.input_streams):
            shape = self._input.unpack(value >> number * self._input.bits)
            if S(number) not in case.streams:
                assert not shape["valid"], f"stream s{number} is not in use, but valid: {case}"
            elif points:
                self._check_input(case, S(number), iteration, shape)

    def _streams(self, case: Case) -> tuple[list[Stream], list[Stream]]:
        """Return the simulator's input and output streams."""
        streams = [Stream.dense(code, *case.streams[code]) for code in sorted(case.streams)]
        inputs = [stream for stream in streams if stream.code < O(0)]
        return inputs, [stream for stream in streams if stream.code >= O(0)]

    def _simulated(self, case: Case) -> Expected:
        """Return what the simulator says."""
        found = shapes.check(0, *self._streams(case), case.window)
        if isinstance(found, Fault):
            return (found.name, found.stream, found.dimension)
        return found

    def _check_outputs(self, case: Case) -> None:
        value = int(self.dut.outputs_o.value)
        for number in range(TARGET.output_streams):
            shape = self._output.unpack(value >> number * self._output.bits)
            code = O(number)
            where = f"stream o{number} is wrong: {case}: {shape}"
            assert shape["valid"] == (code in case.streams), f"valid of {where}"
            if code in case.streams:
                type_, address, _ = case.streams[code]
                assert shape["element_type"] == type_.code, f"element_type of {where}"
                assert shape["base"] == address % (1 << TARGET.address_bits), f"base of {where}"

    def _check_input(
        self, case: Case, code: int, iteration: tuple[int, ...], shape: dict[str, Any]
    ) -> None:
        """Check the form that the stream path gets, against the simulator's and against NumPy."""
        where = f"stream {operand_text(code)} is wrong: {case}: {shape}"
        type_, address, _ = case.streams[code]
        assert shape["valid"], f"valid of {where}"
        assert shape["element_type"] == type_.code, f"element_type of {where}"
        assert shape["base"] == address % (1 << TARGET.address_bits), f"base of {where}"
        sizes = case.padded(code)
        repeats, blocks = shape["repeats"], shape["blocks"]

        want_repeats, want_data = canonical_levels(iteration, dense_strides(sizes))
        rest = REPEAT_LEVELS - len(want_repeats)
        data = [*want_data, *[1] * rest]
        assert repeats == [*want_repeats, *[1] * rest], f"repeats of {where}"
        want_blocks = [prod(data[:level]) for level in range(REPEAT_LEVELS)]
        assert blocks == want_blocks, f"blocks of {where}"
        assert prod(data[REPEAT_LEVELS - 1 :]) == 1, f"levels of {where}"

        points = prod(iteration)
        if points <= WALKED_POINTS:
            elements = np.arange(prod(sizes)).reshape(sizes)
            order = np.broadcast_to(elements, iteration).ravel()
            assert walk(repeats, blocks) == order.tolist(), f"the walk of {where}"

        fits = [
            level
            for level in range(1, REPEAT_LEVELS)
            if repeats[level] > 1 and blocks[level] * type_.bytes <= TARGET.ring_bytes
        ]
        assert shape["held"] == max(fits, default=0), f"held of {where}"
        block_points = repeats[0] * data[0] * repeats[1]
        assert shape["block_points"] == block_points, f"block_points of {where}"
        self._check_steps(repeats, blocks, data, shape, where)
        self.found[f"held {shape['held']}"] += 1

    def _check_steps(
        self,
        repeats: list[int],
        blocks: list[int],
        data: list[int],
        shape: dict[str, Any],
        where: str,
    ) -> None:
        """Check the digits of a strip and the lane tables."""
        left = TARGET.vlen
        for level in range(REPEAT_LEVELS):
            left, digit = divmod(left, repeats[level])
            assert shape["strip_repeats"][level] == digit, f"strip_repeats of {where}"
            if level < REPEAT_LEVELS - 1:
                left, digit = divmod(left, data[level])
                assert shape["strip_data"][level] == digit * blocks[level], f"strip_data of {where}"
        rows = range(2 * TARGET.lanes)
        if repeats[0] < TARGET.lanes:
            assert shape["repeat_div"] == [i // repeats[0] for i in rows], f"repeat_div of {where}"
            assert shape["repeat_mod"] == [i % repeats[0] for i in rows], f"repeat_mod of {where}"
        if data[0] < TARGET.lanes:
            assert shape["pass_mod"] == [i % data[0] for i in rows], f"pass_mod of {where}"


def _directed() -> list[Case]:
    """Kernels that random ones are unlikely to be."""
    f32, i8 = load().types["f32"], load().types["i8"]
    most = {S(n): (f32, 0x1000, (3, 1, 3, 1, 3, 1)) for n in range(TARGET.input_streams)}
    limit = 0x1000 * (4 + TARGET.output_streams)
    for n in range(TARGET.output_streams):
        most[O(n)] = (f32, 0x2000 + 0x1000 * n, (3, 2, 3, 2, 3, 2))
    most[S(0)] = (f32, 0x1800, (1, 2, 1, 2, 1, 2))
    big = (1 << 31) - 1
    ring = TARGET.ring_bytes
    return [
        Case(most, (0x1000, limit)),
        Case({O(0): (f32, 0, ())}, (0, 0x1000)),
        Case({O(0): (f32, 0, (0,))}, (0, 0)),
        Case({S(0): (i8, 0, (big, big, big, 0)), O(0): (i8, 0, (big, big, big, 0))}, (0, 0)),
        # Without points, and yet with elements: too many for any memory.
        Case(
            {
                S(0): (i8, 0, (big, big, big, 1)),
                O(0): (i8, 0, (big, big, big, 0)),
                S(1): (i8, 0, (0,)),
            },
            (0, 1 << 20),
        ),
        Case({S(0): (i8, 0, (5,)), S(1): (i8, 4096, (0, 1)), O(0): (i8, 0, (0, 5))}, (0, 1 << 20)),
        Case({S(0): (i8, 0, (1 << 16, 1 << 15)), O(0): (i8, 0, (1 << 16, 1 << 15))}, (0, 1 << 32)),
        Case({O(0): (i8, 0x1000, (big,))}, (0x1000, 1 << 32)),
        # A block of exactly the ring, and of one element more.
        *(
            Case(
                {
                    S(0): (i8, 0, (1, ring + more)),
                    S(1): (i8, 1 << 18, (3, 1)),
                    O(0): (i8, 1 << 19, (3, ring + more)),
                },
                (0, 1 << 20),
            )
            for more in (0, 1)
        ),
        # Bytes that meet at an end, and that overlap by one.
        *(
            Case({S(0): (i8, 100, (28,)), O(0): (i8, at, (28,))}, (0, 0x1000))
            for at in (71, 72, 73, 127, 128, 99, 100)
        ),
        # The same bytes, read in another order or as another type.
        Case({S(0): (i8, 0, (1, 6)), O(0): (i8, 0, (6, 6)), S(1): (i8, 64, (6, 1))}, (0, 0x1000)),
        Case({S(0): (load().types["i1"], 0, (6,)), O(0): (i8, 0, (6,))}, (0, 0x1000)),
        Case({S(0): (i8, 0, (6,)), O(0): (i8, 0, (1, 6))}, (0, 0x1000)),
        # Addresses of 65 bits, and a window that ends below its base.
        Case({O(0): (f32, (1 << 64) + 0x1000, (4,))}, (0, 1 << 20)),
        Case({O(0): (f32, 0x1000, (4,))}, (0x2000, 0x1000)),
        Case({O(0): (f32, (1 << 64) + 2, (0,))}, (0, 1 << 20)),
    ]


def _said(found: Expected) -> str:
    """Say in words what the shape unit finds: a fault with its stream and dimension, or none."""
    if not found or not isinstance(found[0], str):
        return "no fault"
    name, stream, dimension = found
    return f"fault {name} of stream {stream}, dimension {dimension}"


@cocotb.test()
async def directed(dut: Any) -> None:
    """Kernels at the limits."""
    bench = Testbench(dut)
    await bench.reset()
    for case in _directed():
        assert expected(case) != ("output_shape", O(0), 0)  # the case would not say what it is for
        if all(code - S(0) < TARGET.input_streams or code >= O(0) for code in case.streams):
            await bench.check(case)


@cocotb.test()
async def random_kernels(dut: Any) -> None:
    """Random kernels; every fault and every held level comes up."""
    bench = Testbench(dut)
    await bench.reset()
    cases = Cases(TARGET, cocotb.RANDOM_SEED)
    for _ in range(int(os.environ["BENCH_CASES"])):
        await bench.check(cases.pick())
    cocotb.log.info("%s", dict(bench.found))
    kinds = ("shape_mismatch", "output_shape", "too_many_points", "misaligned", "out_of_window")
    for kind in (
        *kinds,
        "overlap",
        "points",
        "no points",
        *(f"held {n}" for n in range(REPEAT_LEVELS)),
    ):
        # One output and no second stream of its kind never overlaps by chance alone.
        assert bench.found[kind], f"no kernel with {kind}"
