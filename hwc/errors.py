"""The hierarchy of errors that a user of the compiler and the runtime can cause."""

from __future__ import annotations

from isa.errors import UserError


class SourceError(UserError):
    """An error at a place in a source file: `file:line:col: error: ...`, the operation quoted."""


class CompileError(UserError):
    """A program that is well formed but cannot be compiled for the target, with the reason."""


class PackageError(UserError):
    """A package file that is damaged, of a newer format, or not a package at all."""


class DispatchError(UserError):
    """Arguments that do not fit a package: names the argument and the dimension, and what fits."""


class MachineError(UserError):
    """The machine refused a dispatch at run time: the fault, the kernel, the stream, the place."""


__all__ = [
    "CompileError",
    "DispatchError",
    "MachineError",
    "PackageError",
    "SourceError",
    "UserError",
]
