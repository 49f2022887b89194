"""The host step of a package: a part of a model that an engine on the host computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, ClassVar

from hwc.package.host_types import is_numpys, tensor_type, tensor_types
from hwc.package.machine import Choice, Kernel

if TYPE_CHECKING:
    from hwc.package.model import Buffer, Tensor

ENGINES = ("iree", "onnxruntime")
"""The engines that a package may name."""


_KINDS = ("input", "output", "intermediate")
"""The kinds of buffers that steps on the host read and write: the others are the machine's."""


@dataclass(frozen=True)
class Weight:
    """A constant of a part of a model: its elements begin at byte `offset` of the constants.

    They are dense, row-major and little-endian, one byte per i1. Steps may share them.
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
class HostStep:
    """Work for the host: an engine computes `outputs` of `inputs`.

    `model` is the part of the model as the engine takes it, which calls the tensors by their names.
    Its larger constants are `weights`, which it names and does not hold.
    The shapes of the outputs are what is known of them before the step has run: a size that only
    the host learns is a symbol of a `learned` step of the shape program. `source` says which
    operators the step has; people read it.
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

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Inputs and outputs."""
        return (*self.inputs, *self.outputs)

    def weight_problems(self, constants: int) -> Iterator[str]:
        """Yield what is wrong with the weights in a package with so many bytes of constants."""
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
