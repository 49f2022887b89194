"""The strip dialect: kernels as streams, one strip loop and the instructions of the machine.

The region of a `strip.kernel` is the body of the strip loop. Its arguments are the input streams,
each operation except `strip.imm` is one instruction with its name in the instruction set, and
`strip.yield` names the values that the output streams take. The type of a value says which register
holds it: `!strip.reg<v3>`, `!strip.reg<t1>`, `!strip.reg<s0>` and `!strip.reg<o1>` are a vector
register, a result register, an input stream and an output stream, `!strip.reg<imm>` is an immediate
of the instruction that reads it, and `!strip.reg` is a value that has no register yet. The text of
an instruction ends with the register of its result, if it has one:

    %2 = strip.add.f32 %0, %1 : v0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i32,
)
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

import isa
from hwc.dialects.building import strings_attr
from hwc.dialects.kernel_text import parse_kernel, print_kernel
from hwc.dialects.shared_attributes import (
    SharedAttributes,
    create,
    initialize,
    one_attribute,
)
from hwc.dialects.sizes import read_sizes, shapes_attr, verify_sizes
from hwc.dialects.strip_registers import (
    IMMEDIATE,
    RegisterType,
    parse_register,
    register,
    register_of,
)
from hwc.shapes import Size

COPIES = "copies"
"""The attribute of a kernel that says how many copies of the registers its loop has."""


def _parse_values(parser: Parser) -> list[SSAValue]:
    """Parse operands; the definition of each operand names its register."""
    operands = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    return [_resolve(parser, operand) for operand in operands or ()]


def _resolve(parser: Parser, operand: UnresolvedOperand) -> SSAValue:
    defined = parser.ssa_values.get(operand.operand_name, ())
    known = operand.index < len(defined)
    return parser.resolve_operand(operand, defined[operand.index].type if known else register())


def _print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    if values:
        printer.print_string(" ")
        printer.print_list(values, printer.print_ssa_value)


_IMMEDIATE = register(IMMEDIATE)


@irdl_op_definition
class ImmediateOp(IRDLOperation):
    """A 32-bit constant inside the instructions that read it; not itself an instruction."""

    name = "strip.imm"

    value = prop_def(IntegerAttr[I32])
    result = result_def(register(IMMEDIATE))

    def __init__(self, bits: int) -> None:
        """Build the constant with the 32 bits `bits`, 0 to 2^32 - 1."""
        signed = bits - (1 << 32) if bits >> 31 else bits
        value = one_attribute("value", IntegerAttr(signed, i32))
        initialize(self, (), (_IMMEDIATE,), properties=value)

    @classmethod
    def parse(cls, parser: Parser) -> ImmediateOp:
        """Parse `0xfffffffb`, or any signed or unsigned 32-bit number."""
        start = parser.pos
        value = parser.parse_integer(allow_boolean=False)
        if not -(1 << 31) <= value < 1 << 32:
            parser.raise_error(f"{value} does not fit 32 bits", start, parser.pos)
        op = cls(value & 0xFFFFFFFF)
        op.attributes = parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" 0x{self.bits:x}")
        printer.print_op_attributes(self.attributes)

    @property
    def bits(self) -> int:
        """The 32 bits as an unsigned number."""
        return self.value.value.data & 0xFFFFFFFF


class InstructionOp(IRDLOperation):
    """Base of the vector instructions."""

    sources = var_operand_def(RegisterType)
    result = result_def(RegisterType)

    def __init__(self, *sources: SSAValue, result: str = "") -> None:
        """Build the instruction: its operands in the order a, b, c, the register of its result."""
        initialize(self, sources, (register(result),))

    @classmethod
    def parse(cls, parser: Parser) -> InstructionOp:
        """Parse `%a, %b : v0`, or `%a, %b` if the result has no register yet."""
        sources = _parse_values(parser)
        attributes = parser.parse_optional_attr_dict()
        result = ""
        if parser.parse_optional_punctuation(":") is not None:
            result = parse_register(parser)
        op = cls(*sources, result=result)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        _print_values(printer, self.sources)
        printer.print_op_attributes(self.attributes)
        if name := register_of(self.result):
            printer.print_string(f" : {name}")

    @property
    def mnemonic(self) -> str:
        """The instruction's name in the instruction set."""
        return self.name.removeprefix("strip.")

    def verify_(self) -> None:
        """Check the number of operands, and that they use at most one immediate, as a word does."""
        arity = len(isa.load().instructions[self.mnemonic].operands)
        if len(self.sources) != arity:
            raise VerifyException(f"'{self.name}' takes {arity} operands")
        if register_of(self.result) == IMMEDIATE:
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
    kind = irdl_op_definition(type(f"Instruction_{name}", (InstructionOp,), namespace))
    verify = cast("Callable[[InstructionOp], None]", kind.verify_)
    valid: set[tuple[tuple[Attribute, ...], tuple[Attribute, ...]]] = set()

    def verify_(self: InstructionOp) -> None:
        """Verify instructions in the same registers once, because a program has many of them."""
        operands, results = tuple(self.operand_types), tuple(self.result_types)
        if self.properties or self.regions or self.successor_uses or _IMMEDIATE in operands:
            verify(self)
        elif (operands, results) not in valid:
            verify(self)
            valid.add((operands, results))

    kind.verify_ = verify_
    return kind


INSTRUCTIONS: dict[str, type[InstructionOp]] = {
    instruction.name: _instruction(instruction.name)
    for instruction in isa.load().instructions.values()
    if instruction.format == "vector"
}
"""The operation of each vector instruction, by the instruction's name."""


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that the output streams take, one per output stream."""

    name = "strip.yield"

    values = var_operand_def(RegisterType)
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue]) -> None:
        """Build the terminator."""
        initialize(self, values)

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        """Parse `%a, %b`."""
        op = cls(_parse_values(parser))
        op.attributes = parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        _print_values(printer, self.values)
        printer.print_op_attributes(self.attributes)


Shapes: TypeAlias = "tuple[tuple[Size, ...], ...]"
"""The sizes of several streams."""


@lru_cache(maxsize=4096)
def _kernel_properties(
    inputs: Shapes, outputs: Shapes, source: tuple[str, ...]
) -> SharedAttributes:
    return SharedAttributes(
        {
            "input_sizes": shapes_attr(inputs),
            "output_sizes": shapes_attr(outputs),
            "source": strings_attr(*source),
        }
    )


@lru_cache(maxsize=64)
def _copies(count: int) -> SharedAttributes:
    return one_attribute(COPIES, IntegerAttr(count, i32))


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One kernel of the machine: the sizes of its streams, and the body of its strip loop.

    `input_sizes` and `output_sizes` hold one shape per stream; the tensors have the element types.
    `source` names the source operations, for human readers.
    """

    name = "strip.kernel"

    inputs = var_operand_def(TensorType)
    results_ = var_result_def(TensorType)
    input_sizes = prop_def(ArrayAttr)
    output_sizes = prop_def(ArrayAttr)
    source = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    @staticmethod
    def build_from(
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        sizes: tuple[Shapes, Shapes],
        source: Iterable[str],
        block: Block,
    ) -> KernelOp:
        """Build a kernel around a finished block; `sizes`: of its inputs and of its outputs."""
        return create(
            KernelOp,
            inputs,
            result_types,
            properties=_kernel_properties(*sizes, tuple(source)),
            regions=[Region(block)],
        )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        """Parse the form that `kernel_text` describes, with the sizes of all streams."""
        text = parse_kernel(parser, lambda number, _: register(f"s{number}"), sized_inputs=True)
        return KernelOp.create(
            operands=text.inputs,
            result_types=text.result_types,
            properties={
                "input_sizes": text.input_sizes,
                "output_sizes": text.output_sizes,
                "source": text.source,
            },
            attributes=text.attributes,
            regions=[text.body],
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_kernel(printer, self, self.output_sizes, self.input_sizes)

    @property
    def copies(self) -> int:
        """How many strips have their own registers at a time; 1 before registers are allocated."""
        copies = self.attributes.get(COPIES)
        return copies.value.data if isinstance(copies, IntegerAttr) else 1

    @copies.setter
    def copies(self, count: int) -> None:
        copies = _copies(count)
        self.attributes = {**self.attributes, **copies} if self.attributes else copies

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
        """The value that each output stream takes."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return tuple(last.values)

    def verify_(self) -> None:
        """Check that streams, sizes and the region's signature agree."""
        block = self.body.block
        if not len(block.args) == len(self.inputs) == len(self.input_sizes):
            raise VerifyException("one region argument and one shape per input stream")
        if any(register_of(a) != f"s{i}" for i, a in enumerate(block.args)):
            raise VerifyException("the region's arguments are the streams s0, s1, ... in order")
        for sizes in (*self.input_sizes, *self.output_sizes):
            verify_sizes(sizes, "the shape of a stream")
        if not isinstance(block.last_op, YieldOp):
            raise VerifyException("the region does not end in strip.yield")
        if not len(self.yielded) == len(self.results_) == len(self.output_sizes):
            raise VerifyException("one yielded value and one shape per output stream")
        if any(register_of(v) == IMMEDIATE for v in self.yielded):
            raise VerifyException("an output stream cannot take an immediate")


Strip = Dialect("strip", [KernelOp, YieldOp, ImmediateOp, *INSTRUCTIONS.values()], [RegisterType])
