"""Parts of a TOSA model as IREE modules."""

from __future__ import annotations

from typing import Any

from hwc.errors import SourceError

BACKEND = "llvm-cpu"
_OPTIONS = ("--iree-llvmcpu-target-cpu=generic",)
"""The part runs on any processor of the architecture that compiles it."""


def part_module(text: str, name: str, source: str) -> bytes:
    """Return the IREE module for a part of the model in the file `name`.

    `source` lists the part's operators. Equal texts give equal bytes.

    Raises:
        SourceError: the package iree-base-compiler is missing, or IREE refuses an operator.
    """
    try:
        import iree.compiler  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise SourceError(
            f"{name}: error: a part of the model is for the host ({source}), and compiling it "
            "needs iree.compiler: pip install 'hwc[iree]'"
        ) from error
    compiler: Any = iree.compiler
    try:
        return compiler.compile_str(
            text, input_type="tosa", target_backends=[BACKEND], extra_args=[*_OPTIONS]
        )
    except compiler.CompilerToolError as error:
        said = [line for line in str(error).splitlines() if "error: " in line]
        reason = said[0].partition("error: ")[2] if said else "it gives no reason"
        raise SourceError(
            f"{name}: error: IREE does not compile a part for the host ({source}): {reason}"
        ) from error
