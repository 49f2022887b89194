"""Libraries: files of private functions that define operators for other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from hwc.frontend.diagnostics import error_at
from hwc.frontend.source import Source

_DEFINITION = re.compile(r"func\.func\s+private\s+@([A-Za-z_]\w*(?:\.\w+)+)\s*\(")


def defined_operators(sources: Iterable[Source]) -> frozenset[str]:
    """Return the names `DOMAIN.NAME` of the private functions in texts, which define operators.

    The parser needs the names before a text is read, because an operation may have one of them.
    """
    texts = (source.text for source in sources if source.flatbuffer is None)
    return frozenset(name for text in texts for name in _DEFINITION.findall(text))


def add_library(module: ModuleOp, library: ModuleOp) -> None:
    """Move the functions of a library to the end of a program.

    Raises:
        LocatedError: the library holds anything but private functions.
    """
    for op in list(library.ops):
        if not isinstance(op, FuncOp):
            raise error_at(
                op, f"a library holds '{op.name}'", "a library holds private functions only"
            )
        if op.sym_visibility is None or op.sym_visibility.data != "private":
            raise error_at(
                op,
                f"function @{op.sym_name.data} of a library is not private",
                f"write func.func private @{op.sym_name.data}",
            )
        op.detach()
        module.body.block.add_op(op)
