"""Which buffer holds each tensor of a compiled function, and the bytes of its constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, SSAValue

from hwc.dialects import strip
from hwc.dialects.element_types import element_type_of
from hwc.package import BUFFER_ALIGNMENT, Buffer
from hwc.shapes import Size, View

CONSTANTS = "constants"


def constant_bytes(op: arith.ConstantOp) -> bytes:
    """Return a constant's elements as they lie in memory, an i1 as a byte of 0 or 1."""
    value = op.value
    assert isinstance(value, DenseIntOrFPElementsAttr)
    type_ = element_type_of(op.result)
    data = np.frombuffer(value.data.data, f"<u{type_.bytes}")
    if type_.kind == "boolean":
        data = (data != 0).astype("u1")
    count = int(np.prod(value.get_shape(), dtype=np.int64))
    return np.broadcast_to(data, (count,)).tobytes() if data.size == 1 else data.tobytes()


@dataclass
class Buffers:
    """The buffers of one function; `views` are its tensors with all known sizes resolved."""

    block: Block
    views: dict[SSAValue, View[SSAValue]]
    returned: Sequence[SSAValue]
    buffers: list[Buffer] = field(default_factory=list)
    names: dict[SSAValue, str] = field(default_factory=dict)
    offsets: dict[SSAValue, int] = field(default_factory=dict)
    constants: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Plan every buffer."""
        for number, argument in enumerate(self.block.args):
            self._add(argument, f"input{number}", "input")
        outputs = dict.fromkeys(self.views[v].root for v in self.returned)
        for number, value in enumerate(outputs):
            self._add(value, f"output{number}", "output")
        self._add_constants()
        self._add_intermediates()

    def location(self, value: SSAValue) -> tuple[str, int]:
        """Return the name of the buffer that holds a tensor, and the tensor's offset in bytes."""
        view = self.views[value]
        start = view.offset * element_type_of(value).bytes
        return self.names[view.root], self.offsets.get(view.root, 0) + start

    def _add(self, value: SSAValue, name: str, kind: str) -> None:
        type_, sizes = self._contents(value)
        self.buffers.append(Buffer(name, kind, type_, sizes))  # pyright: ignore
        self.names[value] = name

    def _contents(self, value: SSAValue) -> tuple[str, tuple[Size, ...]]:
        return element_type_of(value).name, self.views[value].sizes

    def _add_constants(self) -> None:
        constants = [op for op in self.block.ops if isinstance(op, arith.ConstantOp)]
        for op in constants:
            self.constants += bytes(-len(self.constants) % BUFFER_ALIGNMENT)
            self.offsets[op.result] = len(self.constants)
            self.names[op.result] = CONSTANTS
            self.constants += constant_bytes(op)
        if constants:  # even if all are without elements, because kernels name the buffer
            self.buffers.append(Buffer(CONSTANTS, "constant", "i8", (len(self.constants),)))

    def _add_intermediates(self) -> None:
        """Give every other result a buffer.

        A buffer that no later kernel reads serves the next result of equal type and sizes.
        """
        kernels = [op for op in self.block.ops if isinstance(op, strip.KernelOp)]
        last = {self.views[v].root: i for i, kernel in enumerate(kernels) for v in kernel.inputs}
        free: dict[tuple[str, tuple[Size, ...]], list[str]] = {}
        for i, kernel in enumerate(kernels):
            for value in kernel.results:
                if value in self.names:
                    continue
                if reusable := free.get(self._contents(value)):
                    self.names[value] = reusable.pop()
                else:
                    number = sum(b.kind == "intermediate" for b in self.buffers)
                    self._add(value, f"intermediate{number}", "intermediate")
            for value in dict.fromkeys(self.views[v].root for v in kernel.inputs):
                name = self.names[value]
                if last[value] == i and name.startswith("intermediate"):
                    free.setdefault(self._contents(value), []).append(name)
