"""The timeline of a page adds up to the counters, strip by strip and in intervals."""

import pytest

from hwc.reports import timeline as timeline_module
from hwc.reports.timeline import INTERVALS, _counts, timeline
from hwc.runtime.trace import Slice

ENGINES = {"fetch": "fetch", "lanes": "lane", "special functions": "special", "store": "store"}


def sums(found):
    """The cycles of each track and kind."""
    total = {}
    for track, kind, _, length, _ in found.bars:
        total[track, kind] = total.get((track, kind), 0) + length
    return total


def test_the_bars_are_the_counters(traced, monkeypatch):
    result, trace = traced
    monkeypatch.setattr(timeline_module, "MOST_SLICES", 10**6)
    total = sums(timeline(trace, result.cycles))
    counters = result.counters
    assert total["fetch", "busy"] == counters["fetch_busy"]
    assert total["store", "busy"] == counters["store_busy"]
    assert total["store", "input"] == counters["store_stall_input"]
    assert total["lanes", "special"] == counters["lane_stall_special"]
    # A wait for a result of the lanes is within the work on a strip.
    inside = total.get(("lanes", "dependence"), 0)
    assert inside == counters["lane_stall_dependence"]
    assert total["lanes", "busy"] - inside == counters["lane_busy"]
    broadcast = [n for (track, kind), n in total.items() if "broadcast" in track and kind == "busy"]
    assert sum(broadcast) == counters["broadcast_busy"]


def test_intervals_have_the_same_sums(traced, monkeypatch):
    result, trace = traced
    monkeypatch.setattr(timeline_module, "MOST_SLICES", 0)
    found = timeline(trace, result.cycles)
    assert not found.bars
    for track, shares in zip(found.tracks, found.shares, strict=True):
        assert len(shares) == INTERVALS
        if track in ENGINES:
            busy = result.counters[f"{ENGINES[track]}_busy"]
            # A share has three digits.
            assert sum(shares) * found.interval == pytest.approx(
                busy, abs=INTERVALS * 0.0006 * found.interval
            )


def test_the_spans_of_kernels(traced):
    result, trace = traced
    found = timeline(trace, result.cycles)
    spans = [(begin, begin + length) for _, begin, length, _ in found.kernels]
    assert spans == [(kernel.start, kernel.end) for kernel in result.kernels]


def test_too_many_kernels_are_left_out(traced, monkeypatch):
    result, trace = traced
    monkeypatch.setattr(timeline_module, "MOST_KERNELS", 1)
    assert timeline(trace, result.cycles).kernels == []


def test_merged_strips_have_the_same_sums(program, monkeypatch):
    """Where an engine waited in the work on merged strips is not known, but how long is."""
    from hwc.runtime.trace import recorder  # noqa: PLC0415 - what a trace holds at most

    shapes = (64, 300), (1, 300), (64, 1)
    timing = program.time(*shapes)
    full = recorder.Recorder.__init__
    monkeypatch.setattr(
        recorder.Recorder, "__init__", lambda self, strips=None: full(self, strips, 400)
    )
    trace = program.trace(*shapes)
    assert trace.strips_merged > 1
    monkeypatch.setattr(timeline_module, "MOST_SLICES", 0)
    found = timeline(trace, timing.cycles)
    for track, shares in zip(found.tracks, found.shares, strict=True):
        if track in ENGINES:
            busy = timing.counters[f"{ENGINES[track]}_busy"]
            error = INTERVALS * 0.0006 * found.interval
            assert sum(shares) * found.interval == pytest.approx(busy, abs=error)


def test_a_steady_engine_looks_steady():
    """Strips as long as two intervals do not beat with the intervals."""
    slices = []
    for n in range(500):
        at = 128 * n
        wait = Slice("stall: input", at, at + 96)
        work = {"strip": n, "points": 128, "kernel": 0}
        slices += [wait, Slice(f"strip {n}", at + 96, at + 128, work)]
    whole = Slice("kernel 0: x", 0, 128 * 500, {"kernel": 0})
    for length in (65, 128, 160, 989):
        counts = _counts([whole, *slices], length)
        busy = [c["busy"] / length for c in counts[4 : min(390, 64000 // length - 12)]]
        assert max(busy) - min(busy) < 0.001 and busy[0] == pytest.approx(0.25)


def test_gaps_and_long_waits_are_not_averaged():
    """A gap between kernels and a wait of many intervals stay where they are."""
    args = {"strip": 0, "points": 1, "kernel": 0}
    slices = [
        Slice("kernel 0: x", 0, 100, {"kernel": 0}),
        Slice("strip 0", 0, 10, args),
        Slice("stall: input", 10, 90),
        Slice("strip 1", 90, 100, args),
        Slice("kernel 1: x", 200, 210, {"kernel": 1}),
        Slice("strip 0", 200, 210, args),
    ]
    counts = _counts(slices, 10)
    busy = [n for n, c in enumerate(counts) if c["busy"]]
    assert busy == [0, 9, 20]
    assert [n for n, c in enumerate(counts) if c["input"]] == list(range(1, 9))
