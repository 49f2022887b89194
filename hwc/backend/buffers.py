"""Assigns a buffer to each tensor of a compiled function, and collects the constant bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, SSAValue

from hwc.dialects import strip
from hwc.dialects.element_types import element_type_of, package_type
from hwc.dialects.kernel import ChooseOp, YieldOp
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.stored_parts import Whole
from hwc.package import BUFFER_ALIGNMENT, Buffer, part_name
from hwc.shapes import Size, View

CONSTANTS = "constants"

_Free: TypeAlias = dict[tuple[str, tuple[Size, ...]], list[str]]
"""The buffers that may be reused, by type and sizes."""


def constant_bytes(op: arith.ConstantOp) -> bytes:
    """Return a constant's elements as bytes in memory; an i1 is a byte of 0 or 1."""
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
    """The buffers of one function; `views` are its tensors with all known sizes resolved.

    `inputs` and `outputs` say which arguments, and which of the values `returned`, are parts of the
    same tensor.
    """

    block: Block
    views: dict[SSAValue, View[SSAValue]]
    returned: Sequence[SSAValue]
    inputs: Sequence[Whole]
    outputs: Sequence[Whole]
    buffers: list[Buffer] = field(default_factory=list)
    names: dict[SSAValue, str] = field(default_factory=dict)
    offsets: dict[SSAValue, int] = field(default_factory=dict)
    constants: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Plan every buffer."""
        for number, whole in enumerate(self.inputs):
            for i in range(whole.count):
                argument = self.block.args[whole.first + i]
                self._add(argument, part_name(f"input{number}", i), "input")
        number = 0
        for whole in self.outputs:
            parts = self.returned[whole.first : whole.first + whole.count]
            roots = [self.views[part].root for part in parts]
            if roots[0] not in self.names:
                for i, root in enumerate(roots):
                    self._add(root, part_name(f"output{number}", i), "output")
                number += 1
        self._add_constants()
        self._add_filled()
        self._plan_results(self.block, {})

    def location(self, value: SSAValue) -> tuple[str, int]:
        """Return the name of the buffer that holds a tensor, and the tensor's offset in bytes."""
        view = self.views[value]
        start = view.offset * element_type_of(value).bytes if view.offset else 0
        return self.names[view.root], self.offsets.get(view.root, 0) + start

    def _add(self, value: SSAValue, name: str, kind: str) -> None:
        type_, sizes = self._contents(value)
        self.buffers.append(Buffer(name, kind, type_, sizes))  # pyright: ignore
        self.names[value] = name

    def _contents(self, value: SSAValue) -> tuple[str, tuple[Size, ...]]:
        return package_type(value), self.views[value].sizes

    def _add_constants(self) -> None:
        constants = [op for op in self.block.ops if isinstance(op, arith.ConstantOp)]
        for op in constants:
            self.constants += bytes(-len(self.constants) % BUFFER_ALIGNMENT)
            self.offsets[op.result] = len(self.constants)
            self.names[op.result] = CONSTANTS
            self.constants += constant_bytes(op)
        if constants:  # even if all of them are empty, because kernels name the buffer
            self.buffers.append(Buffer(CONSTANTS, "constant", "i8", (len(self.constants),)))

    def _add_filled(self) -> None:
        """Add the tensors that the host fills."""
        ops = [op for op in self.block.ops if isinstance(op, HostOp)]
        for number, op in enumerate(ops):
            type_, sizes = self._contents(op.result)
            name, values = f"filled{number}", op.values
            kind = "positions" if values is None else "values"
            self.buffers.append(Buffer(name, kind, type_, sizes, values=values or ()))
            self.names[op.result] = name

    def _plan_results(self, block: Block, free: _Free) -> None:
        """Assign buffers to the results in a block; `free` are the buffers that may be reused.

        A buffer that nothing in the block reads any more is reused for the next result with equal
        type and sizes. A call runs only one alternative of a choice, so all alternatives may use
        the same buffers.
        """
        ops = [op for op in block.ops if isinstance(op, strip.KernelOp | ChooseOp)]
        reads = [self._reads(op) for op in ops]
        last = {value: i for i, values in enumerate(reads) for value in values}
        own: set[SSAValue] = set()
        for i, op in enumerate(ops):
            for value in op.results:
                if value not in self.names:
                    self._add_intermediate(value, free)
                    own.add(value)
            if isinstance(op, ChooseOp):
                for alternative in op.blocks:
                    self._plan_alternative(alternative, op, free)
            # A result without readers, such as a kernel's copy of its table, is free at once.
            unread = [value for value in op.results if value in own and value not in last]
            for value in unread:
                free.setdefault(self._contents(value), []).append(self.names[value])
            for value in reads[i]:
                if last[value] == i and value in own:
                    free.setdefault(self._contents(value), []).append(self.names[value])

    def _plan_alternative(self, block: Block, choose: ChooseOp, free: _Free) -> None:
        """Plan an alternative; its kernels write the results of the choice to their buffers."""
        last = block.last_op
        assert isinstance(last, YieldOp)
        for value, result in zip(last.values, choose.results, strict=True):
            root = self.views[value].root
            assert root not in self.names, "an alternative computes each of its results, once"
            self.names[root] = self.names[result]
        self._plan_results(block, free)

    def _reads(self, op: strip.KernelOp | ChooseOp) -> dict[SSAValue, None]:
        """Return the values in memory that a kernel, or any alternative of a choice, reads."""
        if isinstance(op, strip.KernelOp):
            return dict.fromkeys(self.views[value].root for value in op.inputs)
        inner = (i for b in op.blocks for i in b.ops if isinstance(i, strip.KernelOp | ChooseOp))
        return {value: None for one in inner for value in self._reads(one)}

    def _add_intermediate(self, value: SSAValue, free: _Free) -> None:
        if reusable := free.get(self._contents(value)):
            self.names[value] = reusable.pop()
        else:
            number = sum(b.kind == "intermediate" for b in self.buffers)
            self._add(value, f"intermediate{number}", "intermediate")
