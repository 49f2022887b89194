"""Constants whose elements are at the end of the file: `dense_resource<name>` and its blob.

The file ends with `{-# dialect_resources: { builtin: { name: "0x..." } } #-}`. A blob is the
alignment of the elements in 4 bytes, little-endian, followed by the bytes of the elements. An i1 is
a byte of 0 or 1; any other element takes as many bytes as its bits need.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn, TypeAlias, TypeGuard

from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute

from hwc.errors import counted
from hwc.frontend.stored_elements import bytes_of, stored_bytes

Refuse: TypeAlias = Callable[[int, str, str], NoReturn]
"""Raises an error at a position of the text, with a message and advice."""

_BLOB = re.compile(r'"0x((?:[0-9A-Fa-f]{2})*)"')
_HEADER = 4
"""The size of the alignment in bytes."""

_ADVICE = "print the program again with all its resources"


class _Blob(NamedTuple):
    """Where the text of a blob begins, and its bytes without the alignment."""

    start: int
    data: bytes


@dataclass
class Resources:
    """The blobs of one text, and where each blob is first named; `refuse` raises an error."""

    refuse: Refuse
    named: dict[str, int] = field(default_factory=dict)
    blobs: dict[str, _Blob] = field(default_factory=dict)

    def add(self, name: str, literal: str, start: int) -> None:
        """Record the blob `name`, written at `start` as the string `literal`, including quotes.

        Raises:
            LocatedError: the string is not a blob, or the name is already taken.
        """
        match = _BLOB.fullmatch(literal)
        data = bytes.fromhex(match[1]) if match else b""
        if len(data) < _HEADER:
            self.refuse(
                start,
                f"the resource '{name}' has no data: a blob is 0x and hexadecimal digits, two for "
                "each byte, of which the first 4 are the alignment",
                _ADVICE,
            )
        alignment = int.from_bytes(data[:_HEADER], "little")
        if alignment & (alignment - 1):
            self.refuse(
                start,
                f"the resource '{name}' has the alignment {alignment}, which is no power of 2",
                "the first 4 bytes of a blob are the alignment, little-endian",
            )
        if name in self.blobs:
            self.refuse(start, f"there are two resources '{name}'", "remove one")
        self.blobs[name] = _Blob(start, data[_HEADER:])

    def resolve(self, module: ModuleOp) -> None:
        """Put the elements into the constants of a module.

        Raises:
            LocatedError: a constant has no blob, or its blob has the wrong size.
        """
        if not self.named:
            return
        for op in module.walk():
            for attributes in (op.properties, op.attributes):
                for key, value in attributes.items():
                    if isinstance(value, DenseResourceAttr):
                        attributes[key] = self._elements(value)

    def _elements(self, attribute: DenseResourceAttr) -> Attribute:
        name, type_ = attribute.resource_handle.data, attribute.type
        blob = self.blobs.get(name)
        if blob is None:
            self.refuse(
                self.named[name],
                f"there is no resource '{name}'",
                f"the end of the file has it in {{-# dialect_resources #-}}; {_ADVICE}",
            )
        element = type_.get_element_type() if isinstance(type_, TensorType) else None
        if not isinstance(type_, TensorType) or not _is_number(element):
            self.refuse(
                self.named[name],
                f"the resource '{name}' has the type {type_}",
                "a constant is a tensor of integers, or of floats from f8E4M3FN to f64",
            )
        if not type_.has_static_shape():
            self.refuse(
                self.named[name],
                f"the resource '{name}' has the type {type_}, whose sizes are not known",
                "write the sizes of the constant as numbers",
            )
        count, size = math.prod(type_.get_shape()), bytes_of(element)
        if len(blob.data) != count * size:
            self.refuse(
                blob.start,
                f"the resource '{name}' holds {counted(len(blob.data), 'byte')}, expected "
                f"{count * size} for {type_}",
                "its bytes are the alignment, in 4 bytes, and then the elements",
            )
        return DenseIntOrFPElementsAttr(type_, BytesAttr(stored_bytes(blob.data, element)))


def _is_number(element: Attribute | None) -> TypeGuard[IntegerType | AnyFloat]:
    """Whether xDSL can hold elements of this type; it cannot hold f80, for example."""
    try:
        return isinstance(element, IntegerType | AnyFloat) and element.compile_time_size > 0
    except NotImplementedError:
        return False
