"""Errors that users of the compiler and the runtime can cause."""

from __future__ import annotations

import re

from isa.errors import TargetError, UserError


class SourceError(UserError):
    """An error in a source file: `file:line:col: error: ...`, with the line quoted."""


class CompileError(UserError):
    """A valid program that cannot be compiled for the target, with the reason."""


class PackageError(UserError):
    """A package file that is damaged, has a newer format, or is not a package at all."""


class DispatchError(UserError):
    """Arguments that do not fit a package; says which argument, which dimension, what fits."""


class MachineError(UserError):
    """The machine refused a dispatch at run time: the fault, its kernel, stream and dimension."""


def diagnostic(error: UserError, program: str) -> str:
    """Return how the command `program` prints an error.

    An error in a file begins with the name of the file, as in `FILE: error: ...`. Any other error
    has no location and begins with the name of the command.
    """
    text = str(error)
    return text if _PLACED.match(text) else f"{program}: error: {text}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 operand`, `2 operands`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


_PLACED = re.compile(r"(?:[^\n]*: )?error: ")

__all__ = [
    "CompileError",
    "DispatchError",
    "MachineError",
    "PackageError",
    "SourceError",
    "TargetError",
    "UserError",
    "counted",
    "diagnostic",
]
