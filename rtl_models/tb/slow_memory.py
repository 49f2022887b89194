"""What makes cocotbext-axi's memory slow and wrong: pauses, latencies, errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from random import Random
from typing import Any

import numpy as np
from cocotb.queue import Queue
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiResp

from rtl_models.tb.testbench import CLOCK_NS


class DelayQueue(Queue):
    """A channel's queue whose items can be had in order, each some cycles after it arrived."""

    latencies: Iterator[int] = repeat(0)
    most = 0
    """Largest number of items that waited."""
    _due = 0.0

    def _put(self, item: Any) -> None:
        self._due = max(self._due, get_sim_time("ns") + CLOCK_NS * next(self.latencies))
        super()._put((self._due, item))
        self.most = max(self.most, self.qsize())

    async def get(self) -> Any:
        due, item = await super().get()
        wait = due - get_sim_time("ns")
        if wait > 0:
            await Timer(wait, "ns")
        return item


class ErrorQueue(Queue):
    """Read beats on their way to the bus; the one of number `at` becomes an error, data and all."""

    at: int | None = None
    count = 0

    def _put(self, item: Any) -> None:
        if self.count == self.at:
            item.rresp = AxiResp.SLVERR
        self.count += 1
        super()._put(item)


class Memory:
    """The slave's memory: remembers what was read and written, and answers one write with an error.

    `read_beats` counts bus words, `written` bytes; both are indexed from the base of memory.
    """

    def __init__(self, base: int, before: bytes, word: int) -> None:
        self.base = base
        self.word = word
        self.load(before)

    def load(self, before: bytes, write_error: int | None = None) -> None:
        """Start anew with these bytes; write beat number `write_error` will be an error."""
        self.data = bytearray(before)
        self.read_beats = np.zeros(len(before) // self.word, int)
        self.written = np.zeros(len(before), int)
        self.write_beats = 0
        self._write_error = write_error

    async def read(self, address: int, length: int) -> bytes:
        first = self._offset(address, length)
        self.read_beats[first // self.word] += 1
        return bytes(self.data[first : first + length])

    async def write(self, address: int, data: bytes) -> None:
        first = self._offset(address, len(data))
        self.data[first : first + len(data)] = data
        self.written[first : first + len(data)] += 1
        self.write_beats += 1
        if self.write_beats - 1 == self._write_error:
            raise RuntimeError("the test wants an error here")

    def _offset(self, address: int, length: int) -> int:
        first = address - self.base
        if first < 0 or first + length > len(self.data):
            raise ValueError(f"{length} bytes at {address:#x} are outside of memory")
        return first


def pauses(random: Random) -> Iterator[bool]:
    """Pause at random, now often, now hardly ever, or seldom but for long."""
    while True:
        if random.random() < 0.7:
            share = random.choice([0.05, 0.3, 0.5, 0.9])
            for _ in range(random.randrange(10, 200)):
                yield random.random() < share
        else:
            yield from repeat(True, random.randrange(50, 400))
            yield from repeat(False, random.randrange(1, 200))


def latencies(random: Random) -> Iterator[int]:
    """Latencies: none, small, some around a large one, seldom one that is very long."""
    while True:
        most = random.choice([0, 3, 20, 100])
        for _ in range(random.randrange(1, 50)):
            yield random.randint(0, most) if random.random() < 0.97 else 1000
