"""Errors that a user's input can cause; the errors of other rooms derive from `UserError`."""

from __future__ import annotations


class UserError(Exception):
    """Base of every error caused by what a user gave: a command prints it and exits with 1.

    The text says where, what was given, what was expected and what to do; it may span lines.
    """


class IsaError(UserError):
    """An error in the instruction set's own data files, such as overlapping encodings."""


class TargetError(UserError):
    """A target file that cannot be used: names the file, the key, the value and what is allowed."""


class AssemblyError(UserError):
    """Assembly text against the manual: names the line, the text and what was expected."""


class DecodeError(UserError):
    """A 64-bit word that is not an instruction; `fault` names the fault that it raises."""

    def __init__(self, fault: str, text: str) -> None:
        super().__init__(text)
        self.fault = fault
