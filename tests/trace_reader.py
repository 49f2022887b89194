"""Reads `.pftrace` files back with Perfetto's protobufs, and holds them against the counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

ENGINES = {
    "fetch": "fetch",
    "broadcast": "broadcast",
    "lanes": "lane",
    "special functions": "special",
    "store": "store",
}
"""The counters' name of an engine, by the first words of its tracks."""


@dataclass
class Read:
    """A slice that was read, with the cycles of the slices directly within it."""

    name: str
    begin: int
    end: int
    depth: int
    args: dict[str, int | str]
    inner: int = 0
    parent: Read | None = field(default=None, repr=False)

    @property
    def own(self) -> int:
        """Its cycles that no slice within it has."""
        return self.end - self.begin - self.inner


@dataclass
class ReadTrace:
    """The tracks of a file: names in the order in which they are shown, slices and samples."""

    process: str = ""
    order: list[str] = field(default_factory=list)
    slices: list[tuple[str, list[Read]]] = field(default_factory=list)
    counters: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> list[Read]:
        """The slices of the tracks with this name."""
        return [s for track, slices in self.slices if track == name for s in slices]


def read(data: bytes) -> ReadTrace:
    """Read a file; an assertion fails if slices overlap, or do not lie within their parents."""
    trace = Trace()
    trace.ParseFromString(data)
    found = ReadTrace()
    names: dict[int, str] = {}
    keys: dict[int, str] = {}
    tracks: dict[int, str] = {}
    own: dict[int, list[Read]] = {}
    open_: dict[int, list[Read]] = {}
    last: dict[int, int] = {}
    ranks: dict[str, int] = {}
    for packet in trace.packet:
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        for entry in packet.interned_data.debug_annotation_names:
            keys[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.HasField("process"):
                assert not found.process
                found.process = descriptor.process.process_name
                root = descriptor.uuid
                continue
            assert descriptor.parent_uuid == root and descriptor.uuid not in tracks
            tracks[descriptor.uuid] = descriptor.name
            found.order.append(descriptor.name)
            assert ranks.setdefault(descriptor.name, descriptor.sibling_order_rank) <= len(tracks)
            if descriptor.HasField("counter"):
                found.counters[descriptor.name] = []
                found.units[descriptor.name] = descriptor.counter.unit_name
            else:
                own[descriptor.uuid], open_[descriptor.uuid] = [], []
                found.slices.append((descriptor.name, own[descriptor.uuid]))
        if not packet.HasField("track_event"):
            continue
        event, time = packet.track_event, packet.timestamp
        track = event.track_uuid
        assert time >= last.get(track, 0), "a track goes back in time"
        last[track] = time
        if event.type == TrackEvent.TYPE_COUNTER:
            found.counters[tracks[track]].append((time, event.counter_value))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            ended = open_[track].pop()
            ended.end = time
            assert ended.end > ended.begin
            if ended.parent is not None:
                ended.parent.inner += ended.end - ended.begin
        else:
            args = {
                keys[a.name_iid]: a.string_value if a.HasField("string_value") else a.int_value
                for a in event.debug_annotations
            }
            parents = open_[track]
            parent = parents[-1] if parents else None
            begun = Read(names[event.name_iid], time, time, len(parents), args, parent=parent)
            own[track].append(begun)
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                parents.append(begun)
            else:
                assert event.type == TrackEvent.TYPE_INSTANT
    assert not any(open_.values()), "a slice without an end"
    assert all(s.own >= 0 for _, slices in found.slices for s in slices)
    return found


def check_counters(trace: ReadTrace, counters: Mapping[str, int]) -> None:
    """Compare sums of slices and samples with the counters of the whole call."""
    sums = dict.fromkeys((n for n in counters if "_busy" in n or "_stall" in n), 0)
    for name, slices in trace.slices:
        engine = next((e for track, e in ENGINES.items() if name.startswith(track)), None)
        if engine is None:
            continue
        for each in slices:
            if each.name.startswith("strip"):
                sums[f"{engine}_busy"] += each.own
            elif each.name.startswith("stall"):
                cause = each.name.removeprefix("stall").removeprefix(": ")
                sums[f"{engine}_stall{'_' * bool(cause)}{cause}"] += each.end - each.begin
            elif each.name != "between kernels":
                assert each.depth == 0 and each.name.startswith("kernel")
                assert each.own == 0, "a cycle of an engine is neither work nor a stall"
    assert sums == {name: counters[name] for name in sums}
    for direction in ("read", "written"):
        moved = sum(nbytes for _, nbytes in trace.counters.get(f"bus {direction}", ()))
        assert moved == counters[f"bytes_{direction}"]
    stored = [each for each in trace.of("store") if each.name.startswith("strip")]
    assert sum(int(each.args.get("merged", 1)) for each in stored) == counters["strips"]
    assert max((s.end for s in trace.of("steps")), default=0) == counters["cycles"]


def rings_are_within(trace: ReadTrace, capacity: int) -> bool:
    """Whether no ring holds more than it can, and each is empty in the end."""
    rings = [samples for name, samples in trace.counters.items() if name.startswith("ring")]
    return all(max(v for _, v in samples) <= capacity and samples[-1][1] == 0 for samples in rings)


def names_of(slices: Sequence[Read]) -> list[str]:
    """The names of slices, in order."""
    return [each.name for each in slices]
