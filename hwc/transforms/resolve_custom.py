"""Gives each `tosa.custom` the scalar function that defines the operator, as a region.

The function is a private function of the program or of a library, called `@DOMAIN.NAME`, as in
`@my.popcount` for `domain_name = "my"`, `operator_name = "popcount"`. The function takes and
returns scalars, and consists of operations of `arith` and `math`. The operator is element-wise: its
operands broadcast like the operands of every element-wise operator, and the function computes one
point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from hwc.dialects.element_types import spellings
from hwc.dialects.elementwise_rules import check_elementwise, is_elementwise, is_scalar
from hwc.dialects.tosa_operation import TosaOperation, is_operator
from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import check_function
from hwc.frontend.unsupported import reason_for


def is_definition(function: FuncOp) -> bool:
    """Whether a function defines an operator: private, with scalars only."""
    visibility = function.sym_visibility
    types = (*function.function_type.inputs, *function.function_type.outputs)
    return (
        visibility is not None
        and visibility.data == "private"
        and not function.is_declaration
        and bool(function.function_type.inputs)
        and bool(function.function_type.outputs)
        and all(map(is_scalar, types))
    )


def check_definition(function: FuncOp) -> None:
    """Raise a located error unless a function consists of scalar operations.

    The function may only compute its result, so control flow and calls are refused.
    """
    name = f"function @{function.sym_name.data}"
    if len(function.body.blocks) != 1:
        raise error_at(
            function,
            f"{name} has {len(function.body.blocks)} blocks",
            "control flow is not supported; use arith.select, which computes both sides",
        )
    for op in function.body.block.ops:
        if isinstance(op, ReturnOp):
            continue
        on_scalars = all(is_scalar(value.type) for value in (*op.operands, *op.results))
        if not is_elementwise(op) and not isinstance(op, arith.ConstantOp):
            raise error_at(op, *reason_for(op.name))
        if not on_scalars:
            raise error_at(
                op, f"'{op.name}' in {name} is not on scalars", "the function computes one point"
            )
        check_elementwise(op)
    last = function.body.block.last_op
    given = [value.type for value in last.operands] if isinstance(last, ReturnOp) else None
    if given != list(function.function_type.outputs):
        raise error_at(last or function, f"{name} does not return what its type says", "")


def _text(op: TosaOperation, attribute: str) -> str:
    value = op.arguments.get(attribute)
    if not isinstance(value, StringAttr):
        raise error_at(
            op,
            f"'{op.name}' has no {attribute}",
            'write operator_name = "NAME" and domain_name = "DOMAIN"',
        )
    return value.data


def _why_not(function: FuncOp) -> str:
    """Say why a function is not a definition."""
    if function.is_declaration:
        return "it has no body"
    types = (*function.function_type.inputs, *function.function_type.outputs)
    if not function.function_type.inputs or not function.function_type.outputs:
        return "it needs an argument and a result"
    other = next((type_ for type_ in types if not is_scalar(type_)), None)
    return "it is not private" if other is None else f"{other} is not a scalar of the machine"


def _resolve(op: TosaOperation, functions: dict[str, FuncOp]) -> None:
    name = f"{_text(op, 'domain_name')}.{_text(op, 'operator_name')}"
    function = functions.get(name)
    if function is not None and not is_definition(function):
        raise error_at(
            function,
            f"function @{name} does not define an operator: {_why_not(function)}",
            f"write a private function of scalars, with a body, of {', '.join(spellings())}",
        )
    if function is None:
        known = [known for known, other in functions.items() if is_definition(other)]
        listed = ", ".join(f"@{known}" for known in sorted(known)) or "none"
        raise error_at(
            op,
            f"'{op.name}' calls @{name}, which no library defines; there are: {listed}",
            f"pass --library with a file that holds func.func private @{name}",
        )
    check_definition(function)
    if op.regions:
        raise error_at(op, f"'{op.name}' has a region", "remove it")
    region = function.body.clone()
    end = region.block.last_op
    assert end is not None
    values = list(end.operands)
    region.block.erase_op(end)
    region.block.add_op(linalg.YieldOp(*values))
    op.add_region(region)


def _is_custom(op: Operation) -> bool:
    return is_operator(op, "custom")


@dataclass(frozen=True)
class ResolveCustom(ModulePass):
    """Give every `tosa.custom` its definition, and remove the definitions."""

    name = "resolve-custom"
    checks_input: ClassVar[bool] = True

    def has_work(self, module: ModuleOp) -> bool:
        """Whether there is a definition or a custom operator."""
        return any(
            _is_custom(op) or (isinstance(op, FuncOp) and op.sym_visibility is not None)
            for op in module.walk()
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        functions: dict[str, FuncOp] = {}
        for function in [f for f in op.walk() if isinstance(f, FuncOp)]:
            check_function(function)
            name = function.sym_name.data
            if name in functions and is_definition(function):
                raise error_at(function, f"function @{name} is defined twice", "rename one")
            functions[name] = function
        for custom in [inner for inner in op.walk() if _is_custom(inner)]:
            assert isinstance(custom, TosaOperation)
            _resolve(custom, functions)
        for function in filter(is_definition, functions.values()):
            function.detach()
            function.erase()
