"""Lays out the record of a call as the tracks of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hwc.runtime.trace.model import CounterTrack, Slice, SliceTrack, Trace
from hwc.runtime.trace.recorder import DispatchRecord, Recorder
from hwc.runtime.trace.recorder import Track as Key
from hwc.runtime.trace.work import Work
from isa.load import load
from isa.operands import operand_text
from sim.kernel import Kernel, Stream

_ENGINES = {"lane": "lanes", "special": "special functions", "store": "store"}
"""The tracks of the engines after the broadcast units."""

_PARTS = {
    "load": "load program and packet",
    "words": "words",
    "setup": "set up kernel",
    "ending": "wait for the last kernel",
}

_SETUP_WAITS = {"fetch": "fetch and pipe", "end": "earlier kernels"}
_LONGEST = 60


@dataclass(frozen=True)
class HostWork:
    """A step on the host, described by its operators."""

    operators: str


@dataclass(frozen=True)
class KernelSource:
    """The source operators of a kernel, and their location, `file:line:column`, if known."""

    operators: str
    places: Sequence[str] = ()


@dataclass(frozen=True)
class MachineWork:
    """A step on the machine: its source operators and its dispatches."""

    operators: str
    dispatches: Sequence[Sequence[KernelSource]]


@dataclass(frozen=True)
class _Group:
    """How a kernel with points, or a group of such kernels, is shown.

    `number` is the number of the first kernel. A single kernel has `operators`, and `source` says
    where they are.
    """

    name: str
    number: int
    args: Mapping[str, int | str]
    operators: str = ""
    source: Mapping[str, str] = field(default_factory=dict)


Step = HostWork | MachineWork


def lay_out(program: str, device: str, steps: Sequence[Step], recorder: Recorder) -> Trace:
    """Return the trace of a call with these steps; their dispatches were recorded in order."""
    layout = _Layout(recorder)
    for step in steps:
        layout.add_step(step)
    return Trace(program, device, layout.tracks(), recorder.group, recorder.interval)


class _Layout:
    """Collects the slices and samples of each track, one dispatch after another."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._left = iter(recorder.dispatches)
        self._slices: dict[str, list[Slice]] = {}
        self._kernel_rows: tuple[list[Slice], list[Slice]] = ([], [])
        self._samples: dict[str, list[tuple[int, int]]] = {}
        self._offset = self._dispatches = self._kernels = self._rows = self._steps = 0

    def add_step(self, step: Step) -> None:
        """Add a step with its dispatches."""
        begin, number = self._offset, self._steps
        self._steps += 1
        args = {"step": number, "operators": step.operators}
        slices = self._slices.setdefault("steps", [])
        name = f"step {number}: {_short(step.operators)}"
        if isinstance(step, HostWork):
            slices.append(Slice(f"{name} (host)", begin, begin, args))
            return
        at = len(slices)
        for sources in step.dispatches:
            self._add_dispatch(next(self._left), sources)
        if self._offset > begin:
            slices.insert(at, Slice(name, begin, self._offset, args))

    def _add_dispatch(self, dispatch: DispatchRecord, sources: Sequence[KernelSource]) -> None:
        names = [
            f"kernel {self._kernels + number}: {_short(source.operators)}"
            for number, source in enumerate(sources)
        ]
        groups = self._groups(dispatch, names, sources)
        self._add_sequencer(dispatch, names)
        for number, span in sorted(dispatch.spans.items()):
            row = self._kernel_rows[(self._rows + number) % 2]
            group = groups[number]
            if group.operators:
                row.append(Slice(group.operators, *self._at(*span), group.source))
            row.append(Slice(group.name, *self._at(*span), group.args))
        for key in sorted(dispatch.works):
            self._add_works(key, groups[key.kernel], dispatch.works[key])
        self._add_rings(dispatch)
        for direction, intervals in dispatch.bus.items():
            self._add_bus(direction, intervals, dispatch.cycles)
        self._offset += dispatch.cycles
        self._dispatches += 1
        self._kernels += len(dispatch.kernels)
        self._rows += len(groups)

    def _groups(
        self, dispatch: DispatchRecord, names: Sequence[str], sources: Sequence[KernelSource]
    ) -> list[_Group]:
        """Describe the kernels with points, or each group of them that was merged."""
        working = [number for number, kernel in enumerate(dispatch.kernels) if kernel.points]
        size = self._recorder.kernels
        groups: list[_Group] = []
        for first in range(0, len(working), size):
            own = working[first : first + size]
            number = self._kernels + own[0]
            if size == 1:
                source = sources[own[0]]
                args = _kernel_args(dispatch.kernels[own[0]], number, source)
                places = {"source": ", ".join(source.places)} if source.places else {}
                groups.append(_Group(names[own[0]], number, args, source.operators, places))
            else:
                last = self._kernels + own[-1]
                name = f"kernels {number} to {last}"
                groups.append(_Group(name, number, {"kernels": f"{number}:{last + 1}"}))
        return groups

    def _add_sequencer(self, dispatch: DispatchRecord, names: Sequence[str]) -> None:
        slices = self._slices.setdefault("sequencer", [])
        if not dispatch.parts:
            return
        whole = dispatch.parts[0].begin, dispatch.parts[-1].end
        number = self._dispatches
        slices.append(Slice(f"dispatch {number}", *self._at(*whole), {"dispatch": number}))
        for part in dispatch.parts:
            if part.name == "run":
                continue
            name = _PARTS.get(part.name, "")
            if part.kernel is not None:
                name = f"set up {names[part.kernel]}"
            slices.append(Slice(name, *self._at(part.begin, part.end)))
            for wait in part.waits:
                cause = f"stall: {_SETUP_WAITS[wait.cause]}"
                slices.append(Slice(cause, *self._at(wait.begin, wait.end)))

    def _add_works(self, key: Key, group: _Group, works: Sequence[Work]) -> None:
        slices = self._slices.setdefault(_track_name(key), [])
        whole = self._at(works[0].begin, works[-1].end)
        slices.append(Slice(group.name, *whole, {"kernel": group.number}))
        for work in works:
            waits = [
                Slice(_stall(wait.cause), *self._at(wait.begin, wait.end)) for wait in work.waits
            ]
            if work.count == 1:
                before = sum(wait.begin < work.start for wait in work.waits)
                slices += [*waits[:before], self._strip(key, group, work), *waits[before:]]
                continue
            slices += [self._strips(group, work), *waits]
            waiting = sum(wait.cycles for wait in work.waits)
            idle = work.end - work.begin - work.busy - waiting
            if idle:  # only if kernels were merged
                begin = work.begin + waiting
                slices.append(Slice("between kernels", *self._at(begin, begin + idle)))

    def _strip(self, key: Key, group: _Group, work: Work) -> Slice:
        args = {"strip": work.first, "points": work.points, "kernel": group.number}
        if key.engine in ("lane", "special"):
            args["phase"] = work.phase
        return Slice(f"strip {work.first}", *self._at(work.start, work.end), args)

    def _strips(self, group: _Group, work: Work) -> Slice:
        strips = {"first strip": work.first, "last strip": work.last, "merged": work.count}
        name = f"strips {work.first} to {work.last}"
        if self._recorder.kernels > 1:
            strips, name = {"merged": work.count}, "strips"
        args = {**strips, "points": work.points, "kernel": group.number}
        return Slice(name, *self._at(work.begin, work.end), args)

    def _add_rings(self, dispatch: DispatchRecord) -> None:
        for key in sorted(dispatch.rings):
            samples = self._samples.setdefault(_track_name(key), [])
            samples += [(self._offset + s.time, s.nbytes) for s in dispatch.rings[key]]
            if key in dispatch.landed:
                samples.append((self._offset + dispatch.landed[key], 0))

    def _add_bus(self, direction: str, intervals: Mapping[int, int], cycles: int) -> None:
        samples = self._samples.setdefault(f"bus {direction}", [])
        length = self._recorder.interval
        for number in sorted(intervals):
            samples.append((self._offset + number * length, intervals[number]))
            if number + 1 not in intervals:
                end = min((number + 1) * length, cycles)
                samples.append((self._offset + end, 0))

    def _at(self, begin: int, end: int) -> tuple[int, int]:
        return self._offset + begin, self._offset + end

    def tracks(self) -> list[SliceTrack | CounterTrack]:
        """Return the tracks in display order."""
        streams = load().operands["input"]
        codes = range(streams.first, streams.first + streams.count)
        tracks: list[SliceTrack | CounterTrack] = [
            SliceTrack(name, self._slices[name])
            for name in ("steps", "sequencer")
            if name in self._slices
        ]
        tracks += [SliceTrack("kernels", row) for row in self._kernel_rows if row]
        tracks += self._named(["fetch"])
        for code in codes:
            stream = operand_text(code)
            tracks += self._named([f"ring {stream}", f"broadcast {stream}"])
        tracks += self._named([*_ENGINES.values(), "bus read", "bus written"])
        return tracks

    def _named(self, names: Sequence[str]) -> Iterator[SliceTrack | CounterTrack]:
        interval = f"bytes in {self._recorder.interval} cycles"
        for name in names:
            if name in self._slices:
                yield SliceTrack(name, self._slices[name])
            elif name in self._samples:
                samples = [list(same)[-1] for _, same in groupby(self._samples[name], _time)]
                unit = interval if name.startswith("bus") else "bytes"
                yield CounterTrack(name, unit, samples)


def _time(sample: tuple[int, int]) -> int:
    return sample[0]


def _track_name(key: Key) -> str:
    if key.engine in ("broadcast", "ring"):
        return f"{key.engine} {operand_text(key.stream)}"
    return _ENGINES.get(key.engine, key.engine)


def _stall(cause: str) -> str:
    return "stall" if cause == "any" else f"stall: {cause}"


def _kernel_args(kernel: Kernel, number: int, source: KernelSource) -> dict[str, int | str]:
    """Return the details that a viewer shows for a kernel."""
    args: dict[str, int | str] = {
        "kernel": number,
        "operators": source.operators,
        "sizes": _sizes(kernel.iteration),
        "points": kernel.points,
        "strips": kernel.strips,
        "instructions": len(kernel.body),
    }
    for stream in (*kernel.inputs, *kernel.outputs):
        args[str(stream)] = _stream(stream)
    return args


def _stream(stream: Stream) -> str:
    return f"{stream.type.name} {_sizes(stream.sizes)}"


def _sizes(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes)) or "scalar"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
