"""Checks that a module is a program hwc can compile: functions of element-wise operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from hwc.dialects.attributes import check_attributes, conforms, rank_mode
from hwc.dialects.elementwise_rules import check_elementwise, is_elementwise, is_scalar
from hwc.dialects.size_rules import check_sizes, computes_sizes, is_wide
from hwc.dialects.tensor_types import type_problem
from hwc.dialects.tosa_conformance import check_conforming, check_ranks
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_rules import check, tensor_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.dialects.upstream_tensor import ReshapeOp
from hwc.errors import counted
from hwc.frontend.diagnostics import error_at, location_of
from hwc.frontend.functions import called_argument, check_function, error_at_argument
from hwc.frontend.scalar_operations import is_refused
from hwc.frontend.unsupported import reason_for, unsupported
from hwc.transforms.linalg_forms import check_structured, is_structured


@dataclass(frozen=True)
class VerifyTosa(ModulePass):
    """Raise a located error at the first thing that cannot be compiled; change nothing."""

    name = "verify-tosa"
    checks_input: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Check every function of the module."""
        refused = [o for o in op.walk() if is_refused(o.name)]
        if refused:
            raise unsupported((location_of(o.location), o.name) for o in refused)
        _check_module(op)
        check_attributes(op)


def _check_module(module: ModuleOp) -> None:
    names: set[str] = set()
    for op in module.ops:
        if isinstance(op, ModuleOp):
            _check_module(op)
            continue
        if not isinstance(op, FuncOp):
            raise error_at(op, *reason_for(op.name))
        check_function(op)
        if op.sym_name.data in names:
            raise error_at(op, f"function @{op.sym_name.data} is defined twice", "rename one")
        names.add(op.sym_name.data)
        _check_function(op)


def _check_function(function: FuncOp) -> None:
    name = f"function @{function.sym_name.data}"
    for number, type_ in enumerate(function.function_type.inputs):
        checked = _as_i32(type_) if is_wide(type_) else type_
        problem = type_problem(checked, called_argument(function, number), stored=True)
        if problem and not is_scalar(type_):
            raise error_at_argument(function, number, *problem)
    if function.is_declaration:
        return
    if len(function.body.blocks) > 1:
        raise error_at(
            function,
            f"{name} has {len(function.body.blocks)} blocks",
            "control flow is not supported; use tosa.select, which computes both sides",
        )
    for number, type_ in enumerate(function.function_type.inputs):
        if is_wide(type_):
            _check_gives_sizes(function, number)
    block = function.body.block
    conforming, equal_ranks = conforms(function), rank_mode(function) == "equal"
    for op in block.ops:
        if conforming and isinstance(op, TosaOperation):
            check_ranks(op)
        _check_operation(op)
        if equal_ranks and isinstance(op, TosaOperation):
            _check_ranks(op)
        if conforming:
            check_conforming(op)
        if isinstance(op, ReturnOp) and op is not block.last_op:
            raise error_at(op, f"{name} goes on after its return", "remove what follows")
    check_return(function)


def _as_i32(type_: Attribute) -> Attribute:
    """Return the type of a tensor with elements of i32 in place of elements for the host alone."""
    return TensorType(i32, type_.get_shape()) if isinstance(type_, TensorType) else i32


def _check_gives_sizes(function: FuncOp, number: int) -> None:
    """Raise a located error if elements are computed from an argument that the machine lacks."""
    argument = function.body.block.args[number]
    for use in argument.uses:
        op = use.operation
        reads_sizes = isinstance(op, tensor.DimOp | tensor.ExtractOp) or (
            isinstance(op, ReshapeOp) and use.index == 1
        )
        if not reads_sizes:
            raise error_at(
                op,
                f"'{op.name}' takes {called_argument(function, number)}, which is "
                f"{argument.type}: only sizes are computed from index and i64",
                "pass elements in a type of the machine, such as i32",
            )


def _check_operation(op: Operation) -> None:
    if isinstance(op, TosaOperation):
        check(op)
    elif computes_sizes(op):
        check_sizes(op)
    elif is_elementwise(op):
        check_elementwise(op)
    elif is_structured(op):
        check_structured(op)
    elif not (isinstance(op, ReturnOp) or _feeds_elements(op)):
        raise error_at(op, *reason_for(op.name))


def _check_ranks(op: TosaOperation) -> None:
    """Refuse operands of different ranks, as `hwc.ranks` can require."""
    if op.operator in OPERATORS:
        operands = op.operands[: OPERATORS[op.operator].arity]
        ranks = [len(tensor_shape(operand)) for operand in operands]
        if len(set(ranks)) > 1:
            raise error_at(
                op,
                f"'{op.name}' has operands of ranks {' and '.join(map(str, ranks))}, and the "
                "program requires equal ranks",
                "reshape the operand of lower rank, or compile with --ranks=pad",
            )


def _feeds_elements(op: Operation) -> bool:
    """Whether `op` makes a destination for operations that compute."""
    return isinstance(op, tensor.EmptyOp | tensor.SplatOp)


def check_return(function: FuncOp) -> None:
    """Raise a located error unless a function of one block returns what its type says."""
    name = f"function @{function.sym_name.data}"
    op = function.body.block.last_op
    if not isinstance(op, ReturnOp):
        raise error_at(op or function, f"{name} does not end with a return", "add one")
    given = [operand.type for operand in op.operands]
    declared = list(function.function_type.outputs)
    if len(given) != len(declared):
        raise error_at(
            op,
            f"{name} returns {counted(len(given), 'value')}, its type has {len(declared)}",
            "make them the same",
        )
    for number, (type_, wanted) in enumerate(zip(given, declared, strict=True)):
        if isinstance(wanted, UnrankedTensorType):
            problem = type_problem(wanted, f"result {number} of {name}")
            assert problem is not None
            raise error_at(function, *problem)
        if type_ != wanted:
            raise error_at(
                op,
                f"{name} returns {type_} as result {number}, its type has {wanted}",
                "make them the same",
            )
        problem = type_problem(type_, f"result {number} of {name}", stored=True)
        if problem and not is_scalar(type_):
            raise error_at(op, *problem)
