"""The functions of a module, checked as far as everything else relies on them."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

from hwc.frontend.diagnostics import error_at


def check_function(function: FuncOp) -> None:
    """Raise a located error unless `function` has a name, a type and arguments of that type."""
    try:
        function.verify(verify_nested_ops=False)
    except VerifyException as error:
        message = str(error).strip().splitlines()[0]
        raise error_at(
            function, f"'func.func' is malformed: {message}", "write it as mlir-opt prints it"
        ) from None
