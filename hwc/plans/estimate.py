"""The cycles of a kernel in closed form: docs/timing.md without its walk over the strips.

The engines of a kernel work on different strips at the same time. So a kernel takes the time of its
first strip through all engines, then for each further strip the time of the slowest engine, then
the time of the last strip from that engine to the end. The quantities come from the timing
contract, and the names from docs/timing.md. Two things are averages here: the fetch of a stream
over the strips in which it is fetched, and the cuts. For the time that the ports of the vector
pipe, the buffers around them and the store engine together take per strip, this module evaluates
the contract itself on a few strips.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, lcm
from typing import NamedTuple

from hwc.plans.kernel_model import KernelModel
from isa.load import load
from isa.target import Target
from sim.kernel import Body, Kernel, Stream
from sim.streams import Pattern
from sim.timing import setup_cycles, word_cycles
from sim.timing.body import landing
from sim.timing.body_plan import body_plan, whole_beats
from sim.timing.quick import stored_after

PIPE_STRIPS = 24
"""The number of strips for which the contract computes the time of the vector pipe."""

REMEMBERED = 1 << 14
"""The maximum number of cached results of the contract; a body has a few hundred."""


class KernelCycles(NamedTuple):
    """The estimated cycles of a kernel: fetch of its words, their execution with set-up, strips.

    The words of the next kernel are executed while the strips run.
    """

    fetch: int
    setup: int
    strips: int


def kernel_cycles(model: KernelModel, kernel: Kernel, target: Target) -> KernelCycles:
    """Return the estimated cycles of a kernel."""
    body = len(model.body) + 1
    configuration = model.words - body - 1
    setup = setup_cycles(target, body, kernel.inputs, kernel.outputs)
    return KernelCycles(
        fetch=-(-model.words * load().word_bits // (8 * target.axi_bytes)),
        setup=word_cycles(configuration) + setup,
        strips=round(strip_cycles(kernel, target)),
    )


def total_cycles(kernels: Sequence[KernelCycles]) -> int:
    """Return the estimated cycles of kernels that run one after another."""
    cycles = before = 0
    for kernel in kernels:
        cycles += kernel.fetch + max(before, kernel.setup)
        before = kernel.strips
    return cycles + before


def kernel_bytes(kernel: Kernel, target: Target) -> int:
    """Return the bytes of the elements that a kernel reads and writes."""
    if kernel.points == 0:
        return 0
    patterns = (Pattern.of(s, kernel.iteration, target.ring_bytes) for s in kernel.inputs)
    read = sum(p.fetched_elements * p.element_bytes for p in patterns)
    return read + sum(kernel.points * s.type.bytes for s in kernel.outputs)


def strip_cycles(kernel: Kernel, target: Target) -> float:
    """Return the estimated cycles from the end of set-up to the last write response."""
    if kernel.points == 0:
        return 0.0
    walk = _Walk.of(kernel, target)
    rates = walk.rates(1.0)
    end = target.memory_latency + load().timing.write_return
    return walk.head() + walk.between(rates) + walk.tail(rates) + end


class _Fetch(NamedTuple):
    """An input stream: bus words and request cycles of the first strip, and cycles of all strips.

    `share` is the part of the walk in which the stream is fetched; the rest of the walk reads the
    held block again. `beats` is the number of broadcast beats of a strip of `vlen` points, with the
    average number of cuts.
    """

    first_words: int
    first_cycles: int
    cycles: int
    share: float
    beats: float

    def later(self, strips: float) -> float:
        """Request cycles of each strip after the first, while the stream is fetched."""
        left = self.cycles - self.first_cycles
        return left / max(1.0, self.share * strips - 1) if left > 0 else 0.0


class _Part(NamedTuple):
    """The work of the engines on one strip: points, cycles of the store engine.

    `results` are the cycles from the strip's begin in the vector pipe to its results, if no other
    strip is in the pipe.
    """

    points: int
    results: int
    store: int


class _Pipe(NamedTuple):
    """The vector pipe with the buffers around it and the store engine, strip after strip.

    `rate` is the number of cycles that one more strip takes. The results of the last strip are
    complete `results` cycles after the time that its predecessors take at this rate.
    """

    rate: float
    results: float


class _Rates(NamedTuple):
    """Cycles per strip of each engine."""

    fetch: float
    broadcast: float
    pipe: float


class _Walk(NamedTuple):
    """A kernel's walk: its streams, its first strip, its last one, and the strips before the last.

    In a walk of a single strip, that strip is both the first and the last.
    """

    target: Target
    streams: tuple[_Fetch, ...]
    pipe: _Pipe
    first: _Part
    last: _Part
    strips: int

    @classmethod
    def of(cls, kernel: Kernel, target: Target) -> _Walk:
        strips = kernel.strips - 1
        described = _Described(target, kernel.body, kernel.copies)
        flush = sum(stream.extent[1] % target.axi_bytes != 0 for stream in kernel.outputs)
        last = _part(kernel, described, kernel.points - strips * kernel.vlen, flush)
        first = _part(kernel, described, kernel.vlen) if strips else last
        streams = tuple(_fetch(stream, kernel, target, first.points) for stream in kernel.inputs)
        beats = bool(streams) * -(-first.points // target.lanes)
        points = described.points(first.points), described.points(last.points)
        pipe = _pipe(described, points, beats, first.store, min(strips + 1, PIPE_STRIPS))
        return cls(target, streams, pipe, first, last, strips)

    def head(self) -> float:
        """The time at which the first strip begins in the vector pipe."""
        if not self.streams:
            return 0.0
        constants, target = load().timing, self.target
        *others, last = self.streams
        requested = sum(stream.first_cycles for stream in others) + last.first_words
        arrival = requested + target.memory_latency + constants.read_return
        beats = self._beats(self.first)
        return arrival + beats + landing(beats)

    def between(self, last: _Rates) -> float:
        """From the first strip's begin to the last strip's: the slowest engine of each part.

        The parts are those in which the same streams are fetched; `last` are the rates of the last.
        """
        total, begin = 0.0, 0.0
        for end in sorted({stream.share for stream in self.streams if stream.share < 1.0}):
            total += (end - begin) * max(self.rates(end))
            begin = end
        return self.strips * (total + (1.0 - begin) * max(last))

    def tail(self, rates: _Rates) -> float:
        """The time from the begin of the last strip in the vector pipe to its last store.

        `rates` are those of the last part of the walk. The time is counted as if the last strip
        were whole. A short last strip begins earlier if the pipe waits for inputs. If the pipe is
        the slowest engine, the last strip meets other strips there. The store engine first stores
        the previous strip, which may take longer.
        """
        ready = load().timing.store_ready
        if not self.strips:
            return self.last.results + ready + self.last.store
        slowest = max(rates)
        # Either the pipe or the other engines determine when the last strip's results are ready.
        alone = self.strips * (max(rates.fetch, rates.broadcast) - slowest)
        crowded = self.strips * (rates.pipe - slowest)
        crowded += self.pipe.results - self.last.results
        short = 1 - self.last.points / self.first.points
        early = self._beats(self.first) - self._beats(self.last)
        fetch = rates.fetch - (early + short * rates.fetch)
        begin = max(fetch, rates.broadcast - early, rates.pipe)
        results = begin + self.last.results + max(alone, crowded)
        before = self.first.results + self.first.store
        return max(results, before) - slowest + ready + self.last.store

    def rates(self, end: float) -> _Rates:
        """The rates in the part of the walk that ends at this share of it."""
        fetch, beats = 0.0, 0.0
        strips = self.strips + self.last.points / self.target.vlen
        for stream in self.streams:
            beats = max(beats, stream.beats)
            if stream.share >= end:
                fetch += stream.later(strips)
        if self.streams:
            fetch = max(load().timing.strip_fetch_min, fetch)
        return _Rates(fetch, beats, self.pipe.rate)

    def _beats(self, part: _Part) -> int:
        return -(-part.points // self.target.lanes)


def _share(pattern: Pattern, vlen: int) -> float:
    """Return the part of the walk in which a stream is fetched: the first pass over a held block.

    If there are many blocks with short passes, their fetch is spread over the whole walk: engines
    work ahead by as many strips as the landing buffers hold.
    """
    if not pattern.held:
        return 1.0
    repeats = pattern.repeats[pattern.held]
    one_pass = pattern.unit_points // repeats
    spread = pattern.unit_points < pattern.points
    return 1.0 if spread and one_pass <= load().timing.landing_strips * vlen else 1 / repeats


def _part(kernel: Kernel, described: _Described, points: int, flush: int = 0) -> _Part:
    """Describe a strip of `points` points, after which the store engine flushes `flush` words."""
    target = described.target
    store = flush
    for stream in kernel.outputs:
        store -= -points // min(target.lanes, target.axi_bytes // stream.type.bytes)
    return _Part(points, _results(described, described.points(points)), store)


def _fetch(stream: Stream, kernel: Kernel, target: Target, first_points: int) -> _Fetch:
    """Describe the fetch and the broadcast of an input stream."""
    pattern = Pattern.of(stream, kernel.iteration, target.ring_bytes)
    return _fetch_of(pattern, kernel.vlen, first_points, target)


@lru_cache(maxsize=4096)
def _fetch_of(pattern: Pattern, vlen: int, first_points: int, target: Target) -> _Fetch:
    """Describe a stream at any address: many kernels read a tensor in the same way."""
    size, bus = pattern.element_bytes, target.axi_bytes
    runs = pattern.fetched_elements // pattern.run_elements
    words = runs * -(-pattern.run_elements * size // bus)
    share, points = _share(pattern, vlen), pattern.points
    strips = -(-points // vlen)
    bursts = max(min(words, ceil(share * strips)), runs, words // target.burst_beats)
    first = pattern.needed_at(first_points - 1)
    first_words = -(-first * size // bus)
    cuts = 0
    if block := pattern.cut_points:
        last = points - 1
        cuts = last // block - last // lcm(block, target.lanes)
    return _Fetch(
        first_words,
        max(first_words, target.burst_gap),
        max(words, bursts * target.burst_gap),
        share,
        -(-vlen // target.lanes) + cuts / strips,
    )


class _Described(NamedTuple):
    """What the times of the vector pipe depend on, other than the strips."""

    target: Target
    body: Body
    copies: int

    def points(self, points: int) -> int:
        """Return the most points with the same beats, so that many strips share a cached result."""
        return whole_beats(self.target, self.body, points)


@lru_cache(maxsize=REMEMBERED)
def _results(described: _Described, points: int) -> int:
    """Return the cycles until a strip that is alone in the vector pipe has its results."""
    return _stored(described, (points, points), 0, 0, 1) - load().timing.store_ready


def _pipe(
    described: _Described, points: tuple[int, int], beats: int, store: int, strips: int
) -> _Pipe:
    """Return the times of the vector pipe if fetches take no time; a broadcast takes `beats`.

    `points` are the points of a strip and of the last strip. The store engine takes `store` cycles
    for a strip.
    """
    if strips == 1:
        return _Pipe(0.0, _results(described, points[1]))
    rate = _rate(described, points[0], beats, store)
    end = _end(described, points, beats, store, strips)
    begin = beats + landing(beats) if beats else 0
    return _Pipe(rate, end - begin - (strips - 1) * rate)


@lru_cache(maxsize=REMEMBERED)
def _rate(described: _Described, points: int, beats: int, store: int) -> float:
    """Return the cycles of a strip that has other strips before and after it."""
    quarter = PIPE_STRIPS // 4
    after, before = (
        _stored(described, (points, points), beats, store, PIPE_STRIPS - quarters * quarter)
        for quarters in (1, 3)
    )
    return (after - before) / (2 * quarter)


@lru_cache(maxsize=REMEMBERED)
def _end(
    described: _Described, points: tuple[int, int], beats: int, store: int, strips: int
) -> int:
    """Return when the results of the last strip are complete."""
    stored = _stored(described, points, beats, store, strips)
    return stored - store - load().timing.store_ready


def _stored(
    described: _Described, points: tuple[int, int], beats: int, store: int, strips: int
) -> int:
    """Return when the contract stores the last strip, if all data are there from the start.

    `points` are the points of a strip and of the last strip.
    """
    plan = body_plan(described.target, described.body, described.copies, points)
    return stored_after(described.target, plan, strips, beats, store)
