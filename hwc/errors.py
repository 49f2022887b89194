"""The errors that a user of the compiler and the runtime can cause."""

from __future__ import annotations

from isa.errors import UserError


class SourceError(UserError):
    """An error in a source file: `file:line:col: error: ...`, with the line quoted."""


class CompileError(UserError):
    """A valid program that cannot be compiled for the target, with the reason."""


class PackageError(UserError):
    """A package file that is damaged, of a newer format, or not a package at all."""


class DispatchError(UserError):
    """Arguments that do not fit a package: which argument and dimension, and what was expected."""


class MachineError(UserError):
    """The machine refused a dispatch at run time: the fault, its kernel, stream and dimension."""


__all__ = [
    "CompileError",
    "DispatchError",
    "MachineError",
    "PackageError",
    "SourceError",
    "UserError",
]
