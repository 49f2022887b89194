"""From a source or a package file to a program that can be called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

from hwc import package as hwx
from hwc.errors import UserError
from hwc.files import decode_program, read_source, readable_name
from hwc.runtime.program import DEFAULT_DEVICE, Program
from isa.target import Target, load_target

DEFAULT_TARGET = "accel"
_T = TypeVar("_T")


def load(path: str | os.PathLike[str], device: str = DEFAULT_DEVICE) -> Program:
    """Read a `.hwx` file and make it ready.

    Raises:
        PackageError: the file is not a package, is damaged, or has another version than this hwc.
    """
    return Program(hwx.load(path), device)


def compile(  # the name users look for; the builtin is not used here
    source: str | bytes | os.PathLike[str],
    target: str | os.PathLike[str] | Target = DEFAULT_TARGET,
    *,
    entry: str | None = None,
    device: str = DEFAULT_DEVICE,
    broadcast: Literal["numpy", "strict"] | None = None,
    ranks: Literal["pad", "equal"] | None = None,
    conform: Literal["1.0"] | None = None,
    assume: Iterable[str] = (),
    libraries: Iterable[str | os.PathLike[str]] = (),
) -> Program:
    """Compile a program and make it ready.

    Args:
        source: MLIR text, the bytes of MLIR bytecode or of a TOSA flatbuffer, or the path of such
            a file. A `str` is text if it has a line break or a brace.
        target: the name of a target that comes with hwc, the path of a target file, or a target.
        entry: the function to compile, if there are several.
        device: the device that calls run on.
        broadcast: "strict" if no dynamic dimension of the program expands.
        ranks: "equal" to refuse operands of different ranks instead of padding them.
        conform: "1.0" to refuse what TOSA 1.0 does not allow.
        assume: facts about sizes, such as "a.n % 8 == 0", that every call is checked against.
        libraries: files or texts with private functions that define operators of `tosa.custom`.

    docs/shapes.md defines the last five; the source can state them too.

    Raises:
        UserError: the source or the target has an error, or the program cannot be compiled.
    """
    from hwc.compiler import compile_package  # noqa: PLC0415 - running a package needs no compiler
    from hwc.frontend.language import Language  # noqa: PLC0415 - as above
    from hwc.frontend.source import Source  # noqa: PLC0415 - as above

    if not isinstance(target, Target):
        target = load_target(target if isinstance(target, str) else Path(target))
    origin = Source(*read_program(source))
    language = Language(broadcast, ranks, listed("assume", assume, str), conform)
    files = listed("libraries", libraries, (str, os.PathLike))
    given = [Source(*read_program(library)) for library in files]
    compiled = compile_package(origin, target, entry=entry, language=language, libraries=given)
    return Program(compiled.package, device, origin, language, given)


def listed(name: str, values: Iterable[_T], kind: type | tuple[type, ...]) -> tuple[_T, ...]:
    """Return the values of an argument that takes several; refuse a single string."""
    items = None if isinstance(values, str) else tuple(values)
    if items is None or not all(isinstance(item, kind) for item in items):
        raise UserError(f"{name}: error: got {values!r}, expected a list of strings")
    return items


def read_program(source: str | bytes | os.PathLike[str]) -> tuple[str, str | bytes]:
    """Return the name and content of a source; a `str` with a line break or a brace is text."""
    if isinstance(source, bytes):
        return "-", decode_program(source, "-")
    if not isinstance(source, str | os.PathLike):
        raise UserError(
            f"error: got {type(source).__name__}, expected a program: its text, its bytes, or the "
            "path of a file"
        )
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return "-", source
    return readable_name(source), read_source(source)
