"""Gives each `tosa.custom` the scalar function that defines the operator, as a region.

The function is a private function of the program or of a library, called `@DOMAIN.NAME`, as in
`@my.popcount` for `domain_name = "my"`, `operator_name = "popcount"`. The function takes and
returns scalars, and consists of operations of `arith` and `math`. The operator is element-wise: its
operands broadcast like the operands of every element-wise operator, and the function computes one
point. Several functions of one name define the operator for different element types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue
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


def _elements(values: Sequence[SSAValue]) -> list[Attribute]:
    types = (value.type for value in values)
    return [type_.get_element_type() if isinstance(type_, TensorType) else type_ for type_ in types]


def _chosen(op: TosaOperation, name: str, defined: Sequence[FuncOp]) -> FuncOp:
    """Return the function whose types are the element types of an operator."""
    if len(defined) == 1:
        return defined[0]  # `verify-tosa` says which types are wrong
    inputs, outputs = _elements(op.operands), _elements(op.results)
    fitting = [f for f in defined if list(f.function_type.inputs) == inputs]
    if len(fitting) > 1:  # they differ in their results
        fitting = [f for f in fitting if list(f.function_type.outputs) == outputs]
    if not fitting:
        listed = "; ".join(_signature(f.function_type.inputs, f) for f in defined)
        raise error_at(
            op,
            f"'{op.name}' calls @{name} with {_listed(inputs)}, and no definition takes these "
            f"element types; @{name} is defined for {listed}",
            f"cast the operands, or define func.func private @{name} for these types",
        )
    return fitting[0]


def _listed(types: Iterable[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def _signature(inputs: Iterable[Attribute], function: FuncOp) -> str:
    return f"{_listed(inputs)} -> {_listed(function.function_type.outputs)}"


def _resolve(op: TosaOperation, functions: dict[str, list[FuncOp]]) -> None:
    name = f"{_text(op, 'domain_name')}.{_text(op, 'operator_name')}"
    defined = functions.get(name, [])
    for function in defined:
        if not is_definition(function):
            raise error_at(
                function,
                f"function @{name} does not define an operator: {_why_not(function)}",
                f"write a private function of scalars, with a body, of {', '.join(spellings())}",
            )
    if not defined:
        known = [known for known, others in functions.items() if all(map(is_definition, others))]
        listed = ", ".join(f"@{known}" for known in sorted(known)) or "none"
        raise error_at(
            op,
            f"'{op.name}' calls @{name}, which no library defines; there are: {listed}",
            f"pass --library with a file that holds func.func private @{name}",
        )
    function = _chosen(op, name, defined)
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


def _check_distinct(function: FuncOp, other: FuncOp) -> None:
    """Raise a located error if two functions of one name cannot be told apart by their types."""
    name = f"function @{function.sym_name.data}"
    if not is_definition(other):
        raise error_at(function, f"{name} is defined twice", "rename one")
    if function.function_type == other.function_type:
        types = _signature(function.function_type.inputs, function)
        raise error_at(
            function,
            f"{name} is defined twice for {types}",
            "rename one, or give it other types",
        )


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
        functions: dict[str, list[FuncOp]] = {}
        for function in [f for f in op.walk() if isinstance(f, FuncOp)]:
            check_function(function)
            name = function.sym_name.data
            others = functions.setdefault(name, [])
            if is_definition(function):
                for other in others:
                    _check_distinct(function, other)
            others.append(function)
        for custom in [inner for inner in op.walk() if _is_custom(inner)]:
            assert isinstance(custom, TosaOperation)
            _resolve(custom, functions)
        for function in chain.from_iterable(functions.values()):
            if is_definition(function):
                function.detach()
                function.erase()
