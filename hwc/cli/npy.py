"""Reads `.npy` files; checks the header before it allocates memory for the elements.

Files are memory-mapped where possible: elements are read on use and take no memory of the process.
"""

from __future__ import annotations

import ast
import os
import stat
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

import isa

_ZIP = b"PK\x03\x04"
_NUMBERS = "biufc"
"""The kinds of NumPy types whose elements are numbers."""

_SHOWN = 80
"""The number of characters shown of a NumPy message."""

_LONGEST = 10_000
"""The maximum size of a header in bytes; NumPy's limit."""

_VERSIONS = ((1, 0), (2, 0), (3, 0))


class NpyError(ValueError):
    """The bytes are not a `.npy` file of plain elements; says why."""


@dataclass(frozen=True)
class Header:
    """What a file says about its array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    column_major: bool

    @property
    def nbytes(self) -> int:
        """The size in bytes of all elements, which follow the header."""
        return prod(self.shape) * self.dtype.itemsize


def read_header(file: BufferedReader) -> Header:
    """Read the header and leave the file at its first element.

    Raises:
        NpyError: this is not a header, the elements are not plain, or fewer bytes follow than the
            header says.
        OSError: the file cannot be read.
    """
    if file.peek(len(_ZIP)).startswith(_ZIP):
        raise NpyError("expected one array (.npy), not an archive (.npz)")
    header = _header(file)
    if not _is_plain(header.dtype):
        raise NpyError(f"its elements are {header.dtype}, not plain numbers")
    if any(isinstance(size, bool) or size < 0 for size in header.shape):
        raise NpyError(f"its shape is {header.shape}, expected sizes, 0 or more")
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode):
        _check_length(header, status.st_size - file.tell())
    return header


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are numbers, or plain bytes, as NumPy stores types that it lacks."""
    if dtype.kind in _NUMBERS:
        return True
    return dtype.kind == "V" and any(dtype == t.dtype for t in isa.load().types.values())


def _header(file: BufferedReader) -> Header:
    try:
        version = npy.read_magic(file)
        if version not in _VERSIONS:
            raise NpyError(f"version {version[0]}.{version[1]} of the format is not known")
        text = _text_of_header(file, 2 if version == (1, 0) else 4)
        # Version 3.0 is version 2.0 in UTF-8, without the quirks of Python 2. The two differ only
        # in field names, which plain elements do not have.
        if version == (3, 0):
            ast.literal_eval(text.getvalue()[4:].decode())
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, column_major, dtype = read(text)
    except (OSError, NpyError):
        raise
    except (MemoryError, RecursionError) as error:  # raised by Python's parser
        raise NpyError("cannot parse header: it nests too deeply") from error
    except Exception as error:  # NumPy passes on any error: TokenError, TypeError ...
        raise NpyError(f"cannot parse header: {_one_line(error)}") from error
    return Header(tuple(shape), dtype, column_major)


def _text_of_header(file: BufferedReader, width: int) -> BytesIO:
    """Return the header's length, a number of `width` bytes, followed by its text.

    NumPy would allocate memory for any length before it reads.
    """
    prefix = file.read(width)
    length = int.from_bytes(prefix, "little")
    if length > _LONGEST:
        raise NpyError(f"its header has {length} bytes, expected {_LONGEST} at most")
    return BytesIO(prefix + file.read(length))


def _one_line(error: Exception) -> str:
    """Return the first line of a message, shortened, as some messages quote the whole header."""
    text = (str(error) or type(error).__name__).split("\n")[0]
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def read_elements(file: BufferedReader, header: Header) -> NDArray[Any]:
    """Return the array, memory-mapped for a regular file; the file is at its first element.

    Raises:
        NpyError: the file ends before the last element.
        MemoryError: there is not enough memory.
        OSError: the file cannot be read.
    """
    order = "F" if header.column_major else "C"
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and header.nbytes:
        start = file.tell()
        _check_length(header, status.st_size - start)
        elements = np.memmap(file, header.dtype, "r", start, header.shape, order)
        return np.asarray(elements)  # operations on a `memmap` would return more `memmap`s
    content = file.read(header.nbytes)
    _check_length(header, len(content))
    elements = np.frombuffer(content, header.dtype) if content else np.empty(0, header.dtype)
    return elements.reshape(header.shape, order=order)


def _check_length(header: Header, follow: int) -> None:
    if follow < header.nbytes:
        raise NpyError(
            f"the header says {header.nbytes} bytes of elements (shape {header.shape}, "
            f"{header.dtype}), but {follow} follow"
        )
