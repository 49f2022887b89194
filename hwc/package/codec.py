"""Converts a package to JSON values and back; reading is strict."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import isa
from hwc.package.host import HostStep, Indices, Weight
from hwc.package.machine import (
    Alternative,
    BufferRef,
    Choice,
    Item,
    Kernel,
    Line,
    MachineStep,
    Parameter,
    SymbolRef,
)
from hwc.package.model import BUFFER_KINDS, Buffer, BufferKind, Package, Step, Tensor
from hwc.package.reader import FormatError, Reader, dimension_from_json
from hwc.package.shapes import ShapeProgram
from hwc.package.work import work_from_json, work_to_json
from hwc.shapes import steps as shape_steps
from hwc.shapes.steps import Origin, StepSyntaxError, parse_step

_WORD = isa.load().word_bits // 8


def manifest_to_json(package: Package, members: dict[str, bytes]) -> dict[str, Any]:
    """Return the manifest without versions and members; add the steps' members to `members`."""
    return {
        "target": dict(package.target),
        "entry": package.entry,
        "source": package.source_name,
        "source_digest": package.source_digest,
        "broadcast": package.broadcast,
        "ranks": package.ranks,
        "inputs": [_tensor_to_json(t) for t in package.inputs],
        "outputs": [_tensor_to_json(t) for t in package.outputs],
        "buffers": [_buffer_to_json(b) for b in package.buffers],
        "steps": [_step_to_json(i, step, members) for i, step in enumerate(package.steps)],
        "work": work_to_json(package.work),
    }


def package_from_json(
    manifest: Mapping[str, Any],
    shapes: Mapping[str, Any],
    constants: bytes | memoryview,
    members: Mapping[str, bytes],
) -> Package:
    """Return the package; `members` are the files that the steps name.

    Raises:
        FormatError: a key is missing or unknown, a value has the wrong kind, or a member is
            missing, or no step names a member.
    """
    files = _Members(members)
    read = Reader("manifest", manifest)
    package = Package(
        target=read.object("target"),
        entry=read.string("entry"),
        source_name=read.string("source"),
        source_digest=read.string("source_digest"),
        broadcast=read.string("broadcast"),
        ranks=read.string("ranks"),
        inputs=read.list("inputs", _tensor_from_json),
        outputs=read.list("outputs", _tensor_from_json),
        buffers=read.list("buffers", _buffer_from_json),
        steps=read.list("steps", lambda where, value: _step_from_json(where, value, files)),
        work=work_from_json("manifest: work", read.any("work")),
        constants=constants,
        shape_program=shape_program_from_json(shapes),
    )
    read.done()
    if unread := sorted(members.keys() - files.read):
        raise FormatError(f"no step names {unread[0]}")
    return package


class _Members:
    """The files that steps name; `read` has the names of those that were taken."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._members = members
        self.read: set[str] = set()

    def take(self, where: str, name: str, shared: bool = False) -> bytes:
        """Return a file, which several steps may name only if it is `shared`.

        Raises:
            FormatError: the file is missing, or another step names it.
        """
        if name not in self._members or (name in self.read and not shared):
            raise FormatError(f"{where}: {name!r} is missing, or another step names it")
        self.read.add(name)
        return self._members[name]


def _number(where: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FormatError(f"{where} is not a number from 0")
    return value


def _tensor_to_json(t: Tensor) -> dict[str, Any]:
    return {"name": t.name, "type": t.type, "shape": list(t.shape), "buffer": t.buffer}


def _tensor_from_json(where: str, value: Any) -> Tensor:
    read = Reader(where, value)
    tensor = Tensor(
        read.string("name"), read.string("type"), read.dimensions("shape"), read.string("buffer")
    )
    read.done()
    return tensor


def _buffer_to_json(b: Buffer) -> dict[str, Any]:
    value = {"name": b.name, "kind": b.kind, "type": b.type, "shape": list(b.shape)}
    own: dict[str, Any] = {"constant": {"offset": b.offset}, "values": {"values": list(b.values)}}
    return {**value, **own.get(b.kind, {})}


def _buffer_from_json(where: str, value: Any) -> Buffer:
    read = Reader(where, value)
    name, kind = read.string("name"), read.string("kind")
    known: BufferKind | None = next((k for k in BUFFER_KINDS if k == kind), None)
    if known is None:
        raise FormatError(f"{where}: 'kind' is {kind!r}, not one of {', '.join(BUFFER_KINDS)}")
    offset = read.integer("offset") if known == "constant" else 0
    values = read.list("values", _value_from_json) if known == "values" else ()
    buffer = Buffer(name, known, read.string("type"), read.dimensions("shape"), offset, values)
    read.done()
    return buffer


def _value_from_json(where: str, value: Any) -> int | str:
    """Return a number, which may be negative, or the name of a symbol."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f"{where} is neither a number nor a symbol")
    return value


def _parameter_to_json(p: Parameter) -> dict[str, str]:
    return {"buffer": p.name} if isinstance(p, BufferRef) else {"symbol": p.name}


def _parameter_from_json(where: str, value: Any) -> Parameter:
    read = Reader(where, value)
    if "buffer" in read.value:
        parameter: Parameter = BufferRef(read.string("buffer"))
    else:
        parameter = SymbolRef(read.string("symbol"))
    read.done()
    return parameter


def _step_to_json(index: int, step: Step, members: dict[str, bytes]) -> dict[str, Any]:
    return {"kind": step.kind, **_STEP_WRITERS[step.kind](index, step, members)}


def _step_from_json(where: str, value: Any, members: _Members) -> Step:
    read = Reader(where, value)
    kind = read.string("kind")
    if kind not in _STEP_READERS:
        known = ", ".join(_STEP_READERS)
        raise FormatError(f"{where} is of kind {kind!r}; this hwc knows {known}")
    step = _STEP_READERS[kind](read, members)
    read.done()
    return step


def _machine_to_json(index: int, step: MachineStep, members: dict[str, bytes]) -> dict[str, Any]:
    name = f"program{index}.bin"
    words = [word for kernel in step.kernels for word in kernel.words]
    members[name] = struct.pack(f"<{len(words)}Q", *words)
    return {
        "program": name,
        "kernels": [_kernel_to_json(kernel) for kernel in step.kernels],
        "items": [_item_to_json(item) for item in step.items],
    }


def _machine_from_json(read: Reader, members: _Members) -> MachineStep:
    name = read.string("program")
    content = members.take(read.where, name)
    if len(content) % _WORD:
        raise FormatError(f"{name} is not whole 64-bit words")
    words = list(struct.unpack(f"<{len(content) // _WORD}Q", content))
    kernels = read.list("kernels", lambda where, value: _kernel_from_json(where, value, words))
    if words:
        raise FormatError(f"{name} has {len(words)} words more than the kernels of {read.where}")
    return MachineStep(kernels, read.list("items", _item_from_json))


def _kernel_to_json(kernel: Kernel) -> dict[str, Any]:
    return {
        "words": len(kernel.words),
        "parameters": [_parameter_to_json(p) for p in kernel.parameters],
        "source": kernel.source,
        "lines": [list(line) for line in kernel.lines],
    }


def _kernel_from_json(where: str, value: Any, words: list[int]) -> Kernel:
    """Return a kernel; take its words from the front of `words`."""
    read = Reader(where, value)
    count = read.integer("words")
    if count > len(words):
        raise FormatError(f"{where} has {count} words, and {len(words)} are left in the program")
    own = tuple(words[:count])
    del words[:count]
    kernel = Kernel(
        own,
        read.list("parameters", _parameter_from_json),
        read.string("source"),
        read.list("lines", _line_from_json),
    )
    read.done()
    return kernel


def _line_from_json(where: str, value: Any) -> Line:
    if not isinstance(value, list) or len(value) != len(Line._fields):
        raise FormatError(f"{where} is not a list of a word, a line and a column")
    return Line(*(_number(where, number) for number in value))


def _item_to_json(item: Item) -> dict[str, Any]:
    if not isinstance(item, Choice):
        return {"kernel": item}
    return {
        "alternatives": [{"name": a.name, "kernels": list(a.kernels)} for a in item.alternatives]
    }


def _item_from_json(where: str, value: Any) -> Item:
    read = Reader(where, value)
    if "alternatives" in read.value:
        item: Item = Choice(read.list("alternatives", _alternative_from_json))
    else:
        item = read.integer("kernel")
    read.done()
    return item


def _alternative_from_json(where: str, value: Any) -> Alternative:
    read = Reader(where, value)
    alternative = Alternative(read.string("name"), read.list("kernels", _number))
    read.done()
    return alternative


def _host_to_json(index: int, step: HostStep, members: dict[str, bytes]) -> dict[str, Any]:
    shared = (n for n, data in members.items() if step.function and data is step.model)
    name = next(shared, f"model{index}.bin")
    members[name] = step.model
    return {
        "engine": step.engine,
        "model": name,
        "function": step.function,
        "inputs": [_tensor_to_json(t) for t in step.inputs],
        "outputs": [_tensor_to_json(t) for t in step.outputs],
        "source": step.source,
        "weights": [_weight_to_json(w) for w in step.weights],
        "indices": [_indices_to_json(i) for i in step.indices],
    }


def _indices_to_json(indices: Indices) -> dict[str, Any]:
    return {
        "tensor": indices.tensor,
        "size": indices.size,
        "from_end": indices.from_end,
        "distinct": indices.distinct,
        "origin": _origin_to_json(indices.origin),
        "column": indices.column,
    }


def _indices_from_json(where: str, value: Any) -> Indices:
    read = Reader(where, value)
    indices = Indices(
        read.string("tensor"),
        dimension_from_json(f"{where}: size", read.any("size")),
        read.boolean("from_end"),
        read.boolean("distinct"),
        _origin_from_json(f"{where}: origin", read.any("origin")),
        read.optional_integer("column"),
    )
    read.done()
    return indices


def _weight_to_json(w: Weight) -> dict[str, Any]:
    return {"name": w.name, "type": w.type, "shape": list(w.shape), "offset": w.offset}


def _weight_from_json(where: str, value: Any) -> Weight:
    read = Reader(where, value)
    weight = Weight(
        read.string("name"),
        read.string("type"),
        read.list("shape", _number),
        read.integer("offset"),
    )
    read.done()
    return weight


def _host_from_json(read: Reader, members: _Members) -> HostStep:
    name, function = read.string("model"), read.string("function")
    return HostStep(
        read.string("engine"),
        members.take(read.where, name, shared=bool(function)),
        read.list("inputs", _tensor_from_json),
        read.list("outputs", _tensor_from_json),
        read.string("source"),
        read.list("weights", _weight_from_json),
        read.list("indices", _indices_from_json),
        function,
    )


_STEP_WRITERS: Mapping[str, Callable[[int, Any, dict[str, bytes]], dict[str, Any]]] = {
    MachineStep.kind: _machine_to_json,
    HostStep.kind: _host_to_json,
}
_STEP_READERS: Mapping[str, Callable[[Reader, _Members], Step]] = {
    MachineStep.kind: _machine_from_json,
    HostStep.kind: _host_from_json,
}


def shape_program_to_json(program: ShapeProgram) -> dict[str, Any]:
    """Return the shape program as a JSON object."""
    return {"steps": [_shape_step_to_json(step) for step in program.steps]}


def shape_program_from_json(value: Mapping[str, Any]) -> ShapeProgram:
    """Return the shape program of a JSON object.

    Raises:
        FormatError: a key is missing or unknown, or a value has the wrong kind.
    """
    read = Reader("shapes", value)
    program = ShapeProgram(read.list("steps", _shape_step_from_json))
    read.done()
    return program


def _origin_to_json(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {
        "operation": origin.operation,
        "location": origin.location,
        "dimension": origin.dimension,
        "about": origin.about,
    }


def _origin_from_json(where: str, value: Any) -> Origin | None:
    if value is None:
        return None
    read = Reader(where, value)
    origin = Origin(
        read.string("operation"),
        read.string("location"),
        read.optional_integer("dimension"),
        read.string("about"),
    )
    read.done()
    return origin


def _shape_step_to_json(step: shape_steps.Step) -> dict[str, Any]:
    return {"step": str(step), "origin": _origin_to_json(step.origin)}


def _shape_step_from_json(where: str, value: Any) -> shape_steps.Step:
    read = Reader(where, value)
    text = read.string("step")
    origin = _origin_from_json(f"{where}: origin", read.any("origin"))
    read.done()
    try:
        return replace(parse_step(text), origin=origin)
    except StepSyntaxError as error:
        raise FormatError(f"{where}: {text!r} is not a step: {error}") from error
