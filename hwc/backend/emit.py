"""The machine code of one kernel: configuration of its streams, strip loop, `end`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

import isa
from hwc.dialects import strip
from hwc.dialects.element_types import element_type_of
from hwc.shapes import Size
from isa.operands import operand_codes


def kernel_code(
    kernel: strip.KernelOp,
    address: Callable[[SSAValue], tuple[int, int]],
    size_parameter: Callable[[str], int],
) -> list[int]:
    """Return the words of a kernel whose values have their registers.

    `address` gives for a tensor the packet's parameter with its buffer's address, and the tensor's
    offset in bytes; `size_parameter` gives for a symbol the parameter with its value.
    """
    streams = [
        *((f"s{i}", value, kernel.input_shapes[i]) for i, value in enumerate(kernel.inputs)),
        *((f"o{i}", value, kernel.output_shapes[i]) for i, value in enumerate(kernel.results)),
    ]
    words: list[int] = []
    for name, tensor, shape in streams:
        stream, (parameter, offset) = operand_codes()[name], address(tensor)
        type_ = element_type_of(tensor).code
        words.append(
            isa.encode(
                "base", stream=stream, type=type_, rank=len(shape), param=parameter, offset=offset
            )
        )
        words += [_size(stream, i, size, size_parameter) for i, size in enumerate(shape)]
    words.append(isa.encode("loop", copies=kernel.copies))
    words += [_instruction(op) for op in kernel.instructions]
    words.append(isa.encode("end"))
    return words


def _size(stream: int, dimension: int, size: Size, size_parameter: Callable[[str], int]) -> int:
    if isinstance(size, str):
        from_parameter, value = 1, size_parameter(size)
    else:
        from_parameter, value = 0, size
    return isa.encode("size", stream=stream, dim=dimension, from_param=from_parameter, value=value)


def _instruction(op: strip.InstructionOp) -> int:
    sources = zip(isa.load().instructions[op.mnemonic].operands, op.sources, strict=True)
    fields = {field: _operand(value) for field, value in sources}
    immediates = {v.owner.bits for v in op.sources if isinstance(v.owner, strip.ImmediateOp)}
    assert len(immediates) <= 1, "the verifier admits one immediate"
    return isa.encode(
        op.mnemonic,
        dst=_operand(op.result),
        imm=immediates.pop() if immediates else 0,
        **fields,
    )


def _operand(value: SSAValue) -> int:
    if isinstance(value.owner, strip.ImmediateOp):
        return isa.IMM
    return operand_codes()[strip.register_of(value)]
