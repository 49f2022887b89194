"""The counters of a kernel: docs/timing.md, section "Counters", in terms of times and sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.body_plan import BodyPlan
from sim.timing.contract import Starts


@dataclass(frozen=True)
class StripSums:
    """Sums over streams for each strip of a window; one array element for each strip.

    `fetch`, `broadcast` and `store` are busy cycles of the engines; `words` counts bus words read.
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


@dataclass(frozen=True)
class Ends:
    """When the engines finished their last work for a kernel, and how long they waited until then.

    `fetched` is F1, 0 without inputs. `landed` is the B1 of each stream, `stored` is S1. `lane` and
    `special` are the ends of the ports' work. The stalls are as in `sim.timing.contract.Times`.
    """

    fetched: int
    landed: Sequence[int]
    lane: int
    special: int
    stored: int
    data_stall: int
    input_stall: int
    output_stall: int


def kernel_counters(
    target: Target,
    kernel: Kernel,
    starts: Starts,
    ends: Ends,
    sums: Sums,
    fetched_bytes: int,
    plan: BodyPlan,
) -> dict[str, int]:
    """The kernel's counters. From start to end, an engine is busy or waits for a counted cause."""
    whole, part = plan.whole, plan.part
    bus = target.axi_bytes
    strips = kernel.strips
    lane_cycles = whole.lane_length * (strips - 1) + part.lane_length
    lane_busy = whole.lane_beats * (strips - 1) + part.lane_beats
    special_busy = whole.special_beats * (strips - 1) + part.special_beats
    extents = [stream.extent for stream in kernel.outputs]
    landing = sum(b1 - starts.broadcast for b1 in ends.landed)
    lanes, specials = ends.lane - starts.pipe, ends.special - starts.pipe
    return {
        "cycles": ends.stored + target.memory_latency + load().timing.write_return,
        "strips": strips,
        "instructions": strips * len(kernel.body),
        "bytes_read": fetched_bytes,
        "bytes_written": sum(s.nbytes for s in kernel.outputs),
        "read_beats": sums.words,
        "write_beats": sum(-(-end // bus) - first // bus for first, end in extents),
        "cuts": sums.cuts,
        "fetch_busy": sums.fetch,
        "fetch_stall_ring": ends.fetched - sums.fetch,
        "broadcast_busy": sums.broadcast,
        "broadcast_stall_data": ends.data_stall,
        "broadcast_stall_slot": landing - sums.broadcast - ends.data_stall,
        "lane_busy": lane_busy,
        "lane_stall_dependence": lane_cycles - lane_busy,
        "lane_stall_input": ends.input_stall,
        "lane_stall_special": lanes - lane_cycles - ends.input_stall - ends.output_stall,
        "lane_stall_output": ends.output_stall,
        "special_busy": special_busy,
        "special_stall": specials - special_busy,
        "store_busy": sums.store,
        "store_stall_input": ends.stored - starts.store - sums.store,
    }


@dataclass(frozen=True)
class KernelTime:
    """Counters of a kernel, and when the engines finished its last strip: F1, the latest B1, S1.

    `stored_first` is the S1 of the kernel's first strip.
    """

    counters: dict[str, int]
    fetched: int
    landed: int
    stored: int
    stored_first: int

    @classmethod
    def of(cls, counters: dict[str, int], ends: Ends, stored_first: int) -> KernelTime:
        """The time of a kernel whose engines end at `ends`."""
        landed = max(ends.landed, default=0)
        return cls(counters, ends.fetched, landed, ends.stored, stored_first)
