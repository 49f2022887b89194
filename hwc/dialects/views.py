"""Views: tensors in another shape, without moving elements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.broadcastable import DYNAMIC, BroadcastError, infer_shape
from hwc.dialects.building import string_attr
from hwc.dialects.shared_attributes import one_attribute

TABLE_SIZES: Mapping[str, int] = {"i8": 256, "i16": 513}
"""The entries of a table, by their element type."""

SOURCE = "source"
"""Attribute with the name of the source operation, whose location the new operations have."""


def source_of(op: Operation) -> str:
    """Return the name of the source operation that `op` was made from."""
    name = op.attributes.get(SOURCE)
    return name.data if isinstance(name, StringAttr) else op.name


def set_source(op: Operation, name: str) -> None:
    """Note the name of the source operation that `op` is made from."""
    if op.attributes:
        op.attributes = {**op.attributes, SOURCE: string_attr(name)}
    else:
        op.attributes = one_attribute(SOURCE, string_attr(name))


def _tensor(value: SSAValue) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """All `inputs` in their common shape: result i is input i, broadcast to that shape.

    At dispatch the sizes of a dimension must be equal or 1; the hardware then repeats a size of 1.
    With `strict`, dynamic sizes never expand; only a static 1 does.
    """

    name = "hwc.broadcast"

    inputs = var_operand_def(TensorType)
    views = var_result_def(TensorType)
    strict = opt_prop_def(UnitAttr)

    traits = traits_def(Pure())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        strict: bool = False,
    ) -> None:
        """Build the views of `inputs`."""
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"strict": UnitAttr() if strict else None},
        )

    def verify_(self) -> None:
        """Check that every view is its input in the common shape."""
        if len(self.inputs) != len(self.views) or not self.inputs:
            raise VerifyException("hwc.broadcast gives one view per input")
        types = [_tensor(value) for value in self.inputs]
        try:
            shape = infer_shape([type_.get_shape() for type_ in types])
        except BroadcastError as error:
            raise VerifyException(
                f"inputs do not broadcast in dimension {error.dimension}"
            ) from None
        for type_, view in zip(types, map(_tensor, self.views), strict=True):
            if view.get_shape() != shape:
                raise VerifyException(f"{view} is not the common shape of the inputs")
            if view.get_element_type() != type_.get_element_type():
                raise VerifyException("a view has the element type of its input")


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The elements of `input`, in the same order, in a shape with the same number of elements.

    `sizes` are the dynamic sizes of the result, in order. At most one is left out, because the
    number of elements determines it: the size of dimension `inferred`. `inferred` is not written if
    that dimension is the only dynamic one. The dispatch checks that both shapes have the same
    number of elements.
    """

    name = "hwc.reshape"

    input = operand_def(TensorType)
    sizes = var_operand_def(IndexType)
    view = result_def(TensorType)
    inferred = opt_prop_def(IntegerAttr)

    traits = traits_def(Pure())

    def __init__(
        self,
        input: SSAValue,  # noqa: A002
        result_type: Attribute,
        sizes: Sequence[SSAValue] = (),
        inferred: int | None = None,
    ) -> None:
        """Build the view of `input`."""
        super().__init__(
            operands=[input, sizes],
            result_types=[result_type],
            properties={"inferred": None if inferred is None else IntegerAttr(inferred, i64)},
        )

    @property
    def inferred_dimension(self) -> int | None:
        """The dimension whose size the number of elements determines, if there is one."""
        dynamic = [i for i, size in enumerate(_tensor(self.view).get_shape()) if size == DYNAMIC]
        if self.inferred is not None:
            return self.inferred.value.data
        return dynamic[0] if len(dynamic) == 1 and not self.sizes else None

    def verify_(self) -> None:
        """Check element type, number of sizes and, where all are static, of elements."""
        source, result = _tensor(self.input), _tensor(self.view)
        if source.get_element_type() != result.get_element_type():
            raise VerifyException("a view has the element type of its input")
        shapes = (source.get_shape(), result.get_shape())
        dynamic = [i for i, size in enumerate(shapes[1]) if size == DYNAMIC]
        inferred = self.inferred_dimension
        if inferred is not None and inferred not in dynamic:
            raise VerifyException("the inferred size of a reshape is a dynamic one")
        if len(self.sizes) != len(dynamic) - (inferred is not None):
            raise VerifyException(
                "a reshape has an operand for each dynamic size; at most one size is inferred"
            )
        if not any(DYNAMIC in shape for shape in shapes) and math.prod(shapes[0]) != math.prod(
            shapes[1]
        ):
            raise VerifyException("a reshape keeps the number of elements")


@irdl_op_definition
class TableOp(IRDLOperation):
    """A table as one scalar, its first entry, by which `hwc.lookup` and `hwc.interpolate` name it.

    `table` is a list of 256 entries of i8 or of 513 of i16.
    """

    name = "hwc.table"

    table = operand_def(TensorType)
    view = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, table: SSAValue) -> None:
        """Build the scalar that stands for `table`."""
        result_type = TensorType(_tensor(table).get_element_type(), [])
        super().__init__(operands=[table], result_types=[result_type])

    def verify_(self) -> None:
        """Check the types."""
        verify_table(_tensor(self.table), _tensor(self.view))


def verify_table(table: TensorType, view: TensorType) -> None:
    """Check the types of a table and of the scalar that stands for it."""
    size = TABLE_SIZES.get(str(table.get_element_type()))
    if size is None or table.get_shape() not in ((size,), (DYNAMIC,)):
        sizes = " or ".join(f"tensor<{n}x{name}>" for name, n in TABLE_SIZES.items())
        raise VerifyException(f"a table is {sizes}")
    if view != TensorType(table.get_element_type(), []):
        raise VerifyException("a table gives a scalar of its element type")


OPERATIONS = [BroadcastOp, ReshapeOp, TableOp]
