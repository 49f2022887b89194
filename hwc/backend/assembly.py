"""The text of a dispatch's program: stream configuration, strip loops, `halt`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from hwc.dialects import strip
from hwc.shapes import Size


def kernel_words(kernel: strip.KernelOp) -> int:
    """Return the words of machine code of a kernel, without the program's `halt`."""
    shapes = [*kernel.input_shapes, *kernel.output_shapes]
    return sum(1 + len(shape) for shape in shapes) + 2 + len(kernel.instructions)


def kernel_text(
    kernel: strip.KernelOp,
    address: Callable[[SSAValue], tuple[int, int]],
    size_parameter: Callable[[str], int],
) -> list[str]:
    """Return the lines of one kernel.

    `address` gives for a tensor its buffer's parameter and the offset in bytes, `size_parameter`
    for a symbol the parameter with its value.
    """
    lines = [f"; {', '.join(s.data for s in kernel.source.data)}"]  # pyright: ignore
    streams = [
        *((v, f"s{i}", kernel.input_shapes[i]) for i, v in enumerate(kernel.inputs)),
        *((v, f"o{i}", kernel.output_shapes[i]) for i, v in enumerate(kernel.results)),
    ]
    for tensor, stream, shape in streams:
        assert isinstance(tensor.type, TensorType)
        parameter, offset = address(tensor)
        kind = tensor.type.get_element_type()
        lines.append(f"base {stream}, {kind}, rank={len(shape)}, p{parameter}, +{offset}")
        for dimension, size in enumerate(shape):
            lines.append(f"size {stream}, {dimension}, {_size_text(size, size_parameter)}")
    lines.append("loop")
    lines += [f"  {_instruction_text(op)}" for op in kernel.instructions]
    lines.append("end")
    return lines


def _size_text(size: Size, size_parameter: Callable[[str], int]) -> str:
    return f"#{size}" if isinstance(size, int) else f"p{size_parameter(size)}"


def _instruction_text(op: strip.InstructionOp) -> str:
    operands = ", ".join(_operand_text(v) for v in op.sources)
    return f"{op.mnemonic} {strip.register_of(op.result)}, {operands}"


def _operand_text(value: SSAValue) -> str:
    owner = value.owner
    if isinstance(owner, strip.ImmediateOp):
        return f"#{owner.bits:#x}"
    return strip.register_of(value)
