"""Which operations of `arith` and `math` a program may use to compute elements.

On tensors, these operations are element-wise: all tensors have the same shape in their types, and
dynamic sizes have to be equal at dispatch. Nothing is broadcast, except that a scalar condition
chooses for all elements. On scalars, the operations compute a value of rank 0. Operations on
`index` are not element-wise: they compute sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.element_types import element_type
from hwc.dialects.tensor_types import type_problem
from hwc.dialects.tosa_rules import is_read_elsewhere
from hwc.frontend.diagnostics import error_at
from hwc.frontend.scalar_operations import refusal
from hwc.frontend.signatures import wrong_signature

DIALECTS = ("arith", "math")


def is_elementwise(op: Operation) -> bool:
    """Whether `op` computes with elements: an operation of `arith` or `math`, not on `index`."""
    if op.name.partition(".")[0] not in DIALECTS:
        return False
    types = (value.type for value in (*op.operands, *op.results))
    return not any(isinstance(_element(type_), IndexType) for type_ in types)


def is_scalar(type_: Attribute) -> bool:
    """Whether `type_` is one of the machine's element types."""
    return element_type(type_) is not None


def check_elementwise(op: Operation) -> None:
    """Raise a located error unless hwc can compile `op`, an element-wise operation.

    Whether the machine has instructions for its types is checked later, together with all other
    scalar operations.
    """
    if problem := refusal(op.name):
        raise error_at(op, *problem)
    values = [(f"operand {i}", value) for i, value in enumerate(op.operands)]
    values += [(f"result {i}", value) for i, value in enumerate(op.results)]
    for what, value in values:
        is_read = isinstance(op, arith.ConstantOp) and is_read_elsewhere(value)
        if is_scalar(value.type) or is_read:
            continue
        # A number that is not an element is refused just as a tensor of such numbers is.
        number = isinstance(value.type, IntegerType | AnyFloat)
        type_ = TensorType(value.type, []) if number else value.type
        if problem := type_problem(type_, f"{what} of '{op.name}'"):
            raise error_at(op, *problem)
    check_well_formed(op)
    if isinstance(op, arith.ConstantOp) and op.result.type != _held(op):
        raise error_at(
            op,
            f"'{op.name}' holds {_held(op)} but its result is {op.result.type}",
            "the two types must be the same",
        )


def check_well_formed(op: Operation) -> None:
    """Raise a located error unless `op` conforms to its definition."""
    if problem := wrong_signature(op):
        raise error_at(op, *problem)
    with malformed(op):
        op.verify()


@contextmanager
def malformed(op: Operation) -> Iterator[None]:
    """Turn an error from the verification of `op` into a located error."""
    try:
        yield
    except VerifyException as error:
        reason = str(error).strip().splitlines()[-1]
        raise error_at(op, f"'{op.name}' is malformed: {reason}") from None


def _held(op: arith.ConstantOp) -> Attribute:
    return op.value.get_type()


def _element(type_: Attribute) -> Attribute:
    return type_.get_element_type() if isinstance(type_, TensorType) else type_
