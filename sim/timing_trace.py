"""Turns the times of a window into records for a trace."""

from __future__ import annotations

from collections.abc import Sequence

from isa.load import load
from sim.kernel import Kernel
from sim.timing_recurrence import NEVER, Times, Window, pad_strips
from sim.trace import StripRecord


def record_window(
    trace: list[StripRecord],
    kernel: Kernel,
    start: int,
    first: int,
    window: Window,
    times: Times,
    body_cycles: Sequence[int],
    store_cycles: Sequence[int],
) -> None:
    """Append the records of every strip of an evaluated window.

    `start` is the cycle of the dispatch at which the kernel's engines start, `first` the number of
    the window's first strip; `body_cycles` and `store_cycles` are those of each strip.
    """
    constants = load().timing
    fetch = window.fetch.tolist()
    beats = [stream.beats.tolist() for stream in window.streams]
    pad = pad_strips()
    for place, (body, store) in enumerate(zip(body_cycles, store_cycles, strict=True)):
        here = place + pad

        def add(
            engine: str,
            ends: Sequence[int],
            busy: int,
            first_cause: str,
            ready: int,
            rest: str = "",
            stream: int = 0,
            here: int = here,
            place: int = place,
        ) -> None:
            """Record one engine: it waited for `first_cause` until `ready`, then for `rest`."""
            idle_from, begin = ends[here - 1], ends[here] - busy
            waits = {first_cause: max(0, min(ready, begin) - idle_from)}
            if rest:
                waits[rest] = begin - idle_from - waits[first_cause]
            trace.append(
                StripRecord(
                    engine,
                    kernel.pc,
                    stream,
                    first + place,
                    start + begin,
                    start + ends[here],
                    waits,
                )
            )

        if kernel.inputs:
            add("fetch", times.fetch, fetch[place], "ring", times.fetch[here])
        ready = NEVER
        for number, stream in enumerate(kernel.inputs):
            ends = times.broadcast[number]
            data = times.data[number][here]
            add("broadcast", ends, beats[number][place], "data", data, "slot", stream.code)
            ready = max(ready, ends[here] + constants.landing_ready)
        add("vector", times.vector, body, "input", ready, "output")
        add("store", times.store, store, "input", times.store[here])
