"""The strip dialect: kernels as streams, one strip loop and the instructions of the machine.

The region of a `strip.kernel` is the body of the strip loop: its arguments are the input streams,
each operation but `strip.imm` is one instruction, called as in the instruction set, and
`strip.yield` names what the output streams take. A value's type says where it is: `!strip.reg<"">`
is not placed yet, `!strip.reg<"v3">`, `!strip.reg<"s0">` and `!strip.reg<"o1">` are a vector
register, an input stream and an output stream, and `!strip.reg<"imm">` is an immediate of the
instruction that reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, TensorType, i32
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

import isa
from hwc.dialects.kernel import read_sizes
from hwc.shapes import Size


@irdl_attr_definition
class RegisterType(ParametrizedAttribute, TypeAttribute):
    """A strip of values of up to 32 bits, and the place that holds it (empty: not placed yet)."""

    name = "strip.reg"

    place: StringAttr


@cache
def register(place: str = "") -> RegisterType:
    """Return the type of a value at `place`."""
    return RegisterType(StringAttr(place))


def place_of(value: SSAValue) -> str:
    """Return where a value is, '' if it is not placed yet."""
    assert isinstance(value.type, RegisterType)
    return value.type.place.data


IMMEDIATE = "imm"


@irdl_op_definition
class ImmediateOp(IRDLOperation):
    """A constant of 32 bits inside the instructions that read it; it is no instruction itself."""

    name = "strip.imm"

    value = prop_def(IntegerAttr)
    result = result_def(RegisterType)

    def __init__(self, bits: int) -> None:
        """Build the constant with the 32 bits `bits`, 0 to 2^32 - 1."""
        signed = bits - (1 << 32) if bits >> 31 else bits
        super().__init__(
            properties={"value": IntegerAttr(signed, i32)}, result_types=[register(IMMEDIATE)]
        )

    @property
    def bits(self) -> int:
        """The 32 bits as an unsigned number."""
        return self.value.value.data & 0xFFFFFFFF


class InstructionOp(IRDLOperation):
    """Base of the vector instructions."""

    sources = var_operand_def(RegisterType)
    result = result_def(RegisterType)

    def __init__(self, *sources: SSAValue, place: str = "") -> None:
        """Build the instruction with its operands in the order a, b, c."""
        super().__init__(operands=[sources], result_types=[register(place)])

    @property
    def mnemonic(self) -> str:
        """The instruction's name in the instruction set."""
        return self.name.removeprefix("strip.")

    def verify_(self) -> None:
        """Check the number of operands, and that they share the one immediate of the word."""
        arity = len(isa.load().instructions[self.mnemonic].operands)
        if len(self.sources) != arity:
            raise VerifyException(f"'{self.name}' takes {arity} operands")
        if place_of(self.result) == IMMEDIATE:
            raise VerifyException(f"'{self.name}' cannot write an immediate")
        bits = {v.owner.bits for v in self.sources if isinstance(v.owner, ImmediateOp)}
        if len(bits) > 1:
            raise VerifyException(f"'{self.name}' has more than one immediate")


def _instruction(name: str) -> type[InstructionOp]:
    namespace: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": f"The instruction `{name}`.",
        "name": f"strip.{name}",
    }
    return irdl_op_definition(type(f"Instruction_{name}", (InstructionOp,), namespace))


INSTRUCTIONS: dict[str, type[InstructionOp]] = {
    instruction.name: _instruction(instruction.name)
    for instruction in isa.load().instructions.values()
    if instruction.format == "vector"
}
"""The operation of each vector instruction, by the instruction's name."""


@irdl_op_definition
class YieldOp(IRDLOperation):
    """What the output streams take, one value per output stream."""

    name = "strip.yield"

    values = var_operand_def(RegisterType)
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue]) -> None:
        """Build the terminator."""
        super().__init__(operands=[values])


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One kernel of the machine: its streams' sizes, and the body of its strip loop.

    `input_sizes` and `output_sizes` hold one shape per stream; the element types are those of the
    tensors. `source` names the source operations, for people.
    """

    name = "strip.kernel"

    inputs = var_operand_def(TensorType)
    results_ = var_result_def(TensorType)
    input_sizes = prop_def(ArrayAttr)
    output_sizes = prop_def(ArrayAttr)
    source = prop_def(ArrayAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    @staticmethod
    def build_from(
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        properties: dict[str, Attribute],
        block: Block,
    ) -> KernelOp:
        """Build a kernel around a finished block."""
        return KernelOp.create(
            operands=inputs,
            result_types=result_types,
            properties=properties,
            regions=[Region(block)],
        )

    @property
    def input_shapes(self) -> list[tuple[Size, ...]]:
        """The sizes of each input stream."""
        return [read_sizes(s) for s in self.input_sizes.data]

    @property
    def output_shapes(self) -> list[tuple[Size, ...]]:
        """The sizes of each output stream."""
        return [read_sizes(s) for s in self.output_sizes.data]

    @property
    def instructions(self) -> list[InstructionOp]:
        """The instructions of the body in order."""
        return [op for op in self.body.block.ops if isinstance(op, InstructionOp)]

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """What each output stream takes."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return tuple(last.values)

    def verify_(self) -> None:
        """Check that streams, sizes and the region's signature agree."""
        block = self.body.block
        if not len(block.args) == len(self.inputs) == len(self.input_sizes):
            raise VerifyException("one region argument and one shape per input stream")
        if not isinstance(block.last_op, YieldOp):
            raise VerifyException("the region does not end in strip.yield")
        if not len(self.yielded) == len(self.results_) == len(self.output_sizes):
            raise VerifyException("one yielded value and one shape per output stream")
        if any(place_of(v) == IMMEDIATE for v in self.yielded):
            raise VerifyException("an output stream cannot take an immediate")


Strip = Dialect("strip", [KernelOp, YieldOp, ImmediateOp, *INSTRUCTIONS.values()], [RegisterType])
