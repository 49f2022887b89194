"""Writes a trace in Perfetto's format. Only this module needs the extra `trace`."""

from __future__ import annotations

import importlib
import io
import zlib
from collections.abc import Iterator
from typing import Any

from hwc.errors import UserError
from hwc.runtime.trace.model import CounterTrack, Slice, SliceTrack, Trace

_EXPLICIT = 3  # TrackDescriptor.ChildTracksOrdering
_CLEARED, _NEEDED = 1, 2  # TracePacket.SequenceFlags
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4  # TrackEvent.Type


def need_perfetto() -> None:
    """Check that the library is installed.

    Raises:
        UserError: the library is not installed.
    """
    _module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            "error: a trace needs the library `perfetto`: pip install 'hwc[trace]'"
        ) from error


def perfetto_bytes(trace: Trace) -> bytes:
    """Return a trace as the bytes of a `.pftrace` file.

    Two such files concatenated are again a trace. It shows both, one above the other, if their
    programs or devices differ.

    Raises:
        UserError: the library is missing.
    """
    file = io.BytesIO()
    _Writer(trace, file).write()
    return file.getvalue()


class _Writer:
    """Writes one trace. Each name is written once and then referred to by a number."""

    def __init__(self, trace: Trace, file: io.BytesIO) -> None:
        self._trace = trace
        self._protos = _module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        builder = _module("perfetto.trace_builder.proto_builder")
        self._builder = builder.StreamingTraceProtoBuilder(file)
        self._title = f"{trace.program} ({trace.device})"
        # Numbers that tell this trace from others are in every packet, so keep them small.
        self._own = zlib.crc32(self._title.encode()) % 4096 + 1
        self._names: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._new: list[tuple[str, int, str]] = []

    def write(self) -> None:
        """Write all packets."""
        root = self._own << 8
        packet = self._packet()
        packet.sequence_flags = _CLEARED
        packet.track_descriptor.uuid = root
        packet.track_descriptor.process.pid = self._own
        packet.track_descriptor.process.process_name = self._title
        packet.track_descriptor.child_ordering = _EXPLICIT
        self._builder.write_packet(packet)
        for number, track in enumerate(self._trace.tracks):
            packet = self._packet()
            descriptor = packet.track_descriptor
            descriptor.uuid = root + 1 + number
            descriptor.parent_uuid = root
            descriptor.name = track.name
            descriptor.sibling_order_rank = number
            if isinstance(track, CounterTrack):
                descriptor.counter.unit_name = track.unit
            self._builder.write_packet(packet)
        for number, track in enumerate(self._trace.tracks):
            if isinstance(track, CounterTrack):
                self._counter(root + 1 + number, track)
            else:
                self._slices(root + 1 + number, track)

    def _packet(self) -> Any:
        packet = self._builder.create_packet()
        packet.trusted_packet_sequence_id = self._own
        return packet

    def _event(self, track: int, time: int, kind: int) -> Any:
        packet = self._packet()
        packet.timestamp = time
        packet.sequence_flags = _NEEDED
        packet.track_event.type = kind
        packet.track_event.track_uuid = track
        return packet

    def _counter(self, track: int, counter: CounterTrack) -> None:
        for time, value in counter.samples:
            packet = self._event(track, time, _COUNTER)
            packet.track_event.counter_value = value
            self._builder.write_packet(packet)

    def _slices(self, track: int, slices: SliceTrack) -> None:
        for time, begins in _in_order(slices):
            if begins is None:
                self._builder.write_packet(self._event(track, time, _END))
                continue
            kind = _BEGIN if begins.end > begins.begin else _INSTANT
            packet = self._event(track, time, kind)
            event = packet.track_event
            event.name_iid = self._number(self._names, "event_names", begins.name)
            for key, value in begins.args.items():
                annotation = event.debug_annotations.add()
                annotation.name_iid = self._number(self._keys, "debug_annotation_names", key)
                if isinstance(value, str):
                    annotation.string_value = value
                else:
                    annotation.int_value = value
            for kind_of_name, number, name in self._new:
                entry = getattr(packet.interned_data, kind_of_name).add()
                entry.iid, entry.name = number, name
            self._new.clear()
            self._builder.write_packet(packet)

    def _number(self, known: dict[str, int], kind: str, name: str) -> int:
        number = known.get(name)
        if number is None:
            number = known[name] = len(known) + 1
            self._new.append((kind, number, name))
        return number


def _in_order(track: SliceTrack) -> Iterator[tuple[int, Slice | None]]:
    """Yield times with the slice that begins then, or with None if the innermost slice ends."""
    ends: list[int] = []
    for each in track.slices:
        while ends and ends[-1] <= each.begin:
            yield ends.pop(), None
        yield each.begin, each
        if each.end > each.begin:
            ends.append(each.end)
    while ends:
        yield ends.pop(), None
