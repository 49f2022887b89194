"""Verifies modules: each operation, and that values are defined before they are used."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from hwc.frontend.diagnostics import LocatedError, error_at


def verify(module: ModuleOp) -> None:
    """Verify every operation of `module`; raise a located error for the first invalid one.

    xDSL does not check that the uses of a value come after its definition, and within its region.
    Without this check, a pass that moves an operation wrongly would lead to machine code that reads
    undefined values.
    """
    defined: dict[SSAValue, None] = {}
    # A block that is begun waits while its operation's blocks are verified.
    begun: list[Iterator[Operation]] = [iter((module,))]
    while begun:
        op = next(begun[-1], None)
        if op is None:
            begun.pop()
            continue
        for index, operand in enumerate(op.operands):
            if operand not in defined:
                raise error_at(op, f"'{op.name}' uses operand {index} before it is defined")
        for result in op.results:
            defined[result] = None
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            if isinstance(error.__cause__, LocatedError):
                raise error.__cause__ from None
            message = str(error).strip().splitlines()
            raise error_at(op, f"'{op.name}': {message[0] if message else 'invalid'}") from None
        if op.regions:
            begun.append(_forget(defined, len(defined)))
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                defined.update(dict.fromkeys(block.args))
                begun.append(iter(block.ops))


def _forget(defined: dict[SSAValue, None], count: int) -> Iterator[Operation]:
    """Forget the values after the first `count` when the first operation is asked for; yield none.

    The values of an operation's blocks are gone when the operation is verified.
    """
    while len(defined) > count:
        defined.popitem()
    yield from ()
