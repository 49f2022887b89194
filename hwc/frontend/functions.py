"""What all passes rely on about functions: their check, and the names of arguments."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
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


def argument_name(argument: BlockArgument) -> str:
    """Return the name of a function's argument without `%`; `%0` is called arg0."""
    return argument.name_hint or f"arg{argument.index}"
