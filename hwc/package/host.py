"""The host step of a package: part of a model, computed by an engine on the host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, ClassVar

from hwc.package.host_types import is_numpys, tensor_type, tensor_types
from hwc.package.machine import Choice, Kernel
from hwc.shapes import Size
from hwc.shapes.steps import Origin

if TYPE_CHECKING:
    from hwc.package.model import Buffer, Tensor

ENGINES = ("iree", "onnxruntime")
"""The engines that a package may name."""


_KINDS = ("input", "output", "intermediate")
"""The kinds of buffers that steps on the host read and write; only the machine uses the others."""


@dataclass(frozen=True)
class Weight:
    """A constant of part of a model; its elements begin at byte `offset` of the constant bytes.

    The elements are dense, row-major and little-endian, one byte per i1. Steps may share them.
    """

    name: str
    type: str
    shape: tuple[int, ...]
    offset: int

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return prod(self.shape) * tensor_type(self.type).bytes


@dataclass(frozen=True)
class Indices:
    """A rule about data: the elements of the input `tensor` of a step are indices.

    They are from 0 up to `size`, exclusive; with `from_end`, an index from -`size` up to -1 counts
    from the end. `distinct` requires that no two indices of a row, the last dimension, are equal.
    With `column`, the rule is about the elements at this place of the last dimension alone.
    `origin` is the operation that has the rule. The runtime checks it before the engine runs.
    """

    tensor: str
    size: Size
    from_end: bool = False
    distinct: bool = False
    origin: Origin | None = None
    column: int | None = None


@dataclass(frozen=True)
class HostStep:
    """Work for the host: an engine computes `outputs` from `inputs`.

    `model` is the part of the model in the engine's format; it refers to the tensors by name. It
    also names its larger constants, but their elements are in `weights`. If `function` is not '',
    `model` has a function for each of several steps, and `function` is the name of this step's. The
    shapes of the outputs are what is known before the step runs: a size that the host learns only
    by running the step is a symbol of a `learned` step of the shape program. `source` tells people
    which operators the step has. `indices` are the rules about the data of inputs.
    """

    kind: ClassVar[str] = "host"
    choices: ClassVar[tuple[Choice, ...]] = ()
    kernels: ClassVar[tuple[Kernel, ...]] = ()

    engine: str
    model: bytes
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    source: str = ""
    weights: tuple[Weight, ...] = ()
    indices: tuple[Indices, ...] = ()
    function: str = ""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Inputs and outputs."""
        return (*self.inputs, *self.outputs)

    def weight_problems(self, constants: int) -> Iterator[str]:
        """Yield what is wrong with the weights in a package with `constants` bytes of constants."""
        names = Counter(weight.name for weight in self.weights)
        yield from (f"has {n} weights called {name!r}" for name, n in names.items() if n > 1)
        for weight in self.weights:
            who = f"weight {weight.name!r}"
            if weight.type not in tensor_types() or not is_numpys(weight.type):
                yield f"{who} has element type {weight.type!r}, which no engine takes"
            elif not 0 <= weight.offset <= weight.offset + weight.nbytes <= constants:
                yield f"{who} exceeds the {constants} constant bytes"

    def problems(self, buffers: Mapping[str, Buffer], symbols: Collection[str]) -> Iterator[str]:
        """Yield what is wrong with the step in a package that has these buffers and symbols."""
        if self.engine not in ENGINES:
            yield f"has the engine {self.engine!r}, not one of {', '.join(ENGINES)}"
        names = Counter(tensor.name for tensor in self.tensors)
        yield from (f"has {n} tensors called {name!r}" for name, n in names.items() if n > 1)
        for tensor in self.tensors:
            buffer = buffers.get(tensor.buffer)
            who = f"tensor {tensor.name!r}"
            if buffer is None:
                yield f"{who} names buffer {tensor.buffer!r}, which does not exist"
            elif buffer.kind not in _KINDS:
                yield f"{who} names buffer {buffer.name!r} of kind {buffer.kind!r}"
            elif buffer.type != tensor.type:
                yield f"{who} is {tensor.type}, its buffer {buffer.name!r} is {buffer.type}"
            for size in tensor.shape:
                if isinstance(size, str) and size not in symbols:
                    yield f"{who} names symbol {size!r}, which the shape program does not define"
        inputs = {tensor.name for tensor in self.inputs}
        for rule in self.indices:
            if rule.tensor not in inputs:
                yield f"checks the indices of {rule.tensor!r}, which is not an input"
            if isinstance(rule.size, str) and rule.size not in symbols:
                yield f"a rule names symbol {rule.size!r}, which the shape program does not define"
