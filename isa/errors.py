"""Errors that a user's input can cause; the errors of other packages derive from `UserError`."""

from __future__ import annotations


class UserError(Exception):
    """Base of every error caused by a user's input: a command prints the error and exits with 1.

    The text says where the error is, what was given, what was expected and what to do. The text may
    span several lines.
    """


class IsaError(UserError):
    """An error in the instruction set's own data files, such as overlapping encodings."""


class TargetError(UserError):
    """A target file that cannot be used: names the file, the key, the value and what is allowed."""


class AssemblyError(UserError):
    """Assembly text that violates the manual: names the line, the text and what was expected."""


class DecodeError(UserError):
    """A 64-bit word that is not an instruction; `fault` names the fault that it raises."""

    def __init__(self, fault: str, text: str) -> None:
        super().__init__(text)
        self.fault = fault
