"""Turns the times of a window into records for a trace."""

from __future__ import annotations

from collections.abc import Sequence

from sim.kernel import Kernel
from sim.timing.contract import PortRecord, Times, Work, lookback
from sim.timing.pipe import Pipe
from sim.trace import StripRecord, StripTrace


def record_window(
    trace: StripTrace,
    kernel: Kernel,
    pipe: Pipe,
    start: int,
    first: int,
    work: Work,
    times: Times,
    ports: Sequence[PortRecord],
) -> None:
    """Append the records of every strip of an evaluated window.

    `start` is the cycle of the dispatch at which the kernel's engines start. `first` is the number
    of the window's first strip. `ports` are the records of the lanes and the special functions.
    """
    fetch, stores = work.fetch.tolist(), work.store.tolist()
    beats = [stream.beats.tolist() for stream in work.streams]
    arrivals = [stream.arrival.tolist() for stream in work.streams]

    def add(
        engine: str, strip: int, begin: int, end: int, waits: dict[str, int], *,
        stream: int = 0, phase: int = 0,
    ) -> None:  # fmt: skip
        times_of_dispatch = start + begin, start + end
        trace.append(
            StripRecord(engine, kernel.pc, stream, strip, phase, *times_of_dispatch, waits)
        )

    for step, (busy, store) in enumerate(zip(fetch, stores, strict=True)):
        now, strip = step + lookback(), first + step
        if kernel.inputs and strip < kernel.strips:
            end = times.f1[now]
            add("fetch", strip, end - busy, end, {"ring": end - busy - times.f1[now - 1]})
            for number, stream in enumerate(kernel.inputs):
                b1 = times.b1[number]
                idle, begin = b1[now - 1], b1[now] - beats[number][step]
                arrived = end - busy + arrivals[number][step]
                data = max(0, min(arrived, begin) - idle)
                waits = {"data": data, "slot": begin - idle - data}
                add("broadcast", strip, begin, b1[now], waits, stream=stream.code)
        if strip >= pipe.delay:
            idle, end = max(times.starts.store, times.s1[now - 1]), times.s1[now]
            waits = {"input": end - store - idle}
            add("store", strip - pipe.delay, end - store, end, waits)
    # The waits of the ports follow from the sums; start with the sums before the window.
    before = lookback() - 1
    idle = {"lane": times.lane[before], "special": times.special[before]}
    inputs, outputs = times.input_stall[before], times.output_stall[before]
    for port in ports:
        all_waits = port.start - idle[port.engine]
        idle[port.engine] = port.end
        waits = {"any": all_waits}
        if port.engine == "lane":
            waits = {"input": port.input_stall - inputs, "output": port.output_stall - outputs}
            waits["special"] = all_waits - sum(waits.values())
            inputs, outputs = port.input_stall, port.output_stall
        strip = first + port.step - pipe.lag * port.phase
        add(port.engine, strip, port.start, port.end, waits, phase=port.phase)
