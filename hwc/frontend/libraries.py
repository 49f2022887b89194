"""Libraries: files of private functions that define operators for other programs."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from hwc.frontend.diagnostics import error_at


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
