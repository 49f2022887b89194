"""The counters of a kernel: docs/timing.md, section "Counters", in terms of times and sums."""

from __future__ import annotations

from dataclasses import dataclass

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.body import BodyTime
from sim.timing.contract import Times


@dataclass(frozen=True)
class StripSums:
    """Sums over streams for each strip of a window; one array element for each.

    `fetch`, `broadcast` and `store` are busy cycles of the engines, `words` bus words read.
    """

    fetch: I64Array
    broadcast: I64Array
    store: I64Array
    words: I64Array
    cuts: I64Array


@dataclass
class Sums:
    """The same sums, over all strips."""

    fetch: int = 0
    broadcast: int = 0
    store: int = 0
    words: int = 0
    cuts: int = 0

    def add(self, window: StripSums, strips: slice = slice(None), times: int = 1) -> None:
        """Add strips of a window, `times` times."""
        for name, values in vars(window).items():
            setattr(self, name, getattr(self, name) + times * int(values[strips].sum()))


def kernel_counters(
    target: Target,
    kernel: Kernel,
    times: Times,
    sums: Sums,
    fetched_bytes: int,
    whole: BodyTime,
    part: BodyTime,
) -> dict[str, int]:
    """The kernel's counters: between its start and its end an engine is busy or waits for a cause.

    `times` end with the last strip, whose body takes `part`; the body of every other takes `whole`.
    """
    bus = target.axi_bytes
    strips, starts = kernel.strips, times.starts
    data_stall, input_stall = times.data_stall[-1], times.input_stall[-1]
    output_stall = times.output_stall[-1]
    lane_cycles = whole.lane_length * (strips - 1) + part.lane_length
    lane_busy = whole.lane_beats * (strips - 1) + part.lane_beats
    special_busy = whole.special_beats * (strips - 1) + part.special_beats
    extents = [stream.extent for stream in kernel.outputs]
    # Without inputs nothing is fetched and no cycle counts as a stall for it.
    fetch_end = times.f1[-1] if kernel.inputs else 0
    landing = sum(b1[-1] - starts.broadcast for b1 in times.b1)
    lanes, specials = times.lane[-1] - starts.pipe, times.special[-1] - starts.pipe
    return {
        "cycles": times.s1[-1] + target.memory_latency + load().timing.write_return,
        "strips": strips,
        "instructions": strips * len(kernel.body),
        "bytes_read": fetched_bytes,
        "bytes_written": sum(s.nbytes for s in kernel.outputs),
        "read_beats": sums.words,
        "write_beats": sum(-(-end // bus) - first // bus for first, end in extents),
        "cuts": sums.cuts,
        "fetch_busy": sums.fetch,
        "fetch_stall_ring": fetch_end - sums.fetch,
        "broadcast_busy": sums.broadcast,
        "broadcast_stall_data": data_stall,
        "broadcast_stall_slot": landing - sums.broadcast - data_stall,
        "lane_busy": lane_busy,
        "lane_stall_dependence": lane_cycles - lane_busy,
        "lane_stall_input": input_stall,
        "lane_stall_special": lanes - lane_cycles - input_stall - output_stall,
        "lane_stall_output": output_stall,
        "special_busy": special_busy,
        "special_stall": specials - special_busy,
        "store_busy": sums.store,
        "store_stall_input": times.s1[-1] - starts.store - sums.store,
    }
