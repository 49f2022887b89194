"""The text of a kernel, which the dialects `kernel` and `strip` share.

    kernel.apply (%x = %a : tensor<?xf32>, %y = %b : tensor<1xf32>)
        -> tensor<?xf32> [d0] from "tosa.add" { ... }

In `%x = %a`, `%x` is the argument of the region and `%a` is the input of the kernel. The sizes of a
tensor come after its type. Several results are in parentheses. `from` names the source operations
and is left out if there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from hwc.dialects.sizes import SizesAttr, parse_sizes, print_sizes


@dataclass(frozen=True)
class KernelText:
    """The contents of a kernel's text; `input_sizes` and `output_sizes` have a shape per tensor."""

    inputs: Sequence[SSAValue]
    input_sizes: ArrayAttr[SizesAttr]
    result_types: list[Attribute]
    output_sizes: ArrayAttr[SizesAttr]
    source: ArrayAttr[StringAttr]
    attributes: dict[str, Attribute]
    body: Region


@dataclass(frozen=True)
class SizedTensor:
    """The type of a tensor and its sizes, which may be symbols."""

    type: TensorType
    sizes: SizesAttr


@dataclass(frozen=True)
class _Input:
    argument: Parser.UnresolvedArgument
    operand: UnresolvedOperand
    tensor: SizedTensor


def parse_kernel(
    parser: Parser, argument_type: Callable[[int, TensorType], Attribute], *, sized_inputs: bool
) -> KernelText:
    """Parse a kernel after its name.

    `argument_type(number, type)` returns the type of the region's argument for an input.
    `sized_inputs` says whether the text has the sizes of the inputs.
    """
    inputs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: _parse_input(parser, sized_inputs), " as inputs of a kernel"
    )
    parser.parse_punctuation("->", " before the results of a kernel")
    results = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_sized_tensor(parser)
    )
    if results is None:
        results = [parse_sized_tensor(parser)]
    source: list[str] = []
    if parser.parse_optional_keyword("from") is not None:
        source = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: parser.parse_str_literal(" after 'from'")
        )
    attributes = parser.parse_optional_attr_dict_with_keyword() or DictionaryAttr({})
    operands = [parser.resolve_operand(i.operand, i.tensor.type) for i in inputs]
    arguments = [
        given.argument.resolve(argument_type(number, given.tensor.type))
        for number, given in enumerate(inputs)
    ]
    return KernelText(
        operands,
        ArrayAttr([i.tensor.sizes for i in inputs]),
        [r.type for r in results],
        ArrayAttr([r.sizes for r in results]),
        ArrayAttr([StringAttr(s) for s in source]),
        dict(attributes.data),
        parser.parse_region(arguments),
    )


def _parse_input(parser: Parser, sized: bool) -> _Input:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=", " after the name of an input")
    operand = parser.parse_unresolved_operand()
    parser.parse_punctuation(":", " before the type of an input")
    return _Input(argument, operand, _tensor_of(parser, sized))


def parse_sized_tensor(parser: Parser) -> SizedTensor:
    """Parse `tensor<?xf32> [d0]`."""
    return _tensor_of(parser, sized=True)


def _tensor_of(parser: Parser, sized: bool) -> SizedTensor:
    start = parser.pos
    type_ = parser.parse_type()
    if not isinstance(type_, TensorType):
        parser.raise_error(f"{type_} is not a ranked tensor", start, parser.pos)
    return SizedTensor(type_, parse_sizes(parser) if sized else ArrayAttr([]))


def print_kernel(
    printer: Printer, op: Operation, output_sizes: ArrayAttr, input_sizes: ArrayAttr | None = None
) -> None:
    """Print what `parse_kernel` reads; `input_sizes` is None if the text has no sizes of inputs."""
    body = op.regions[0]

    def print_input(number: int) -> None:
        printer.print_ssa_value(body.block.args[number])
        printer.print_string(" = ")
        printer.print_ssa_value(op.operands[number])
        printer.print_string(" : ")
        printer.print_attribute(op.operands[number].type)
        if input_sizes is not None:
            printer.print_string(" ")
            print_sizes(printer, input_sizes.data[number])

    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(range(len(op.operands)), print_input)
    print_sized_results(printer, op, output_sizes)
    source = op.properties["source"]
    assert isinstance(source, ArrayAttr)
    if source.data:
        printer.print_string(" from ")
        printer.print_list(source.data, printer.print_attribute)
    printer.print_op_attributes(op.attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def print_sized_results(printer: Printer, op: Operation, sizes: ArrayAttr) -> None:
    """Print ` -> ` and the types of an operation's results with their sizes."""

    def print_result(number: int) -> None:
        printer.print_attribute(op.results[number].type)
        printer.print_string(" ")
        print_sizes(printer, sizes.data[number])

    printer.print_string(" -> ")
    if len(op.results) == 1:
        print_result(0)
    else:
        with printer.in_parens():
            printer.print_list(range(len(op.results)), print_result)
