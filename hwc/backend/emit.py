"""The machine code of one kernel: configuration of its streams, strip loop, `end`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

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
    """Return the words of a kernel whose values have been assigned registers.

    For a tensor, `address` returns the packet parameter that holds the address of its buffer, and
    the tensor's offset in bytes. For a symbol, `size_parameter` returns the parameter that holds
    its value.
    """
    inputs = enumerate(zip(kernel.inputs, kernel.input_shapes, strict=True))
    outputs = enumerate(zip(kernel.results, kernel.output_shapes, strict=True))
    streams = [
        *((f"s{i}", value, shape) for i, (value, shape) in inputs),
        *((f"o{i}", value, shape) for i, (value, shape) in outputs),
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
    return _size_word(stream, dimension, from_parameter, value)


@lru_cache(maxsize=4096)  # a program has few distinct words
def _size_word(stream: int, dimension: int, from_parameter: int, value: int) -> int:
    return isa.encode("size", stream=stream, dim=dimension, from_param=from_parameter, value=value)


def _instruction(op: strip.InstructionOp) -> int:
    sources = op.operands
    immediates = {v.owner.bits for v in sources if isinstance(v.owner, strip.ImmediateOp)}
    assert len(immediates) <= 1, "the verifier admits one immediate"
    immediate = immediates.pop() if immediates else 0
    return _word(
        op.mnemonic, tuple([_operand(v) for v in sources]), _operand(op.results[0]), immediate
    )


@lru_cache(maxsize=4096)
def _word(mnemonic: str, sources: tuple[int, ...], result: int, immediate: int) -> int:
    fields = zip(isa.load().instructions[mnemonic].operands, sources, strict=True)
    return isa.encode(mnemonic, dst=result, imm=immediate, **dict(fields))


def _operand(value: SSAValue) -> int:
    if isinstance(value.owner, strip.ImmediateOp):
        return isa.IMM
    return operand_codes()[strip.register_of(value)]
