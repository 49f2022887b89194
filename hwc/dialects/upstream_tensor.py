"""Upstream's `tensor` dialect as mlir-opt 22 has it, with dynamic sizes in every reshape.

xDSL has most of the dialect. But its `tensor.reshape` compares unknown numbers of elements, its
`tensor.expand_shape` takes no tensor of rank 0, its `tensor.cast` may change the element type, and
its `tensor.from_elements` takes any number of elements. These operations are defined again here,
with the same properties. A `verify_` here replaces xDSL's verification, so it also checks operands
and properties.
"""

from __future__ import annotations

import math

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.utils.exceptions import VerifyException

Groups = ArrayAttr[ArrayAttr[IntegerAttr]]


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _check_elements(source: SSAValue, result: SSAValue) -> None:
    types = [value.type for value in (source, result)]
    if len({type_.get_element_type() for type_ in types if isinstance(type_, TensorType)}) > 1:
        raise VerifyException("operand and result have different element types")


def _check_group(sizes: tuple[int, ...], one: int) -> None:
    """Check that the product of the sizes of a group can be the size `one`."""
    if DYNAMIC not in (*sizes, one) and math.prod(sizes) != one:
        listed = "x".join(map(str, sizes))
        raise VerifyException(f"dimensions of sizes {listed} cannot be one of size {one}")


def _check_groups(groups: Attribute, many: SSAValue, few: SSAValue) -> None:
    """Check the groups of dimensions of `many`; each group is one dimension of `few`."""
    _check_elements(many, few)
    listed = groups_of(groups)
    sizes, joined = _shape(many), _shape(few)
    if not joined and not listed:
        _check_group(sizes, 1)
        return
    if len(listed) != len(joined) or [i for group in listed for i in group] != list(
        range(len(sizes))
    ):
        raise VerifyException("the groups are not the dimensions in order, one group for each")
    for group, one in zip(listed, joined, strict=True):
        _check_group(tuple(sizes[i] for i in group), one)


def groups_of(groups: Attribute) -> list[list[int]]:
    """Return the groups of dimensions in a `reassociation`."""
    assert isinstance(groups, ArrayAttr)
    listed: list[list[int]] = []
    for group in groups.data:
        if not isinstance(group, ArrayAttr):
            raise VerifyException("a group is a list of dimensions")
        axes = [axis.value.data for axis in group.data if isinstance(axis, IntegerAttr)]
        if not axes or len(axes) != len(group.data):
            raise VerifyException("a group is a list of dimensions, at least one")
        listed.append(axes)
    return listed


class CastOp(tensor.CastOp):
    """A tensor with a type that states more or fewer of its sizes."""

    def verify_(self) -> None:
        """Check the types."""
        super().verify_()
        _check_elements(self.source, self.dest)


class FromElementsOp(tensor.FromElementsOp):
    """A tensor of the given elements, in row-major order."""

    def verify_(self) -> None:
        """Check the number of elements."""
        shape = _shape(self.result)
        if DYNAMIC in shape:
            raise VerifyException("the result has dynamic sizes, expected the number of elements")
        if len(self.elements) != math.prod(shape):
            raise VerifyException(
                f"expected an element for each of the result ({math.prod(shape)}), got "
                f"{len(self.elements)}"
            )


class ReshapeOp(tensor.ReshapeOp):
    """The elements of a tensor in the shape that another tensor holds."""

    def verify_(self) -> None:
        """Check the types."""
        self.get_irdl_definition().verify(self)
        _check_elements(self.source, self.result)
        length = _shape(self.shape)
        if len(length) != 1 or length[0] != len(_shape(self.result)):
            raise VerifyException("the shape is a tensor with a size for each dimension")
        shapes = (_shape(self.source), _shape(self.result))
        if not any(DYNAMIC in shape for shape in shapes) and math.prod(shapes[0]) != math.prod(
            shapes[1]
        ):
            raise VerifyException("operand and result have different numbers of elements")


class ExpandShapeOp(tensor.ExpandShapeOp):
    """A tensor with each dimension split into a group of dimensions."""

    def verify_(self) -> None:
        """Check the groups and the sizes."""
        self.get_irdl_definition().verify(self)
        _check_groups(self.reassociation, self.result, self.src)
        static = tuple(self.static_output_shape.get_values())
        if static != _shape(self.result):
            raise VerifyException("the output shape is not the shape of the result's type")
        if len(self.dynamic_output_shape) != static.count(DYNAMIC):
            raise VerifyException("the output shape has an operand for each dynamic size")


class CollapseShapeOp(tensor.CollapseShapeOp):
    """A tensor with each group of dimensions joined into one dimension."""

    def verify_(self) -> None:
        """Check the groups."""
        self.get_irdl_definition().verify(self)
        _check_groups(self.reassociation, self.src, self.result)


class EmptyOp(tensor.EmptyOp):
    """A tensor that nothing has written; it gives its writer the sizes."""

    def verify_(self) -> None:
        """Check the number of sizes."""
        self.get_irdl_definition().verify(self)
        dynamic = _shape(self.tensor).count(DYNAMIC)
        if len(self.dynamic_sizes) != dynamic:
            raise VerifyException(
                f"expected a size for each '?' of the type ({dynamic}), got "
                f"{len(self.dynamic_sizes)}"
            )


Tensor = Dialect(
    "tensor",
    [
        tensor.DimOp,
        tensor.ExtractOp,
        tensor.SplatOp,
        CastOp,
        CollapseShapeOp,
        EmptyOp,
        ExpandShapeOp,
        FromElementsOp,
        ReshapeOp,
    ],
)
"""The operations that a program may have; the parser refuses the others."""
