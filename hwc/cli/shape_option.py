"""The option `--shape`: the shapes of a call without its arrays."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from hwc.errors import UserError

if TYPE_CHECKING:
    from hwc.runtime.program import Program

Shape: TypeAlias = "tuple[int, ...]"

SYNTAX = (
    "sizes such as 8x1x64, or scalar, for the next argument; NAME=8x1x64 for the argument NAME; or "
    "NAME=8 for the size that hwc.symbols calls NAME"
)

_SHAPE = re.compile(
    r"(?:(?P<name>[^=]+)=)?(?P<shape>scalar|[0-9]{1,30}(?:x[0-9]{1,30})*)"
)  # Python refuses to convert thousands of digits.


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="SHAPE",
        help="the shape of the next argument, or of one by its name; given once for each",
    )


def check_shapes(args: argparse.Namespace) -> None:
    """Check the shapes as far as possible without the program.

    Raises:
        UserError: a shape has none of the documented forms, or a name is given twice.
    """
    _read_all(args)


def given_shapes(args: argparse.Namespace, program: Program) -> tuple[list[Shape], dict[str, Any]]:
    """Return the positional shapes and the shapes by name, for `Program.time`.

    Raises:
        UserError: as `check_shapes`.
    """
    shapes, named = _read_all(args)
    arguments = {tensor.name for tensor in program.inputs}
    sizes = {
        name: shape[0] if name not in arguments and len(shape) == 1 else shape
        for name, shape in named.items()
    }
    return shapes, sizes


def _read_all(args: argparse.Namespace) -> tuple[list[Shape], dict[str, Shape]]:
    shapes: list[Shape] = []
    named: dict[str, Shape] = {}
    for text in args.shape:
        name, shape = _read(text)
        if name is None:
            shapes.append(shape)
        elif name in named:
            raise UserError(f"--shape: error: '{name}' has a shape already, got {text!r}")
        else:
            named[name] = shape
    return shapes, named


def _read(text: str) -> tuple[str | None, tuple[int, ...]]:
    """Return the name, if any, and the sizes of a shape.

    Raises:
        UserError: the text has none of the documented forms.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise UserError(f"--shape {shown}: error: not a shape; expected {SYNTAX}")
    shape = match["shape"]
    return match["name"], () if shape == "scalar" else tuple(map(int, shape.split("x")))
