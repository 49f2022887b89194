"""The small cells' bench inside the RTL simulator: queues, delay lines, counters, a slice."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly

from rtl_models.structs import join
from rtl_models.tb import testbench

CYCLES = 3000
DEPTHS = (1, 2, 5, 17)
SHIFT_DEPTHS = (3, 5)
DELAYS = (0, 1, 3, 16, 17, 50)
COUNT_DELAYS = (0, 1, 3)
WORD_BITS = 16
COUNT_BITS, COUNT_INITIAL = 5, 3
RATES = ((0.3, 0.9), (0.9, 0.3))
"""How often one end puts and the other takes: what drains, and what fills."""


def unpack(value: Any, bits: int, count: int) -> list[int]:
    """Take a packed array of `count` fields apart, the lowest first."""
    return [int(value) >> bits * n & (1 << bits) - 1 for n in range(count)]


class Testbench(testbench.Testbench):
    """Drives all cells at random and compares each with a model, cycle by cycle."""

    idle = (
        *("fifo_valid_i", "fifo_data_i", "fifo_ready_i", "line_valid_i", "line_data_i"),
        *("shift_push_i", "shift_data_i", "shift_take_i"),
        *("count_put_i", "count_take_i"),
        *("slice_valid_i", "slice_data_i", "slice_ready_i"),
    )

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.queues: list[deque[int]] = [deque() for _ in DEPTHS]
        self.shifts: list[deque[int]] = [deque() for _ in SHIFT_DEPTHS]
        self.lines: list[deque[int | None]] = []
        self.late: list[deque[bool]] = []
        self.counts: list[int] = []
        self.kept: int | None = None
        self.offered: int | None = None
        self.seen: set[tuple[str, int]] = set()

    async def reset(self) -> None:
        """Empty cells and models."""
        await super().reset()
        for queue in (*self.queues, *self.shifts):
            queue.clear()
        self.kept = self.offered = None
        self.lines = [deque([None] * delay) for delay in DELAYS]
        self.late = [deque([False] * delay) for delay in COUNT_DELAYS]
        self.counts = [COUNT_INITIAL for _ in COUNT_DELAYS]

    async def cycle(self, puts: float, takes: float) -> None:
        """Drive all cells at random for one cycle; compare what they show before it ends."""
        dut, most = self.dut, (1 << COUNT_BITS) - 1
        words = [random.randrange(1 << WORD_BITS) for _ in DEPTHS]
        push = [random.random() < puts for _ in DEPTHS]
        pop = [random.random() < takes for _ in DEPTHS]
        # A queue with its two oldest entries in registers takes one for one that goes, if full.
        moved = [random.randrange(1 << WORD_BITS) for _ in SHIFT_DEPTHS]
        move = [bool(queue) and random.random() < takes for queue in self.shifts]
        enter = [
            random.random() < puts and len(queue) - go < depth
            for queue, go, depth in zip(self.shifts, move, SHIFT_DEPTHS, strict=True)
        ]
        word = random.randrange(1 << WORD_BITS) if random.random() < puts else None
        coming = [count + sum(late) for count, late in zip(self.counts, self.late, strict=True)]
        put = [random.random() < puts and count < most for count in coming]
        take = [random.random() < takes and count > 0 for count in self.counts]
        ready = random.random() < takes
        if self.offered is None and random.random() < puts:
            self.offered = random.randrange(1 << WORD_BITS)
        dut.slice_valid_i.value = int(self.offered is not None)
        dut.slice_data_i.value, dut.slice_ready_i.value = self.offered or 0, int(ready)
        dut.fifo_valid_i.value, dut.fifo_ready_i.value = join(push, 1), join(pop, 1)
        dut.fifo_data_i.value = join(words, WORD_BITS)
        dut.shift_push_i.value, dut.shift_take_i.value = join(enter, 1), join(move, 1)
        dut.shift_data_i.value = join(moved, WORD_BITS)
        dut.line_valid_i.value, dut.line_data_i.value = int(word is not None), word or 0
        dut.count_put_i.value, dut.count_take_i.value = join(put, 1), join(take, 1)
        await ReadOnly()
        self._fifos(words, push, pop)
        self._shifts(moved, enter, move)
        self._lines(word)
        self._counters(put, take)
        self._slice(ready)
        await self.cycles()

    def _fifos(self, words: list[int], push: list[bool], pop: list[bool]) -> None:
        dut, count = self.dut, len(DEPTHS)
        shown = zip(
            unpack(dut.fifo_ready_o.value, 1, count),
            unpack(dut.fifo_valid_o.value, 1, count),
            unpack(dut.fifo_data_o.value, WORD_BITS, count),
            strict=True,
        )
        for n, (ready, valid, data) in enumerate(shown):
            depth, queue = DEPTHS[n], self.queues[n]
            full = len(queue) == depth
            self.seen.add((f"fifo {depth}", len(queue)))
            assert ready == (not full), f"ready_o of the queue of {depth}"
            assert valid == bool(queue), f"valid_o of the queue of {depth}"
            assert not queue or data == queue[0], f"data_o of the queue of {depth}"
            if queue and pop[n]:
                queue.popleft()
            if push[n] and not full:
                queue.append(words[n])

    def _shifts(self, words: list[int], enter: list[bool], move: list[bool]) -> None:
        dut, count = self.dut, len(SHIFT_DEPTHS)
        shown = zip(
            unpack(dut.shift_some_o.value, 1, count),
            unpack(dut.shift_oldest_o.value, WORD_BITS, count),
            unpack(dut.shift_next_o.value, WORD_BITS, count),
            strict=True,
        )
        for n, (some, *entries) in enumerate(shown):
            depth, queue = SHIFT_DEPTHS[n], self.shifts[n]
            self.seen.add((f"shift queue {depth}", len(queue)))
            assert some == bool(queue), f"some_o of the queue of {depth} with two in registers"
            oldest = list(queue)[:2]
            assert entries[: len(oldest)] == oldest, f"the two oldest of the queue of {depth}"
            if move[n]:
                queue.popleft()
            if enter[n]:
                queue.append(words[n])

    def _lines(self, word: int | None) -> None:
        dut, count = self.dut, len(DELAYS)
        valid = unpack(dut.line_valid_o.value, 1, count)
        data = unpack(dut.line_data_o.value, WORD_BITS, count)
        for n, line in enumerate(self.lines):
            line.append(word)
            want = line.popleft()
            assert valid[n] == (want is not None), f"valid_o of the line of {DELAYS[n]}"
            assert want is None or data[n] == want, f"data_o of the line of {DELAYS[n]}"

    def _counters(self, put: list[bool], take: list[bool]) -> None:
        assert unpack(self.dut.count_o.value, COUNT_BITS, len(COUNT_DELAYS)) == self.counts
        some = unpack(self.dut.count_some_o.value, 1, len(COUNT_DELAYS))
        assert some == [count > 0 for count in self.counts]
        for n, late in enumerate(self.late):
            self.seen.add((f"counter {n}", self.counts[n]))
            late.append(put[n])
            self.counts[n] += late.popleft() - take[n]

    def _slice(self, ready: bool) -> None:
        """A word that is offered passes at once; one that is not taken then is kept."""
        dut, kept = self.dut, self.kept
        shown = self.offered if kept is None else kept
        self.seen.add(("slice", int(kept is not None)))
        assert int(dut.slice_ready_o.value) == (kept is None), "ready_o of the slice"
        assert int(dut.slice_valid_o.value) == (shown is not None), "valid_o of the slice"
        assert shown is None or int(dut.slice_data_o.value) == shown, "data_o of the slice"
        if kept is None:
            self.offered = None
        self.kept = None if ready else shown


@cocotb.test()
async def random_cells(dut: Any) -> None:
    """All ends come and go at random, at rates that fill and drain; a reset empties everything."""
    bench = Testbench(dut)
    for _ in range(3):
        await bench.reset()
        for phase in range(10):
            for _ in range(CYCLES // 30):
                await bench.cycle(*RATES[phase % 2])
    for depth in DEPTHS:
        assert {(f"fifo {depth}", 0), (f"fifo {depth}", depth)} <= bench.seen
    for depth in SHIFT_DEPTHS:
        assert {(f"shift queue {depth}", 0), (f"shift queue {depth}", depth)} <= bench.seen
    assert {("slice", 0), ("slice", 1)} <= bench.seen
    for n in range(len(COUNT_DELAYS)):
        assert {(f"counter {n}", 0), (f"counter {n}", (1 << COUNT_BITS) - 1)} <= bench.seen
