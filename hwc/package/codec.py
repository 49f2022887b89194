"""The package model as JSON values and back; reading is strict: no unknown key, no wrong type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hwc.package.model import (
    BUFFER_KINDS,
    Buffer,
    BufferKind,
    BufferRef,
    Dimension,
    Dispatch,
    Package,
    Parameter,
    SymbolRef,
    Tensor,
)
from hwc.package.shapes import Broadcast, Dim, Equal, Reshape, ShapeProgram, Step, Where

T = TypeVar("T")


class FormatError(Exception):
    """A JSON value that is not what the format says; the text names its place and what is wrong."""


def manifest_to_json(package: Package) -> dict[str, Any]:
    """Return the manifest without format, version and members."""
    return {
        "target": dict(package.target),
        "entry": package.entry,
        "source": package.source_name,
        "inputs": [_tensor_to_json(t) for t in package.inputs],
        "outputs": [_tensor_to_json(t) for t in package.outputs],
        "buffers": [_buffer_to_json(b) for b in package.buffers],
        "dispatches": [
            {
                "parameters": [_parameter_to_json(p) for p in d.parameters],
                "kernels": list(d.kernels),
            }
            for d in package.dispatches
        ],
    }


def package_from_json(
    manifest: Mapping[str, Any],
    shapes: Mapping[str, Any],
    constants: bytes,
    programs: list[tuple[int, ...]],
) -> Package:
    """Return the package; `programs` holds the words of each dispatch.

    Raises:
        FormatError: a key is missing or unknown, or a value is of the wrong kind.
    """
    read = Reader("manifest", manifest)
    dispatches = read.list("dispatches", _dispatch_from_json)
    if len(dispatches) != len(programs):
        raise FormatError(f"{len(dispatches)} dispatches but {len(programs)} programs")
    package = Package(
        target=read.object("target"),
        entry=read.string("entry"),
        source_name=read.string("source"),
        inputs=read.list("inputs", _tensor_from_json),
        outputs=read.list("outputs", _tensor_from_json),
        buffers=read.list("buffers", _buffer_from_json),
        dispatches=tuple(
            Dispatch(words, parameters, kernels)
            for words, (parameters, kernels) in zip(programs, dispatches, strict=True)
        ),
        constants=constants,
        shape_program=shape_program_from_json(shapes),
    )
    read.done()
    return package


class Reader:
    """Takes typed values out of a JSON object and refuses what is left over."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, Mapping):
            raise FormatError(f"{where} is no object")
        self.where = where
        self.value: dict[str, Any] = dict(value)

    def _take(self, key: str) -> Any:
        if key not in self.value:
            raise FormatError(f"{self.where} lacks {key!r}")
        return self.value.pop(key)

    def _typed(self, key: str, kind: type[T], name: str) -> T:
        value = self._take(key)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise FormatError(f"{self.where}: {key!r} is not {name}")
        return value

    def string(self, key: str) -> str:
        """Take a string."""
        return self._typed(key, str, "a string")

    def integer(self, key: str) -> int:
        """Take an integer that is not negative."""
        value = self._typed(key, int, "an integer")
        if value < 0:
            raise FormatError(f"{self.where}: {key!r} is negative")
        return value

    def optional_integer(self, key: str) -> int | None:
        """Take an integer that is not negative, or null."""
        if self.value.get(key, 0) is None:
            self.value.pop(key)
            return None
        return self.integer(key)

    def object(self, key: str) -> dict[str, Any]:
        """Take an object as it is."""
        return self._typed(key, dict, "an object")

    def list(self, key: str, convert: Callable[[str, Any], T]) -> tuple[T, ...]:
        """Take a list whose items are converted by `convert(where, item)`."""
        items = self._typed(key, list, "a list")
        return tuple(convert(f"{self.where}: {key}[{i}]", item) for i, item in enumerate(items))

    def dimensions(self, key: str) -> tuple[Dimension, ...]:
        """Take a list of sizes and symbol names."""
        return self.list(key, dimension_from_json)

    def done(self) -> None:
        """Refuse keys that nobody took."""
        if self.value:
            raise FormatError(f"{self.where}: unknown key {sorted(self.value)[0]!r}")


def dimension_from_json(where: str, value: Any) -> Dimension:
    """Return a size or a symbol name."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise FormatError(f"{where} is neither a size nor a symbol")


def _string(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FormatError(f"{where} is not a string")
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
    return {**value, "offset": b.offset} if b.kind == "constant" else value


def _buffer_from_json(where: str, value: Any) -> Buffer:
    read = Reader(where, value)
    name, kind = read.string("name"), read.string("kind")
    known: BufferKind | None = next((k for k in BUFFER_KINDS if k == kind), None)
    if known is None:
        raise FormatError(f"{where}: 'kind' is {kind!r}, not one of {', '.join(BUFFER_KINDS)}")
    offset = read.integer("offset") if known == "constant" else 0
    buffer = Buffer(name, known, read.string("type"), read.dimensions("shape"), offset)
    read.done()
    return buffer


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


def _dispatch_from_json(where: str, value: Any) -> tuple[tuple[Parameter, ...], tuple[str, ...]]:
    read = Reader(where, value)
    result = read.list("parameters", _parameter_from_json), read.list("kernels", _string)
    read.done()
    return result


def shape_program_to_json(program: ShapeProgram) -> dict[str, Any]:
    """Return the shape program as a JSON object."""
    return {"steps": [_step_to_json(step) for step in program.steps]}


def shape_program_from_json(value: Mapping[str, Any]) -> ShapeProgram:
    """Return the shape program of a JSON object.

    Raises:
        FormatError: a key is missing or unknown, or a value is of the wrong kind.
    """
    read = Reader("shapes", value)
    program = ShapeProgram(read.list("steps", _step_from_json))
    read.done()
    return program


def _where_to_json(where: Where | None) -> dict[str, Any] | None:
    if where is None:
        return None
    return {"op": where.op, "location": where.location, "dimension": where.dimension}


def _where_from_json(place: str, value: Any) -> Where:
    read = Reader(place, value)
    where = Where(read.string("op"), read.string("location"), read.optional_integer("dimension"))
    read.done()
    return where


def _step_to_json(step: Step) -> dict[str, Any]:
    value: dict[str, Any] = {
        "step": type(step).__name__.lower(),
        "where": _where_to_json(step.where),
    }
    if isinstance(step, Dim):
        return {**value, "result": step.result, "input": step.input, "dim": step.dim}
    value["operands"] = list(step.operands)
    if isinstance(step, Broadcast):
        value["result"] = step.result
    elif isinstance(step, Reshape):
        value["result"] = list(step.result)
    return value


def _step_from_json(place: str, value: Any) -> Step:
    read = Reader(place, value)
    kind = read.string("step")
    source = read.value.pop("where", None)
    where = None if source is None else _where_from_json(f"{place}: where", source)
    step: Step
    if kind == "dim":
        step = Dim(read.string("result"), read.integer("input"), read.integer("dim"), where)
    elif where is None:
        raise FormatError(f"{place} lacks 'where'")
    elif kind == "broadcast":
        result = dimension_from_json(f"{place}: result", read.value.pop("result", None))
        step = Broadcast(result, read.dimensions("operands"), where)
    elif kind == "equal":
        step = Equal(read.dimensions("operands"), where)
    elif kind == "reshape":
        step = Reshape(read.dimensions("operands"), read.dimensions("result"), where)
    else:
        raise FormatError(f"{place}: unknown step {kind!r}")
    read.done()
    return step
