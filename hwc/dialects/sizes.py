"""Sizes in the IR: as attributes, and in text, where a shape is `[s0, 3, d1]`.

A size is static (an integer) or a symbol (a name). In text, a symbol that is not an identifier is
quoted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

import isa
from hwc.shapes import Size

SizeAttr: TypeAlias = StringAttr | IntegerAttr
SizesAttr: TypeAlias = ArrayAttr[SizeAttr]


def size_attr(size: Size) -> SizeAttr:
    """Return a size as an attribute: a string for a symbol, an integer for a static size."""
    return StringAttr(size) if isinstance(size, str) else IntegerAttr(size, i64)


def sizes_attr(sizes: Iterable[Size]) -> SizesAttr:
    """Return a shape as an attribute, cached: most tensors of a program share a few shapes."""
    return _sizes_attr(tuple(sizes))


@lru_cache(maxsize=4096)
def _sizes_attr(sizes: tuple[Size, ...]) -> SizesAttr:
    return ArrayAttr([size_attr(s) for s in sizes])


@lru_cache(maxsize=4096)
def shapes_attr(shapes: tuple[tuple[Size, ...], ...]) -> ArrayAttr[SizesAttr]:
    """Return several shapes as an attribute."""
    return ArrayAttr([_sizes_attr(shape) for shape in shapes])


def read_size(attr: Attribute) -> Size:
    """Return the size in an attribute that `size_attr` has built."""
    if isinstance(attr, StringAttr):
        return attr.data
    assert isinstance(attr, IntegerAttr)
    return attr.value.data


def read_sizes(attr: Attribute) -> tuple[Size, ...]:
    """Return the shape in an attribute that `sizes_attr` has built."""
    assert isinstance(attr, ArrayAttr)
    return tuple(read_size(a) for a in attr.data)


def verify_sizes(attr: Attribute, what: str) -> None:
    """Check that an attribute is a shape; `what` names it in the error.

    Raises:
        VerifyException: the attribute is not an array of sizes.
    """
    if not (isinstance(attr, ArrayAttr) and all(map(_is_size, attr.data))):
        raise VerifyException(
            f"{what} is an array of symbols (strings) and static sizes (i64, 0 to "
            f"{isa.load().limits.size_limit - 1})"
        )


def _is_size(attr: Attribute) -> bool:
    if isinstance(attr, IntegerAttr):
        return 0 <= attr.value.data < isa.load().limits.size_limit and attr.type == i64
    return isinstance(attr, StringAttr)


def parse_size(parser: AttrParser, *, negative: bool = False) -> SizeAttr:
    """Parse `s0` or `3`, and with `negative` also `-3`."""
    static = parser.parse_optional_integer(allow_boolean=False, allow_negative=negative)
    if static is not None:
        return size_attr(static)
    return size_attr(parser.parse_identifier_or_str_literal(" as a size"))


def parse_sizes(parser: AttrParser, *, negative: bool = False) -> SizesAttr:
    """Parse `[s0, 3]`, and with `negative` also values that are not sizes, as in `[s0, -3]`."""
    return ArrayAttr(
        parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_size(parser, negative=negative)
        )
    )


def print_size(printer: Printer, attr: Attribute) -> None:
    """Print what `parse_size` reads."""
    size = read_size(attr)
    if isinstance(size, str):
        printer.print_identifier_or_string_literal(size)
    else:
        printer.print_string(str(size))


def print_sizes(printer: Printer, attr: Attribute) -> None:
    """Print what `parse_sizes` reads."""
    assert isinstance(attr, ArrayAttr)
    with printer.in_square_brackets():
        printer.print_list(attr.data, lambda size: print_size(printer, size))
