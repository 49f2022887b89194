"""Printing IR so that it can be read again with the same bits."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.ir import Attribute
from xdsl.printer import Printer


class ExactPrinter(Printer):
    """xDSL's printer, except for float constants that it would print as other numbers.

    xDSL treats 0.0 and -0.0 as equal elements, and a signalling NaN as a quiet NaN. Such constants
    are printed as their bits.
    """

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute."""
        if isinstance(attribute, DenseIntOrFPElementsAttr) and not _is_printed_exactly(attribute):
            self.print_string(f'dense<"0x{attribute.data.data.hex().upper()}"> : ')
            super().print_attribute(attribute.type)
        else:
            super().print_attribute(attribute)


def _is_printed_exactly(constant: DenseIntOrFPElementsAttr) -> bool:
    element, data = constant.get_element_type(), constant.data.data
    if not isinstance(element, AnyFloat) or not data:
        return True
    values = [float(value) for value in constant.iter_values()]  # type: ignore[arg-type]
    if constant.is_splat():
        return element.pack(values[:1]) * len(values) == data
    return element.pack(values) == data
