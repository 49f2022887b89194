"""The operators of the `tosa` dialect that compute shapes, and what is known about a shape.

A shape is a list of values. The host evaluates the operators at a call; values that follow from
constants and static sizes are known at compile time. The rules come from the draft of TOSA 1.1
(extension EXT-SHAPE); in addition, sizes may be 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import SSAValue

from hwc.dialects.broadcastable import DYNAMIC, Shape
from hwc.dialects.compile_time_operands import constant_shape, integer_constant
from hwc.dialects.operand_counts import check_count
from hwc.dialects.tosa_operation import ShapeType, TosaOperation
from hwc.errors import counted
from hwc.frontend.diagnostics import error_at
from hwc.shapes.steps import ARITHMETIC, SizesRefused, size_problem

ELEMENT_WISE: Mapping[str, str] = {
    "add_shape": "addi",
    "sub_shape": "subi",
    "mul_shape": "muli",
    "div_floor_shape": "divui",
    "div_ceil_shape": "ceildivui",
    "mod_shape": "remui",
    "max_shape": "maxsi",
    "min_shape": "minsi",
    "exp2_shape": "exp2",
    "log2_floor_shape": "log2_floor",
    "log2_ceil_shape": "log2_ceil",
}
"""The operators that compute each value of a shape separately, and the kind of step of each."""

OPERATORS = frozenset({*ELEMENT_WISE, "const_shape", "concat_shape", "slice_shape", "dim"})
"""All operators whose result is a shape."""

INFERRED = -1
"""The number in a program for a size that the number of elements determines."""


@dataclass(frozen=True)
class Value:
    """What the compiler knows about one value of a shape: `number`, None if known only at a call.

    `literal` says that the program writes the number as a constant: a -1 in a reshape asks for an
    inferred size only if the -1 is written as a constant.
    """

    number: int | None
    literal: bool = False


def shape_rank(op: TosaOperation, number: int) -> int:
    """Return the number of values of the shape that is operand `number`.

    Raises:
        LocatedError: the operand is not a shape.
    """
    type_ = op.operands[number].type
    if not isinstance(type_, ShapeType):
        raise error_at(op, f"operand {number} of '{op.name}' is {type_}", "it takes a !tosa.shape")
    return type_.rank.data


def check_shape_operator(op: TosaOperation) -> None:
    """Raise a located error unless `op`, one of `OPERATORS`, is legal."""
    operands = arity(op.operator)
    check_count(op, (len(op.operands),) if operands is None else (operands,))
    if op.operator == "dim":
        rank = 1
        _dimension(op)
    elif op.operator == "const_shape":
        rank = len(constant_shape(op))
    elif op.operator == "slice_shape":
        rank = len(_slice(op))
    elif op.operator == "concat_shape":
        if not op.operands:
            raise error_at(op, f"'{op.name}' has no operands", "it takes one shape or more")
        rank = sum(shape_rank(op, number) for number in range(len(op.operands)))
    else:
        rank = _check_element_wise(op)
    type_ = op.results[0].type
    if not isinstance(type_, ShapeType) or type_.rank.data != rank:
        raise error_at(
            op,
            f"'{op.name}' holds {counted(rank, 'size')} but its result is {type_}",
            f"its result is !tosa.shape<{rank}>",
        )


def _check_element_wise(op: TosaOperation) -> int:
    ranks = [shape_rank(op, number) for number in range(len(op.operands))]
    if len(set(ranks)) > 1:
        raise error_at(
            op,
            f"'{op.name}' has shapes of {' and '.join(map(str, ranks))} values",
            "both have equally many: shapes do not broadcast",
        )
    return ranks[0]


def arity(operator: str) -> int | None:
    """Return how many operands an operator has, None if any number from 1 on."""
    if operator in ELEMENT_WISE:
        return ARITHMETIC[ELEMENT_WISE[operator]].arity
    return {"const_shape": 0, "dim": 1, "slice_shape": 3}.get(operator)


def dimension_of(op: TosaOperation) -> int:
    """Return the dimension whose size a `dim` returns; the `dim` must have been checked."""
    axis = op.arguments["axis"]
    assert isinstance(axis, IntegerAttr)
    return axis.value.data


def _dimension(op: TosaOperation) -> int:
    type_, axis = op.operands[0].type, op.arguments.get("axis")
    if not isinstance(type_, TensorType):
        raise error_at(op, f"operand 0 of '{op.name}' is {type_}", "it takes a ranked tensor")
    rank = len(type_.get_shape())
    if not isinstance(axis, IntegerAttr) or not 0 <= axis.value.data < rank:
        given = "no axis" if axis is None else f"axis = {axis}"
        raise error_at(
            op,
            f"'{op.name}' of a tensor of rank {rank} has {given}",
            "axis is the number of a dimension, from 0",
        )
    return axis.value.data


def _slice(op: TosaOperation) -> range:
    """Return the positions that a `slice_shape` takes."""
    rank = shape_rank(op, 0)
    start, size = (
        integer_constant(op, value, what)
        for value, what in zip(op.operands[1:], ("start", "size"), strict=True)
    )
    if start < 0 or size < 1 or start + size > rank:
        raise error_at(
            op,
            f"'{op.name}' takes {counted(size, 'value')} from position {start}, and the shape has "
            f"{rank}",
            "the values have to lie in the shape, and be at least one",
        )
    return range(start, start + size)


def positions(op: TosaOperation) -> Iterator[tuple[int, int]]:
    """Yield the operand and position of each value of a `concat_shape` or `slice_shape`."""
    if op.operator == "slice_shape":
        yield from ((0, position) for position in _slice(op))
    else:
        for number in range(len(op.operands)):
            yield from ((number, position) for position in range(shape_rank(op, number)))


def new_shape(op: TosaOperation) -> Shape:
    """Return the sizes that a `reshape` is given.

    One may be INFERRED. A size that only a call can compute is DYNAMIC.

    Raises:
        LocatedError: there are none, or they cannot be sizes.
    """
    if len(op.operands) > 1:
        shape_rank(op, 1)
        shape = tuple(_size(op, value) for value in known_values(op.operands[1]))
    else:
        attribute = op.arguments.get("new_shape")
        if not isinstance(attribute, DenseArrayBase):
            raise error_at(
                op,
                f"'{op.name}' has no shape",
                "give a !tosa.shape as second operand, or new_shape = array<i64: ...>",
            )
        shape = tuple(_size(op, Value(int(v), literal=True)) for v in attribute.get_values())
    if shape.count(INFERRED) > 1:
        raise error_at(
            op,
            f"'{op.name}' has the new shape {list(shape)}",
            "one size may be -1, to be inferred from the number of elements; compute the others "
            "with tosa.dim and tosa.concat_shape",
        )
    return shape


def _size(op: TosaOperation, value: Value) -> int:
    if value.number is None:
        return DYNAMIC
    if value.number == INFERRED and value.literal:
        return INFERRED
    if value.literal and value.number < 0:
        raise error_at(
            op,
            f"'{op.name}' has the new size {value.number}",
            "sizes are 0 or more; one may be -1, to be inferred from the number of elements",
        )
    if problem := size_problem(value.number, str(value.number)):
        raise error_at(op, f"'{op.name}' {problem}")
    return value.number


def known_values(shape: SSAValue) -> tuple[Value, ...]:
    """Return what the compiler knows about a shape.

    Raises:
        LocatedError: an operator has no result for its constant operands.
    """
    known: dict[SSAValue, tuple[Value, ...]] = {}
    todo = [shape]
    while todo:  # not recursive: chains of operators may be long
        op = todo[-1].owner
        if isinstance(op, TosaOperation) and op.operator in OPERATORS:
            check_shape_operator(op)  # ranks are inferred before the verifier runs
        if not isinstance(op, TosaOperation) or op.operator not in OPERATORS - {"dim"}:
            known[todo[-1]] = _source_values(todo[-1])
        elif missing := [v for v in _shape_operands(op) if v not in known]:
            todo += missing
            continue
        else:
            known[todo[-1]] = _values(op, [known[v] for v in _shape_operands(op)])
        todo.pop()
    return known[shape]


def _shape_operands(op: TosaOperation) -> list[SSAValue]:
    return [value for value in op.operands if isinstance(value.type, ShapeType)]


def _source_values(value: SSAValue) -> tuple[Value, ...]:
    op = value.owner
    if isinstance(op, TosaOperation) and op.operator == "dim":
        type_ = op.operands[0].type
        assert isinstance(type_, TensorType)
        size = type_.get_shape()[dimension_of(op)]
        return (Value(None if size == DYNAMIC else size),)
    assert isinstance(value.type, ShapeType)
    return (Value(None),) * value.type.rank.data


def _values(op: TosaOperation, operands: list[tuple[Value, ...]]) -> tuple[Value, ...]:
    if op.operator == "const_shape":
        return tuple(Value(size, literal=True) for size in constant_shape(op))
    if op.operator not in ELEMENT_WISE:
        return tuple(operands[number][position] for number, position in positions(op))
    kind = ARITHMETIC[ELEMENT_WISE[op.operator]]
    values: list[Value] = []
    for of_position in zip(*operands, strict=True):
        numbers = [value.number for value in of_position if value.number is not None]
        if len(numbers) < len(operands):
            values.append(Value(None))
            continue
        try:
            values.append(Value(kind.compute(numbers)))
        except SizesRefused as refused:
            raise error_at(op, f"'{op.name}': {refused}") from None
    return tuple(values)
