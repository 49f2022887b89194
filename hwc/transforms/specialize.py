"""Gives arguments sizes that are known, and works out what follows for every type of the program.

The rules of sizes are checked as for any other program: where the given sizes do not fit, the
operator that refuses them is the place of the error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hwc.dialects.broadcastable import (
    DYNAMIC,
    Shape,
    infer_shape,
    show_shape,
    static_mismatch,
)
from hwc.dialects.elementwise_rules import is_elementwise
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_rules import check, reshaped, tensor_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.errors import UserError
from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import argument_name
from hwc.transforms.linalg_forms import is_structured

Dims = Mapping[str, Shape]
"""The sizes of arguments by name; a dimension that stays as it is written is DYNAMIC."""

_SHAPE = re.compile(r"scalar|(?:\d+|\?)(?:x(?:\d+|\?))*")


def parse_dims(text: str) -> dict[str, Shape]:
    """Read `a=4x?,b=1x8`: argument names with sizes, where `?` leaves a dimension as it is.

    Raises:
        UserError: the text has another form, or names an argument twice.
    """
    dims: dict[str, Shape] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, sizes = item.partition("=")
        name = name.strip().removeprefix("%")
        if not name or not _SHAPE.fullmatch(sizes.strip()):
            raise UserError(
                f"dims: error: got '{item}', expected an argument and its sizes, as in a=4x?"
            )
        if name in dims:
            raise UserError(f"dims: error: argument %{name} is given twice")
        dims[name] = _sizes(sizes.strip())
    return dims


def _sizes(text: str) -> Shape:
    if text == "scalar":
        return ()
    return tuple(DYNAMIC if size == "?" else int(size) for size in text.split("x"))


@dataclass(frozen=True)
class Specialize(ModulePass):
    """Replace dynamic sizes of arguments by given ones; `dims` is `a=4x?,b=1x8`."""

    name = "specialize"
    checks_input: ClassVar[bool] = True

    dims: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the one function of the module, after `verify-tosa`."""
        dims = parse_dims(self.dims)
        for function in op.walk():
            if isinstance(function, FuncOp) and not function.is_declaration:
                _set_arguments(function, dims)
                for inner in list(function.body.block.ops):
                    _refine(inner)
                function.update_function_type()


def _set_arguments(function: FuncOp, dims: Dims) -> None:
    block = function.body.block
    names = [argument_name(argument) for argument in block.args]
    for name in dims:
        if name not in names:
            listed = ", ".join(f"%{name}" for name in names) or "none"
            raise error_at(
                function,
                f"function @{function.sym_name.data} has no argument %{name}",
                f"its arguments are: {listed}",
            )
    for name, argument in zip(names, list(block.args), strict=True):
        if name in dims:
            _set_type(argument, _given(function, name, _shape(argument), dims[name]))


def _given(function: FuncOp, name: str, declared: Shape, given: Shape) -> Shape:
    """Return the sizes of an argument, in which `given` decides the dynamic ones."""
    fits = len(given) == len(declared) and all(
        DYNAMIC in pair or pair[0] == pair[1] for pair in zip(declared, given, strict=True)
    )
    if not fits:
        raise error_at(
            function,
            f"argument %{name} cannot have the sizes {show_shape(given)}: it is declared as "
            f"{show_shape(declared)}",
            "give one size per dimension, and the declared size or ? where it is static",
        )
    return _refined(declared, given)


def _refined(declared: Shape, found: Shape) -> Shape:
    """Return the declared sizes, and the ones that were found where the declared are dynamic."""
    return tuple(b if a == DYNAMIC else a for a, b in zip(declared, found, strict=True))


def _shape(value: SSAValue) -> Shape:
    """Return the sizes of a tensor; a scalar has none."""
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _set_type(value: SSAValue, shape: Shape) -> None:
    if isinstance(value.type, TensorType) and shape != value.type.get_shape():
        type_ = TensorType(value.type.get_element_type(), shape, value.type.encoding)
        Rewriter.replace_value_with_new_type(value, type_)


def _refine(op: Operation) -> None:
    """Give the results of `op` the sizes that its operands have now."""
    if isinstance(op, TosaOperation):
        check(op)
        if op.operator in OPERATORS:
            operands = op.operands[: OPERATORS[op.operator].arity]
            found = infer_shape([tensor_shape(operand) for operand in operands])
        elif op.operator == "reshape":
            found = reshaped(op)
        else:
            return
        _set_type(op.results[0], _refined(tensor_shape(op.results[0]), found))
    elif is_elementwise(op):
        _refine_equal(op)
    elif is_structured(op):
        # The destinations come last, one for each result, which has the destination's type.
        for result, destination in zip(op.results, op.operands[-len(op.results) :], strict=True):
            _set_type(result, _shape(destination))


def _refine_equal(op: Operation) -> None:
    """Give the tensors of `op`, an operation of `arith` or `math`, the one shape that they have.

    A tensor whose own type says less is cast: that is the check at dispatch.
    """
    values = [value for value in op.operands if isinstance(value.type, TensorType)]
    results = [value for value in op.results if isinstance(value.type, TensorType)]
    if not values:
        return
    shape = _shape(values[0])
    for value in (*values[1:], *results):
        other = _shape(value)
        if (dimension := static_mismatch(shape, other)) is not None:
            raise error_at(
                op,
                f"the tensors of '{op.name}' have different sizes: dimension {dimension} is "
                f"{shape[dimension]} and {other[dimension]}",
                "operations of arith and math do not broadcast",
            )
        shape = _refined(shape, other)
    block = op.parent
    assert block is not None
    for number, value in enumerate(op.operands):
        if isinstance(value.type, TensorType) and _shape(value) != shape:
            cast = tensor.CastOp(value, TensorType(value.type.get_element_type(), shape))
            cast.location = op.location
            block.insert_op_before(cast, op)
            op.operands[number] = cast.dest
    for value in results:
        _set_type(value, shape)
