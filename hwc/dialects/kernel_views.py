"""Views in the kernel dialect: the same elements with other sizes, and a table as one scalar.

A view computes nothing: a kernel that reads it reads the elements of the tensor behind it.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.sizes import parse_sizes, print_sizes, read_sizes, verify_sizes
from hwc.dialects.views import verify_table
from hwc.shapes import Size


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The elements of `input`, in row-major order, with other sizes: a view, so no data moves.

    `source` names the source operation, for human readers. In text:

        %v = kernel.reshape %a : tensor<?xf32> -> tensor<?x1xf32> [s0, 1] from "tosa.reshape"
    """

    name = "kernel.reshape"

    input = operand_def(TensorType)
    view = result_def(TensorType)
    sizes = prop_def(ArrayAttr)
    source = opt_prop_def(StringAttr)

    traits = traits_def(Pure())

    def __init__(
        self,
        input: SSAValue,  # noqa: A002
        result_type: Attribute,
        sizes: ArrayAttr,
        source: Attribute | None,
    ) -> None:
        """Build the view of `input` with these sizes."""
        properties = {"sizes": sizes, "source": source}
        super().__init__(operands=[input], result_types=[result_type], properties=properties)

    @property
    def shape(self) -> tuple[Size, ...]:
        """The sizes of the view."""
        return read_sizes(self.sizes)

    @classmethod
    def parse(cls, parser: Parser) -> ReshapeOp:
        """Parse what follows the name."""
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(":", " before the type of the input")
        value = parser.resolve_operand(operand, parser.parse_type())
        parser.parse_punctuation("->", " before the type of the view")
        result_type, sizes = parser.parse_type(), parse_sizes(parser)
        source: StringAttr | None = None
        if parser.parse_optional_keyword("from") is not None:
            source = StringAttr(parser.parse_str_literal(" after 'from'"))
        op = ReshapeOp(value, result_type, sizes, source)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op.attributes = {} if attributes is None else dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.view.type)
        printer.print_string(" ")
        print_sizes(printer, self.sizes)
        if self.source is not None:
            printer.print_string(" from ")
            printer.print_attribute(self.source)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    def verify_(self) -> None:
        """Check element type, sizes and, where all sizes are static, the number of elements."""
        source, result = self.input.type, self.view.type
        assert isinstance(source, TensorType) and isinstance(result, TensorType)
        if source.get_element_type() != result.get_element_type():
            raise VerifyException("a view has the element type of its input")
        verify_sizes(self.sizes, "'sizes'")
        if len(self.sizes) != len(result.get_shape()):
            raise VerifyException("'sizes' and the result's type differ in rank")
        shapes = (source.get_shape(), result.get_shape())
        if not any(DYNAMIC in shape for shape in shapes) and math.prod(shapes[0]) != math.prod(
            shapes[1]
        ):
            raise VerifyException("a reshape keeps the number of elements")


@irdl_op_definition
class TableOp(IRDLOperation):
    """A table as one scalar, its first entry: the input by which a kernel's region names the table.

    %v = kernel.table %t : tensor<256xi8> -> tensor<i8>
    """

    name = "kernel.table"

    table = operand_def(TensorType)
    view = result_def(TensorType)

    traits = traits_def(Pure())

    assembly_format = "$table attr-dict `:` type($table) `->` type($view)"

    @property
    def shape(self) -> tuple[Size, ...]:
        """The sizes of the view: none."""
        return ()

    def __init__(self, table: SSAValue) -> None:
        """Build the scalar that stands for `table`."""
        assert isinstance(table.type, TensorType)
        result_type = TensorType(table.type.get_element_type(), [])
        super().__init__(operands=[table], result_types=[result_type])

    def verify_(self) -> None:
        """Check the types."""
        assert isinstance(self.table.type, TensorType)
        assert isinstance(self.view.type, TensorType)
        verify_table(self.table.type, self.view.type)
