"""The check of functions that all passes rely on."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

from hwc.frontend.diagnostics import error_at


def check_function(function: FuncOp) -> None:
    """Raise a located error unless `function` is a valid `func.func`."""
    try:
        function.verify(verify_nested_ops=False)
    except VerifyException as error:
        message = str(error).strip().splitlines()[0]
        raise error_at(
            function, f"'func.func' is malformed: {message}", "write it as mlir-opt prints it"
        ) from None
