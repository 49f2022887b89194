"""Values on the command line: `@x.npy`, `2x3xf32=1,2,3,4,5,6`, `f32=1.5`, `random:8x1x64`."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.cli.npy import NpyError, read_elements, read_header
from hwc.cli.texts import STANDARD
from hwc.errors import UserError
from hwc.files import write_bytes
from hwc.package.host_types import spelling, tensor_type, tensor_types
from hwc.shapes.steps import show_shape
from isa.model import ElementType
from isa.stored import StoredType

if TYPE_CHECKING:
    from hwc.runtime.program import Program

Array = NDArray[Any]

SYNTAX = (
    "@FILE.npy, or @- for standard input; or SHAPExTYPE=VALUES such as 2x3xf32=1,2,3,4,5,6, where "
    "one value fills the tensor and no `=` fills it with 0; or random:SHAPE such as random:8x1x64"
)

_HEX_BITS = re.compile(r"-?0[xX][0-9a-fA-F]+")


@cache
def _types() -> dict[str, str]:
    """Return the name of each element type, by its own name and by its MLIR spelling."""
    names = tensor_types()
    spelled = {spelling(name): name for name in names}
    return {name: name for name in names} | spelled | {"index": "i64"}


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a written-out value and of a random value."""
    types = "|".join(map(re.escape, _types()))
    size = "[0-9]{1,30}"  # Python refuses to convert thousands of digits.
    return (
        re.compile(rf"(?P<shape>(?:{size}x)*)(?P<type>{types})(?:=(?P<values>.*))?", re.S),
        re.compile(rf"random:(?P<shape>{size}(?:x{size})*)?(?:x?(?P<type>{types}))?"),
    )


@dataclass(frozen=True)
class Value:
    """A value on the command line: its sizes, its type, and how to make its array."""

    text: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[np.random.Generator], Array]

    def array(self, rng: np.random.Generator) -> Array:
        """Return the array; random elements come from `rng`.

        Raises:
            UserError: there is not enough memory, or the file cannot be read.
        """
        try:
            return self.make(rng)
        except MemoryError:
            raise UserError(
                f"{_short(self.text)}: error: not enough memory for an array of shape "
                f"{show_shape(self.shape)}"
            ) from None


def arguments(texts: Sequence[str], program: Program, seed: int, plan: str | None) -> list[Array]:
    """Return the arguments of a call; check all sizes and types before making any array.

    Random elements depend on `seed` and the number of the argument. The call will follow `plan`.

    Raises:
        UserError: a value cannot be read, or the arguments do not fit the program.
    """
    inputs = program.inputs
    types = [inputs[i].type if i < len(inputs) else None for i in range(len(texts))]
    given = [read(text, type_) for text, type_ in zip(texts, types, strict=True)]
    program.check([v.shape for v in given], [v.dtype for v in given], plan)
    return [value.array(np.random.default_rng([seed, i])) for i, value in enumerate(given)]


def read(text: str, element_type: str | None) -> Value:
    """Parse a value on the command line; its array is made later.

    `element_type` is the type of the argument that takes the value, None if there is no such
    argument. `random:` needs `element_type` unless the text names a type.

    Raises:
        UserError: the text has none of the documented forms, its sizes are too large for the
            machine, or the file cannot be read.
    """
    value = _read(text, element_type)
    limits = isa.load().limits
    if max((prod(value.shape), *value.shape)) >= limits.size_limit:
        raise UserError(
            f"{_short(text)}: error: got shape {_short(show_shape(value.shape))}; every size, and "
            f"the number of elements, has to be below 2^{limits.size_bits}"
        )
    return value


def _read(text: str, element_type: str | None) -> Value:
    if text.startswith("@"):
        return open_npy(text[1:])
    literal, random = _patterns()
    if text.startswith("random:"):
        match = random.fullmatch(text)
        chosen = match and (_types().get(match["type"]) or element_type)
        if match is None:
            raise UserError(f"{_short(text)}: error: expected random:SHAPE, such as random:8x1x64")
        if chosen is None:
            raise UserError(
                f"{_short(text)}: error: no argument here has an element type to use; "
                "give fewer values, or name the type, as in random:8x1x64xf32"
            )
        shape, dtype = _shape(match["shape"]), np.dtype(tensor_type(chosen).dtype)
        return Value(text, shape, dtype, lambda rng: random_array(shape, chosen, rng))
    match = literal.fullmatch(text)
    if match is None:
        raise UserError(f"{_short(text)}: error: not a value; expected {SYNTAX}")
    return _literal(text, _shape(match["shape"]), _types()[match["type"]], match["values"])


def _shape(text: str | None) -> tuple[int, ...]:
    return tuple(int(size) for size in (text or "").split("x") if size)


def random_array(shape: Sequence[int], element_type: str, rng: np.random.Generator) -> Array:
    """Return random elements: floats standard normal, other types uniform over the whole range."""
    from hwc.runtime.host_floats import elements_of  # noqa: PLC0415 - `hwc --help` needs no simulator

    type_ = tensor_type(element_type)
    if type_.kind == "float":
        return elements_of(rng.standard_normal(shape, dtype=np.float32), type_)
    low, high = type_.range
    # NumPy would draw a `bool` differently from the integers 0 and 1.
    drawn = np.dtype("u1" if type_.kind == "boolean" else type_.dtype)
    return rng.integers(low, high, shape, dtype=drawn, endpoint=True).astype(type_.dtype)


def open_npy(path: str) -> Value:
    """Read the header of a `.npy` file; the elements of a regular file are mapped later.

    Raises:
        UserError: the file cannot be read or is not a `.npy` file of plain elements.
    """
    with _reading(path), _opened(path) as file:
        header = read_header(file)
        if path == STANDARD or not file.seekable():
            array = read_elements(file, header)
            return Value(f"@{path}", header.shape, header.dtype, lambda _: array)
        start = file.tell()

    def make(_: np.random.Generator) -> Array:
        with _reading(path), open(path, "rb") as file:
            file.seek(start)
            return read_elements(file, header)

    return Value(f"@{path}", header.shape, header.dtype, make)


def _opened(path: str) -> BufferedReader:
    if path != STANDARD:
        return open(path, "rb")
    if sys.stdin is None:
        raise UserError(f"{STANDARD}: error: standard input is closed")
    return open(sys.stdin.fileno(), "rb", closefd=False)


def files(texts: Sequence[str]) -> list[str]:
    """Return the files named by values on the command line."""
    return [text[1:] for text in texts if text.startswith("@")]


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: error: cannot read: {error.strerror or error}") from error
    except NpyError as error:
        raise UserError(f"{path}: error: not a .npy file of plain elements: {error}") from error
    except ValueError as error:  # no file can have this name
        raise UserError(f"{_short(path)}: error: cannot read: {error}") from error
    except MemoryError:
        raise UserError(f"{path}: error: not enough memory for its elements") from None


def write_npy(path: str, array: Array) -> None:
    """Write an array as a `.npy` file with exactly this name, completely or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    header = io.BytesIO()
    elements = np.ascontiguousarray(array).reshape(array.shape)
    description = np.lib.format.header_data_from_array_1_0(elements)
    np.lib.format.write_array_header_1_0(header, description)
    if path == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(header.getvalue())
        sys.stdout.buffer.write(elements.reshape(-1).view(np.uint8).data)
        return
    try:
        write_bytes(path, header.getvalue(), elements.reshape(-1).view(np.uint8).data)
    except OSError as error:
        raise UserError(f"{path}: error: cannot write: {error.strerror or error}") from error


def _literal(text: str, shape: tuple[int, ...], element_type: str, values: str | None) -> Value:
    tokens = [] if values is None else re.sub(r"[\[\],;]", " ", values).split()
    count = prod(shape)
    type_ = tensor_type(element_type)
    try:
        if len(tokens) not in (0, 1, count) or (values is not None and not tokens and count):
            raise ValueError(f"got {len(tokens)} values, expected {count}")
        bits = [_element(token, type_) for token in tokens] or [0]
    except (ValueError, OverflowError) as error:
        raise UserError(f"{_short(text)}: error: {error}") from error
    array = np.array(bits, dtype=f"<u{type_.bytes}").view(type_.dtype)

    def make(_: np.random.Generator) -> Array:
        return np.full(shape, array[0]) if len(array) == 1 else array.reshape(shape)

    return Value(text, shape, array.dtype, make)


def _element(token: str, type_: ElementType | StoredType) -> int:
    """Return the element's bits, unsigned; hexadecimal integers are bits, as in MLIR."""
    from hwc.runtime.host_floats import elements_of  # noqa: PLC0415 - `hwc --help` needs no simulator

    width = 8 * type_.bytes
    if type_.kind == "boolean":
        if token.lower() in ("true", "1", "false", "0"):
            return int(token.lower() in ("true", "1"))
    elif type_.kind == "float" and not _HEX_BITS.fullmatch(token):
        value = float.fromhex(token) if "0x" in token.lower() else float(token)
        return int(elements_of(np.array(value), type_).view(f"<u{type_.bytes}"))
    else:
        value = int(token, 0)
        bits = _HEX_BITS.fullmatch(token) is not None
        low, high = (0, (1 << type_.bits) - 1) if bits else type_.range
        if low <= value <= high:
            if bits and type_.kind == "integer" and value > type_.range[1]:
                value -= 1 << type_.bits  # extends the sign into the extra bits of NumPy's type
            return value % (1 << width)
    raise ValueError(f"{token} is not a value of type {type_.mlir}")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
