"""Folds the conversions of constants whose types the machine does not have.

A program may hold weights in f16, for example, and convert them to f32 before it computes with
them; other tools write every constant as f64 or i64. Such constants are read only to be converted.
If another operator needs the constant in such a type, the constant stays, and `verify-tosa` refuses
that operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.attributes import conforms
from hwc.dialects.broadcastable import DYNAMIC
from hwc.dialects.constant_types import number_type
from hwc.dialects.elementwise_rules import check_well_formed
from hwc.dialects.size_rules import computes_sizes
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_conformance import check_conforming
from hwc.dialects.tosa_operation import TosaOperation, is_operator
from hwc.dialects.tosa_rules import check_attributes, reshaped
from hwc.dialects.upstream_casts import ROUNDING_MODES
from hwc.folding.constant import scalar_of
from hwc.folding.conversions import CONVERSIONS, can_convert, convert
from hwc.transforms.foreign_constants import constant_of, element_of, is_foreign

_MOVES = ("tosa.identity", "tosa.reshape")
"""Operators that keep the elements and their order."""


@dataclass(frozen=True)
class FoldConversions(ModulePass):
    """Fold conversions of constants of other types than the machine's, before `verify-tosa`."""

    name = "fold-conversions"
    checks_input: ClassVar[bool] = True

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether anything has a type that only constants may have."""
        return any(is_foreign(result) for op in module.walk() for result in op.results)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the operations, in order, and erase constants that nothing reads any more.

        Raises:
            LocatedError: a conversion is malformed, or not allowed in a conforming program.
        """
        conforming = False
        for inner in list(op.walk()):
            if isinstance(inner, FuncOp):
                conforming = conforms(inner)
            new = _folded(inner)
            if conforming and (new is not None or _is_foreign_constant(inner)):
                check_conforming(inner)
            if new is not None:
                _replace(inner, new)
        for inner in reversed(list(op.walk())):
            if _is_foreign_constant(inner) and not any(inner.results[0].uses):
                inner.detach()
                inner.erase()


def _is_foreign_constant(op: Operation) -> bool:
    return len(op.results) == 1 and is_foreign(op.results[0]) and _held(op.results[0]) is not None


def _held(value: SSAValue) -> Attribute | None:
    """Return the constant that `value` is, even if the type of `value` does not state its sizes."""
    owner = value.owner
    is_cast = isinstance(owner, tensor.CastOp) or is_operator(owner, "identity")
    if isinstance(owner, Block) or not is_cast or len(owner.operands) != 1:
        return constant_of(owner)
    held = constant_of(owner.operands[0].owner)
    if not isinstance(held, DenseIntOrFPElementsAttr):
        return None
    return held if _type_of(held.get_shape(), element_of(held.type), value.type) else None


def _folded(op: Operation) -> Attribute | None:
    """Return the constant that the result of `op` is, None if `op` stays."""
    if op.name not in CONVERSIONS and op.name not in _MOVES:
        return None
    if not op.operands or len(op.results) != 1:
        return None
    source, result = op.operands[0], op.results[0]
    held = _held(source)
    if held is None or not (is_foreign(source) or is_foreign(result)) or _is_size(op):
        return None
    if isinstance(op, TosaOperation):
        check_attributes(op)
    else:
        check_well_formed(op)
    if op.name in _MOVES:
        return _moved(op, held)
    return _converted(op, held) if len(op.operands) == 1 and not _is_directed(op) else None


def _is_size(op: Operation) -> bool:
    """Whether the host computes a size with `op`, a conversion of one integer."""
    return computes_sizes(op) and not isinstance(op.results[0].type, TensorType)


def _is_directed(op: Operation) -> bool:
    """Whether `op` asks for a rounding other than to nearest even."""
    mode = op.properties.get("roundingmode")
    return mode is not None and mode != StringAttr(ROUNDING_MODES[0])


def _moved(op: Operation, held: Attribute) -> Attribute | None:
    if not isinstance(held, DenseIntOrFPElementsAttr):
        return None
    shape = held.get_shape()
    if op.name == "tosa.reshape":
        assert isinstance(op, TosaOperation)
        shape = reshaped(op)
    elif len(op.operands) != 1:
        return None
    type_ = _type_of(shape, held.get_element_type(), op.results[0].type)
    if type_ is None:
        return None
    return DenseIntOrFPElementsAttr(cast("Any", type_), held.data)


def _type_of(shape: tuple[int, ...], element: Attribute, declared: Attribute) -> Attribute | None:
    """Return the type of a constant of `shape`, None if the constant does not fit `declared`."""
    if not isinstance(declared, TensorType) or declared.get_element_type() != element:
        return None
    sizes = declared.get_shape()
    fits = DYNAMIC not in shape and len(sizes) == len(shape)
    same = all(size in {DYNAMIC, own} for size, own in zip(sizes, shape, strict=False))
    return TensorType(element, shape) if fits and same else None


def _converted(op: Operation, held: Attribute) -> Attribute | None:
    result = op.results[0].type
    element = element_of(result)
    source, target = number_type(element_of(op.operands[0].type)), number_type(element)
    if source is None or target is None or not can_convert(source, target):
        return None
    how = CONVERSIONS[op.name]
    if isinstance(held, DenseIntOrFPElementsAttr):
        type_ = _type_of(held.get_shape(), element, result)
        if type_ is None:
            return None
        size = held.get_element_type().compile_time_size
        given = np.frombuffer(held.data.data, f"<u{size}")
        data = BytesAttr(convert(given, source, target, how).tobytes())
        return DenseIntOrFPElementsAttr(cast("Any", type_), data)
    if not isinstance(held, IntegerAttr | FloatAttr) or isinstance(result, TensorType):
        return None
    of_source = cast("IntegerType | AnyFloat", held.type)
    packed = of_source.pack([cast("Any", held.value.data)])
    given = np.frombuffer(packed, f"<u{of_source.compile_time_size}")
    return scalar_of(convert(given, source, target, how).tobytes(), element)


def _replace(op: Operation, held: Attribute) -> None:
    """Replace `op` with a constant of the type of its result."""
    old = op.results[0]
    if isinstance(op, TosaOperation):
        type_ = cast("DenseIntOrFPElementsAttr", held).type
        new: Operation = CLASSES["const"].create(result_types=[type_], properties={"values": held})
    else:
        new = arith.ConstantOp(cast("Any", held))
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    value = new.results[0]
    if value.type != old.type:
        if isinstance(op, TosaOperation):
            new = CLASSES["identity"].create(operands=[value], result_types=[old.type])
        else:
            new = tensor.CastOp(value, cast("TensorType[Attribute]", old.type))
        new.location = op.location
        block.insert_op_before(new, op)
        value = new.results[0]
    value.name_hint = old.name_hint
    old.replace_all_uses_with(value)
    op.detach()
    op.erase()
