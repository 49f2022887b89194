"""Gives arguments known sizes, and works out what follows for every type of the program.

The size rules are checked as for any other program: if the given sizes do not fit, the error is
located at the operator that refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hwc.dialects import tosa_shapes
from hwc.dialects.attributes import is_strict, symbol_names
from hwc.dialects.broadcastable import (
    DYNAMIC,
    Shape,
    expand_rank,
    infer_shape,
    show_shape,
    static_mismatch,
)
from hwc.dialects.building import operations_of
from hwc.dialects.elementwise_rules import is_elementwise
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_rules import check, reshaped, tensor_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.errors import UserError
from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import argument_name, hint_of
from hwc.transforms.linalg_forms import is_structured
from hwc.transforms.linalg_sizes import LinalgSizes
from hwc.transforms.shape_values import unused_on_host
from hwc.transforms.sizes_to_tosa import SizesToTosa

Dims = Mapping[str, Shape]
"""Sizes of arguments by name, and sizes that the program names itself.

DYNAMIC stands for a dimension that stays as written.
"""

_SIZE = r"(?:[0-9]{1,10}|\?)"
_SHAPE = re.compile(rf"scalar|{_SIZE}(?:x{_SIZE})*")


def parse_dims(text: str) -> dict[str, Shape]:
    """Read `a=4x?,b=1x8,n=5`: arguments with their sizes, `?` for one that stays, and named sizes.

    Raises:
        UserError: the text does not have this form, or names an argument twice.
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
                strict = _strict_operators(function.body.block)
                _set_arguments(function, dims)
                sizes = SizesToTosa()
                for inner in operations_of(function.body.block):
                    rewritten = sizes.rewrite(inner)
                    if inner in strict:
                        _hold_strict(inner, strict[inner])
                    _refine(rewritten)
                _erase_unused(function.body.block)
                function.update_function_type()


def sizes_as_facts(module: ModuleOp) -> tuple[str, ...]:
    """Return facts for `hwc.assume` that say which sizes of the arguments are static."""
    facts: list[str] = []
    for argument in _function(module).body.block.args:
        for axis, size in enumerate(_shape(argument)):
            if size != DYNAMIC:
                facts.append(f"{argument_name(argument)}.{axis} == {size}")
    return tuple(facts)


def proven_dims(module: ModuleOp) -> str:
    """Return the sizes of the arguments that the program and its facts prove, for `dims`.

    `module` is at stage `linalg`.

    Raises:
        LocatedError: no sizes satisfy the requirements of the operations.
    """
    function = _function(module)
    found = LinalgSizes.of(function)
    dims: list[str] = []
    for argument in function.body.block.args:
        sizes = found.table.resolve_shape(found.sizes[argument])
        shape = tuple(DYNAMIC if isinstance(size, str) else size for size in sizes)
        dims.append(f"{argument_name(argument)}={show_shape(shape)}")
    return ",".join(dims)


def _function(module: ModuleOp) -> FuncOp:
    return next(op for op in module.walk() if isinstance(op, FuncOp) and not op.is_declaration)


def _set_arguments(function: FuncOp, dims: Dims) -> None:
    arguments = list(function.body.block.args)
    symbols = [symbol_names(function, argument.index) or () for argument in arguments]
    _check_names(function, dims, {name for names in symbols for name in names})
    sizes = {name: shape[0] for name, shape in dims.items() if len(shape) == 1}
    by_argument = {hint_of(name): shape for name, shape in dims.items()}
    for argument, names in zip(arguments, symbols, strict=True):
        shape = _shape(argument)
        if (given := by_argument.get(argument_name(argument))) is not None:
            shape = _given(function, argument_name(argument), shape, given)
        if names:
            shape = _named(function, argument_name(argument), shape, names, sizes)
        _set_type(argument, shape)


def _check_names(function: FuncOp, dims: Dims, symbols: Collection[str]) -> None:
    """Check that each name is an argument's, or one of `symbols` with exactly one size."""
    names = [argument_name(argument) for argument in function.body.block.args]
    for name, shape in dims.items():
        if hint_of(name) in names:
            continue
        if name not in symbols:
            known = [f"%{name}" for name in names] + sorted(filter(None, symbols))
            raise error_at(
                function,
                f"function @{function.sym_name.data} has no argument %{name}",
                f"its arguments and sizes are: {', '.join(known) or 'none'}",
            )
        if len(shape) != 1:
            raise error_at(
                function,
                f"'{name}' is the name of one size, got {show_shape(shape)}",
                f"write a number, as in {name}=4",
            )


def _given(function: FuncOp, name: str, declared: Shape, given: Shape) -> Shape:
    """Return the sizes of an argument; `given` decides the dynamic sizes."""
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


def _named(
    function: FuncOp, argument: str, shape: Shape, names: Sequence[str], sizes: Mapping[str, int]
) -> Shape:
    """Return the sizes of an argument; the given sizes of names decide the dynamic sizes.

    `shape` has the argument's sizes after its own given sizes are applied; `names` has the names of
    its dimensions.
    """
    named = tuple(sizes.get(name, DYNAMIC) for name in names)
    for dimension, (size, other) in enumerate(zip(shape, named, strict=True)):
        if DYNAMIC not in {size, other} and size != other:
            raise error_at(
                function,
                f"'{names[dimension]}' cannot be {other}: it is dimension {dimension} of argument "
                f"%{argument}, which is {size}",
                "the same name means the same size",
            )
    return _refined(shape, named)


def _refined(declared: Shape, found: Shape) -> Shape:
    """Return the declared sizes, with each dynamic size replaced by the size found."""
    return tuple(b if a == DYNAMIC else a for a, b in zip(declared, found, strict=True))


def _shape(value: SSAValue) -> Shape:
    """Return the sizes of a tensor; a scalar has none."""
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _set_type(value: SSAValue, shape: Shape) -> None:
    if isinstance(value.type, TensorType) and shape != value.type.get_shape():
        type_ = TensorType(value.type.get_element_type(), shape, value.type.encoding)
        Rewriter.replace_value_with_new_type(value, type_)


def _erase_unused(block: Block) -> None:
    """Erase operations that only computed sizes, now that TOSA operators compute them."""
    unused = unused_on_host(block)
    for op in reversed(operations_of(block)):
        is_shape = isinstance(op, TosaOperation) and op.operator in tosa_shapes.OPERATORS
        copied = is_shape or isinstance(op, tensor.CastOp)
        if op in unused or (copied and not any(result.uses for result in op.results)):
            block.erase_op(op)


def _strict_operators(block: Block) -> dict[Operation, tuple[Shape, ...]]:
    """Return the operand shapes of each strict operator, in which dynamic sizes never expand."""
    return {
        op: tuple(map(tensor_shape, _broadcast_operands(op)))
        for op in block.ops
        if isinstance(op, TosaOperation) and _broadcast_operands(op) and is_strict(op)
    }


def _broadcast_operands(op: TosaOperation) -> Sequence[SSAValue]:
    """Return the operands that broadcast; none if the operator does not broadcast."""
    if op.operator == "custom":
        return op.operands
    return op.operands[: OPERATORS[op.operator].arity] if op.operator in OPERATORS else ()


def _hold_strict(op: Operation, declared: Sequence[Shape]) -> None:
    """Keep the sizes of a strict operator strict; `declared` are the former operand shapes.

    A dimension that was dynamic and is now known to be 1 would expand. So the other dimensions that
    were dynamic are cast to its size; the cast is the check at dispatch.
    """
    rank = max(map(len, declared))
    padded = [(1,) * (rank - len(shape)) + shape for shape in declared]
    shapes = [expand_rank(_shape(operand), rank) for operand in op.operands[: len(declared)]]
    for axis in range(rank):
        held = [number for number, shape in enumerate(padded) if shape[axis] == DYNAMIC]
        known = next((n for i in held if (n := shapes[i][axis]) != DYNAMIC), DYNAMIC)
        for number in held:
            if shapes[number][axis] == DYNAMIC:
                shapes[number] = (*shapes[number][:axis], known, *shapes[number][axis + 1 :])
    for number, (shape, own) in enumerate(zip(shapes, declared, strict=True)):
        _cast(op, number, shape[rank - len(own) :])


def _cast(op: Operation, number: int, shape: Shape) -> None:
    """Cast an operand to a shape that says more about its sizes, unless it has that shape."""
    value = op.operands[number]
    if _shape(value) == shape:
        return
    assert isinstance(value.type, TensorType)
    cast = tensor.CastOp(value, TensorType(value.type.get_element_type(), shape))
    cast.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(cast, op)
    op.operands[number] = cast.dest


def _refine(op: Operation) -> None:
    """Give the results of `op` the sizes that follow from its operands now."""
    if isinstance(op, TosaOperation):
        check(op)
        if operands := _broadcast_operands(op):
            found = infer_shape([tensor_shape(operand) for operand in operands])
        elif op.operator == "reshape":
            found = reshaped(op)
        else:
            return
        for result in op.results:
            _set_type(result, _refined(tensor_shape(result), found))
    elif is_elementwise(op):
        _refine_equal(op)
    elif is_structured(op):
        # The destinations come last: one for each result, with the result's type.
        for result, destination in zip(op.results, op.operands[-len(op.results) :], strict=True):
            _set_type(result, _shape(destination))


def _refine_equal(op: Operation) -> None:
    """Give the tensors of `op`, an operation of `arith` or `math`, their one common shape.

    A tensor whose own type says less is cast; the cast is the check at dispatch.
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
    for number, value in enumerate(op.operands):
        if isinstance(value.type, TensorType):
            _cast(op, number, shape)
    for value in results:
        _set_type(value, shape)
