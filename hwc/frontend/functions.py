"""Functions, as all passes use them: a validity check, and the names of arguments."""

from __future__ import annotations

import re

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.utils.exceptions import VerifyException

from hwc.frontend.diagnostics import LocatedError, error_at, location_of

_NUMBERS_AT_THE_END = re.compile(r"(?<=.)(?:_\d+)+$", re.ASCII)


def check_function(function: FuncOp) -> None:
    """Raise a located error unless `function` is a valid `func.func`."""
    try:
        function.verify(verify_nested_ops=False)
    except VerifyException as error:
        message = str(error).strip().splitlines()[0]
        raise error_at(
            function, f"'func.func' is malformed: {message}", "write it as mlir-opt prints it"
        ) from None


def called_argument(function: FuncOp, number: int) -> str:
    """Return the name of an argument in messages: its number, and its name in the text."""
    argument = _argument(function, number)
    name = f" (%{argument.name_hint})" if argument is not None and argument.name_hint else ""
    return f"argument {number}{name} of function @{function.sym_name.data}"


def error_at_argument(function: FuncOp, number: int, message: str, advice: str) -> LocatedError:
    """Return an error at an argument; at the function if it has no body to hold arguments."""
    argument = _argument(function, number)
    location = location_of(argument.location) if argument is not None else None
    return LocatedError(location or location_of(function.location), message, advice)


def _argument(function: FuncOp, number: int) -> BlockArgument | None:
    return None if function.is_declaration else function.body.blocks[0].args[number]


def hint_of(name: str) -> str:
    """Return the name hint of an argument called `name` in the program: `x_1` becomes x1.

    xDSL assumes that it added any number after a final `_` itself, and removes the number. So `x_0`
    and `x_1` would both be called x.
    """
    return _NUMBERS_AT_THE_END.sub(lambda match: match[0].replace("_", ""), name)


def argument_name(argument: BlockArgument) -> str:
    """Return the name of a function's argument, in the form of `hint_of`; `%0` is called arg0."""
    return argument.name_hint or f"arg{argument.index}"
