"""The timeline of a page adds up to the counters, strip by strip and in intervals."""

import pytest

from hwc.reports import timeline as timeline_module
from hwc.reports.timeline import INTERVALS, timeline

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
