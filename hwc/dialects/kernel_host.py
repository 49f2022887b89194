"""`kernel.host`: a tensor that the host fills for every call, from the sizes of the call.

    %0 = kernel.host tensor<2xi32> [2] = [s0, 7]
    %1 = kernel.host tensor<?xi32> [s0] = positions

The first tensor holds values of the shape program and numbers, in row-major order; the second holds
0, 1, 2, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntegerType, TensorType
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.element_types import element_type
from hwc.dialects.sizes import (
    parse_sizes,
    print_sizes,
    read_sizes,
    size_attr,
    sizes_attr,
    verify_sizes,
)
from hwc.shapes import Size


@irdl_op_definition
class HostOp(IRDLOperation):
    """Integers or booleans that the host stores: `values`, or the position of each element.

    `sizes` are the sizes of the tensor. A value may be negative.
    """

    name = "kernel.host"

    result = result_def(TensorType)
    sizes = prop_def(ArrayAttr)
    values_ = opt_prop_def(ArrayAttr, prop_name="values")

    traits = traits_def(Pure())

    def __init__(
        self, type_: Attribute, sizes: Sequence[Size], values: Sequence[Size] | None
    ) -> None:
        """Build the tensor; without `values` each element is its position."""
        listed = None if values is None else ArrayAttr([size_attr(value) for value in values])
        super().__init__(
            result_types=[type_], properties={"sizes": sizes_attr(sizes), "values": listed}
        )

    @property
    def shape(self) -> tuple[Size, ...]:
        """The sizes of the tensor."""
        return read_sizes(self.sizes)

    @property
    def values(self) -> tuple[Size, ...] | None:
        """The values in row-major order; None if each element is its position."""
        return None if self.values_ is None else read_sizes(self.values_)

    @classmethod
    def parse(cls, parser: Parser) -> HostOp:
        """Parse what follows the name."""
        type_, sizes = parser.parse_type(), parse_sizes(parser)
        parser.parse_punctuation("=", " before the elements")
        values = None
        if parser.parse_optional_keyword("positions") is None:
            values = parse_sizes(parser, negative=True)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            result_types=[type_],
            properties={"sizes": sizes} | ({} if values is None else {"values": values}),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        print_sizes(printer, self.sizes)
        printer.print_string(" = ")
        if self.values_ is None:
            printer.print_string("positions")
        else:
            print_sizes(printer, self.values_)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Check the type, the sizes and the number of values."""
        type_ = self.result.type
        assert isinstance(type_, TensorType)
        if not isinstance(type_.get_element_type(), IntegerType):
            raise VerifyException("the host stores integers and booleans")
        verify_sizes(self.sizes, "'sizes'")
        if len(self.shape) != len(type_.get_shape()):
            raise VerifyException("'sizes' and the result's type differ in rank")
        if self.values is not None and (
            not all(isinstance(size, int) for size in self.shape)
            or prod(int(size) for size in self.shape) != len(self.values)
        ):
            raise VerifyException("there is one value for each element")
        known = element_type(type_.get_element_type())
        for value in self.values or ():
            if known and isinstance(value, int) and not known.range[0] <= value <= known.range[1]:
                raise VerifyException(f"the value {value} does not fit {known.mlir}")
