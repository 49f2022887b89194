"""Which buffer holds each tensor of a compiled function, and the bytes of its constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, SSAValue

from hwc.dialects import strip
from hwc.dialects.element_types import element_type_of
from hwc.dialects.kernel_facts import is_reshape
from hwc.package import Buffer
from hwc.shapes import Size

ALIGNMENT = 64
"""Bytes: every constant begins at a multiple, as the runtime's buffers do."""

CONSTANTS = "constants"


def root_of(value: SSAValue) -> SSAValue:
    """Return the tensor whose elements `value` is a view of."""
    owner = value.owner
    while isinstance(owner, tensor.CastOp) or is_reshape(owner):
        value = cast("Operation", owner).operands[0]
        owner = value.owner
    return value


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
    """The buffers of one function; `sizes` are its tensors' sizes with known ones resolved."""

    block: Block
    sizes: dict[SSAValue, tuple[Size, ...]]
    returned: Sequence[SSAValue]
    buffers: list[Buffer] = field(default_factory=list)
    names: dict[SSAValue, str] = field(default_factory=dict)
    offsets: dict[SSAValue, int] = field(default_factory=dict)
    constants: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Plan every buffer."""
        for number, argument in enumerate(self.block.args):
            self._add(argument, f"input{number}", "input")
        outputs = dict.fromkeys(root_of(v) for v in self.returned)
        for number, value in enumerate(outputs):
            self._add(value, f"output{number}", "output")
        self._add_constants()
        self._add_intermediates()

    def place(self, value: SSAValue) -> tuple[str, int]:
        """Return the name of the buffer that holds a tensor, and the tensor's offset in bytes."""
        root = root_of(value)
        return self.names[root], self.offsets.get(root, 0)

    def _add(self, value: SSAValue, name: str, kind: str) -> None:
        self.buffers.append(Buffer(name, kind, element_type_of(value).name, self.sizes[value]))  # pyright: ignore
        self.names[value] = name

    def _add_constants(self) -> None:
        constants = [op for op in self.block.ops if isinstance(op, arith.ConstantOp)]
        for op in constants:
            self.constants += bytes(-len(self.constants) % ALIGNMENT)
            self.offsets[op.result] = len(self.constants)
            self.names[op.result] = CONSTANTS
            self.constants += constant_bytes(op)
        if constants:  # they may all be without elements: the kernels name the buffer even so
            self.buffers.append(Buffer(CONSTANTS, "constant", "i8", (len(self.constants),)))

    def _add_intermediates(self) -> None:
        """Give every other result a buffer; one that is read no more serves the next equal one."""
        kernels = [op for op in self.block.ops if isinstance(op, strip.KernelOp)]
        last = {root_of(v): i for i, kernel in enumerate(kernels) for v in kernel.inputs}
        free: dict[tuple[str, tuple[Size, ...]], list[str]] = {}
        for i, kernel in enumerate(kernels):
            for value in kernel.results:
                if value in self.names:
                    continue
                key = (element_type_of(value).name, self.sizes[value])
                if reusable := free.get(key):
                    self.names[value] = reusable.pop()
                else:
                    number = sum(b.kind == "intermediate" for b in self.buffers)
                    self._add(value, f"intermediate{number}", "intermediate")
            for value in dict.fromkeys(root_of(v) for v in kernel.inputs):
                name = self.names[value]
                if last[value] == i and name.startswith("intermediate"):
                    free.setdefault((element_type_of(value).name, self.sizes[value]), []).append(
                        name
                    )
