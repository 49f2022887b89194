"""Replaces comparisons of widened numbers with comparisons of the original numbers.

torch-mlir writes the comparison of an f32 tensor with a number as an f64 comparison: it casts the
tensor, and the machine has no f64. A cast to a wider type keeps every number, so the pass compares
the uncast tensor instead, with the constant in the tensor's type. If that type cannot represent the
constant, the comparison stays, and `verify-tosa` refuses the cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.attributes import conforms
from hwc.dialects.constant_types import number_type
from hwc.dialects.element_types import element_type
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import is_operator
from hwc.dialects.tosa_rules import check_attributes
from hwc.folding.conversions import CONVERSIONS, can_convert, convert
from hwc.transforms.foreign_constants import constant_of, element_of, is_foreign

_COMPARISONS = ("tosa.equal", "tosa.greater", "tosa.greater_equal")


@dataclass(frozen=True)
class NarrowComparisons(ModulePass):
    """Compare numbers as they were before they were widened, before `verify-tosa`."""

    name = "narrow-comparisons"
    checks_input: ClassVar[bool] = True

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether numbers are compared in a type that the machine does not have."""
        return any(map(_is_wide, module.walk()))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Narrow comparisons, but not in a program of TOSA 1.0, which has no such type.

        Raises:
            LocatedError: a cast before a comparison is malformed.
        """
        for function in op.walk():
            if isinstance(function, FuncOp) and not conforms(function):
                for inner in filter(_is_wide, list(function.walk())):
                    _narrow(inner)


def _is_wide(op: Operation) -> bool:
    return op.name in _COMPARISONS and any(map(is_foreign, op.operands))


def _narrow(op: Operation) -> None:
    """Compare the numbers before their casts, if all operands are such numbers or constants."""
    before = list(op.operands)
    sources = [_widened(value) for value in before]
    types = {element_of(source.type) for source in sources if source is not None}
    if len(types) != 1:
        return
    (type_,) = types
    after: list[SSAValue] = []
    constants: list[Operation] = []
    for value, source in zip(before, sources, strict=True):
        if source is None:
            held = _narrowed(value, type_)
            if held is None:
                return
            new = CLASSES["const"].create(result_types=[held.type], properties={"values": held})
            new.location = op.location
            constants.append(new)
            source = new.results[0]  # noqa: PLW2901 - what is compared either way
        after.append(source)
    assert op.parent is not None
    op.parent.insert_ops_before(constants, op)
    op.operands = after
    for old in dict.fromkeys(value.owner for value in before):
        if isinstance(old, Operation) and not old.results[0].uses:
            old.detach()
            old.erase()


def _widened(value: SSAValue) -> SSAValue | None:
    """Return the source of the cast that made `value`, if the machine has its type, else None."""
    cast_op = value.owner
    if not is_operator(cast_op, "cast") or len(cast_op.operands) != 1 or not is_foreign(value):
        return None
    source = cast_op.operands[0]
    narrow, wide = element_of(source.type), element_of(value.type)
    before, after = number_type(narrow), number_type(wide)
    if before is None or after is None or element_type(narrow) is None:
        return None
    # Booleans are not numbers: only comparisons for all types accept them.
    if before.kind != after.kind or not 1 < before.bits < after.bits:
        return None
    # A cast that says more about the sizes also checks the sizes.
    if not isinstance(source.type, TensorType) or value.type != TensorType(
        wide, source.type.get_shape(), source.type.encoding
    ):
        return None
    check_attributes(cast_op)
    return source


def _narrowed(value: SSAValue, type_: Attribute) -> DenseIntOrFPElementsAttr | None:
    """Return a constant in another type, None unless `value` is a constant that `type_` holds."""
    held = constant_of(value.owner)
    source, target = number_type(element_of(value.type)), number_type(type_)
    if not isinstance(held, DenseIntOrFPElementsAttr) or source is None or target is None:
        return None
    if not can_convert(source, target) or not can_convert(target, source):
        return None
    how = CONVERSIONS["tosa.cast"]
    given = np.frombuffer(held.data.data, f"<u{held.get_element_type().compile_time_size}")
    narrow = convert(given, source, target, how)
    if not np.array_equal(convert(narrow, target, source, how), given):
        return None
    new_type = cast("Any", TensorType(type_, held.get_shape()))
    return DenseIntOrFPElementsAttr(new_type, BytesAttr(narrow.tobytes()))
