"""The package model as JSON values and back; reading is strict: no unknown key, no wrong type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
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
from hwc.package.shapes import ShapeProgram
from hwc.shapes.steps import Origin, Step, StepSyntaxError, parse_step

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
            raise FormatError(f"{where} is not an object")
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

    def any(self, key: str) -> Any:
        """Take a value of any kind."""
        return self._take(key)

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


def _origin_to_json(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {
        "operation": origin.operation,
        "location": origin.location,
        "dimension": origin.dimension,
    }


def _origin_from_json(where: str, value: Any) -> Origin | None:
    if value is None:
        return None
    read = Reader(where, value)
    origin = Origin(
        read.string("operation"), read.string("location"), read.optional_integer("dimension")
    )
    read.done()
    return origin


def _step_to_json(step: Step) -> dict[str, Any]:
    return {"step": str(step), "origin": _origin_to_json(step.origin)}


def _step_from_json(where: str, value: Any) -> Step:
    read = Reader(where, value)
    text = read.string("step")
    origin = _origin_from_json(f"{where}: origin", read.any("origin"))
    read.done()
    try:
        return replace(parse_step(text), origin=origin)
    except StepSyntaxError as error:
        raise FormatError(f"{where}: {text!r} is not a step: {error}") from error
