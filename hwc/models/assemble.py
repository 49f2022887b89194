"""Combines the packages of a model's regions and its parts for the host into one package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hwc.models.graph import Argument, Graph, HostPart, Node, Region, summary
from hwc.models.sizes import KnownElements, NodeSizes, Sizes
from hwc.package import (
    BUFFER_ALIGNMENT,
    Buffer,
    BufferRef,
    HostStep,
    Indices,
    Kernel,
    MachineStep,
    Package,
    Parameter,
    ShapeProgram,
    Step,
    SymbolRef,
    Tensor,
    Work,
)
from hwc.shapes import Size
from hwc.shapes.steps import Dim, Learned, Origin
from hwc.shapes.steps import Step as ShapeStep


class Assembly:
    """Builds the package of a model, step by step."""

    def __init__(self, graph: Graph[Any], kernel_source: Callable[[str], str]) -> None:
        """Begin with the inputs of the model.

        `kernel_source` translates the operations of a kernel to the model's names for them.
        """
        self._graph = graph
        self._kernel_source = kernel_source
        self._names = {
            size
            for value in graph.values.values()
            for size in value.sizes or ()
            if isinstance(size, str)
        }
        self._shape_steps: list[ShapeStep] = []
        self._elements: dict[str, KnownElements] = {}
        self._steps: list[Step] = []
        self._buffers: dict[str, Buffer] = {}
        self._constants = bytearray()
        self._offsets: dict[bytes, int] = {}
        self._tensors: dict[str, Tensor] = {}
        self.known: dict[str, Sizes] = {}
        """The sizes of values, from the rules of their nodes or from what an engine learns."""
        for number, name in enumerate(graph.inputs):
            known = graph.values[name]
            shape: list[Size] = []
            for dimension, size in enumerate(known.sizes or ()):
                symbol = size if size is not None else self._fresh("s")
                shape.append(symbol)
                if isinstance(symbol, str):
                    named = size is not None
                    self._shape_steps.append(Dim(symbol, number, dimension, named))
            buffer = Buffer(f"input{number}", "input", known.type, tuple(shape))
            self._add(buffer)
            self._tensors[name] = Tensor(name, known.type, buffer.shape, buffer.name)
            self.known[name] = buffer.shape

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return len(self._steps)

    def argument(self, name: str) -> Argument:
        """Return what a region needs to know about an existing value."""
        tensor = self._tensors[name]
        return Argument(name, tensor.type, tensor.shape)

    def node_sizes(self, node: Node) -> NodeSizes:
        """Return the writer of the rules of a node about sizes."""
        steps, place = self._shape_steps, node.place_in(self._graph.name)
        return NodeSizes(steps, self._fresh, node.operation, place, self._elements)

    def add_host(
        self,
        engine: str,
        part: HostPart,
        nodes: Sequence[Node],
        inputs: Sequence[str],
        outputs: Sequence[str],
        indices: Sequence[Indices] = (),
    ) -> None:
        """Add a part that an engine computes.

        Sizes of the `outputs` that are not known are symbols: only the engine learns them.
        `indices` are the rules about data.
        """
        number = len(self._steps)
        made: list[Tensor] = []
        for output, name in enumerate(outputs):
            known = self._graph.values[name]
            if name in self.known:
                made.append(self._value(name, known.type, self.known[name]))
                continue
            shape: list[Size] = []
            for dimension, size in enumerate(known.sizes or ()):
                symbol = size if size is not None else self._fresh("s")
                shape.append(symbol)
                if isinstance(symbol, str):
                    self._shape_steps.append(Learned(symbol, number, output, dimension))
            self.known[name] = tuple(shape)
            made.append(self._value(name, known.type, tuple(shape)))
        read = tuple(self._tensors[name] for name in inputs)
        source = summary(node.operator for node in nodes)
        self._steps.append(
            HostStep(
                engine,
                part.model,
                read,
                tuple(made),
                source,
                part.weights,
                tuple(indices),
                part.function,
            )
        )

    def add_region(self, package: Package, region: Region) -> None:
        """Add a region compiled for the machine."""
        sizes = (size for name in region.arguments for size in self._tensors[name].shape)
        own = {size for size in sizes if isinstance(size, str)}
        symbols = {s: self._fresh(f"{s}_") for s in package.symbols if s not in own}
        for step in package.shape_program.steps:
            if not isinstance(step, Dim):
                origin = _origin(step.origin, region, self._graph.name)
                self._shape_steps.append(replace(step.renamed(symbols), origin=origin))
        buffers: dict[str, str] = {}
        for tensor, name in zip(package.inputs, region.arguments, strict=True):
            buffers[tensor.buffer] = self._tensors[name].buffer
        for tensor, name in zip(package.outputs, region.results, strict=True):
            shape = tuple(_new(size, symbols) for size in tensor.shape)
            type_ = self._graph.values[name].type  # may be the unsigned type with the same bytes
            shape = self.known.setdefault(name, shape)
            if tensor.buffer in buffers:
                buffer = buffers[tensor.buffer]
                if self._is_output(name):
                    self._buffers[buffer] = replace(self._buffers[buffer], kind="output")
                self._tensors[name] = Tensor(name, type_, shape, buffer)
            else:
                buffers[tensor.buffer] = self._value(name, type_, shape).buffer
        for buffer in package.buffers:
            if buffer.name not in buffers:
                buffers[buffer.name] = self._copy(buffer, package, symbols)
        for step in package.steps:
            assert isinstance(step, MachineStep), "a region has no steps on the host"
            kernels = tuple(self._kernel(kernel, buffers, symbols) for kernel in step.kernels)
            self._steps.append(replace(step, kernels=kernels))

    def build(
        self,
        target: Mapping[str, object],
        module: Callable[[Sequence[str]], bytes],
        work: Work | None = None,
    ) -> Package:
        """Return the package; `module` is that of `hwc.models.graph.Front`."""
        steps = self._steps
        on_host = (step for step in steps if isinstance(step, HostStep))
        if functions := [*dict.fromkeys(step.function for step in on_host if step.function)]:
            model = module(functions)
            steps = [
                replace(step, model=model) if isinstance(step, HostStep) and step.function else step
                for step in steps
            ]
        return Package(
            target=target,
            entry=self._graph.entry,
            inputs=tuple(self._tensors[name] for name in self._graph.inputs),
            outputs=tuple(self._tensors[name] for name in self._graph.outputs),
            buffers=tuple(self._buffers.values()),
            steps=tuple(steps),
            constants=bytes(self._constants),
            shape_program=ShapeProgram(tuple(self._shape_steps)),
            source_name=self._graph.name,
            work=work,
        )

    def _fresh(self, prefix: str) -> str:
        """Return a new name for a size."""
        number = 0
        while f"{prefix}{number}" in self._names:
            number += 1
        self._names.add(f"{prefix}{number}")
        return f"{prefix}{number}"

    def _is_output(self, name: str) -> bool:
        return name in self._graph.outputs

    def _value(self, name: str, type_: str, shape: tuple[Size, ...]) -> Tensor:
        """Add a value of the model that a step computes."""
        if self._is_output(name):
            buffer = Buffer(f"output{self._graph.outputs.index(name)}", "output", type_, shape)
        else:
            buffer = Buffer(self._new_buffer("value"), "intermediate", type_, shape)
        self._add(buffer)
        self._tensors[name] = Tensor(name, type_, shape, buffer.name)
        return self._tensors[name]

    def _copy(self, buffer: Buffer, package: Package, symbols: Mapping[str, str]) -> str:
        """Add a buffer that only one region has; equal constants share their bytes."""
        shape = tuple(_new(size, symbols) for size in buffer.shape)
        values = tuple(_new(size, symbols) for size in buffer.values)
        offset = 0
        if buffer.kind == "constant":
            data = package.constants[buffer.offset : buffer.offset + buffer.nbytes({})]
            offset = self.place(bytes(data))
        name = self._new_buffer(buffer.kind)
        self._add(replace(buffer, name=name, shape=shape, values=values, offset=offset))
        return name

    def place(self, data: bytes) -> int:
        """Add `data` to the constant bytes, unless it is there already; return its offset."""
        if data not in self._offsets:
            self._constants.extend(bytes(-len(self._constants) % BUFFER_ALIGNMENT))
            self._offsets[data] = len(self._constants)
            self._constants.extend(data)
        return self._offsets[data]

    def _kernel(
        self, kernel: Kernel, buffers: Mapping[str, str], symbols: Mapping[str, str]
    ) -> Kernel:
        """Return the kernel with the names used in the model's package."""

        def renamed(parameter: Parameter) -> Parameter:
            if isinstance(parameter, BufferRef):
                return BufferRef(buffers[parameter.name])
            return SymbolRef(symbols.get(parameter.name, parameter.name))

        parameters = tuple(map(renamed, kernel.parameters))
        source = self._kernel_source(kernel.source)
        # The lines belong to the region's text, which no user sees.
        return replace(kernel, parameters=parameters, source=source, lines=())

    def _new_buffer(self, prefix: str) -> str:
        return f"{prefix}{sum(name.startswith(prefix) for name in self._buffers)}"

    def _add(self, buffer: Buffer) -> None:
        assert buffer.name not in self._buffers
        self._buffers[buffer.name] = buffer


def _new(size: Size, symbols: Mapping[str, str]) -> Size:
    return symbols.get(size, size) if isinstance(size, str) else size


def _origin(origin: Origin | None, region: Region, model: str) -> Origin | None:
    """Return the node of the model that requires a step, in place of a line of the region."""
    if origin is None:
        return None
    line = origin.location.split(":")[-2:][0]
    node = region.lines.get(int(line)) if line.isdecimal() else None
    if node is None:
        return origin
    return replace(origin, operation=node.operation, location=node.place_in(model))
