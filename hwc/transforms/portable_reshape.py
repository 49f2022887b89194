"""A reshape in upstream operations: a collapse to one dimension, then an expansion."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.ir import SSAValue

from hwc.dialects.broadcastable import DYNAMIC, Shape
from hwc.transforms.portable_builder import Builder, grouping, like, shape_of


def reshape(
    value: SSAValue, wanted: Shape, given: Sequence[SSAValue], inferred: int | None, build: Builder
) -> SSAValue:
    """Return `value` in the shape `wanted`; a cast asserts the sizes known only at run time.

    `given` are the dynamic sizes of `wanted` in order, without the size of dimension `inferred`.
    """
    # Equal types may have different sizes if two are dynamic, or if one is dynamic and one is 0.
    if shape_of(value) == wanted and wanted.count(DYNAMIC) < 1 + (0 not in wanted):
        return value
    if not wanted:
        return _collapse(_cast(value, (1,) * len(shape_of(value)), build), (), [], build)
    if not shape_of(value):
        value = _one_element(value, build)
    value = _flat(value, build)
    if len(wanted) == 1:
        return _cast(value, wanted, build)
    sizes = list(given)
    if inferred is not None:
        count = build.dim(value, 0)
        rest = build.index(math.prod(size for size in wanted if size != DYNAMIC))
        for size in given:
            rest = build.add(arith.MuliOp(rest, size))
        position = wanted[:inferred].count(DYNAMIC)
        sizes.insert(position, build.add(arith.DivUIOp(count, rest)))
    elif DYNAMIC not in wanted:
        value = _cast(value, (math.prod(wanted),), build)
    groups = grouping([[*range(len(wanted))]])
    return build.add(tensor.ExpandShapeOp(value, sizes, groups, wanted, like(value, wanted)))


def _one_element(value: SSAValue, build: Builder) -> SSAValue:
    """Return a rank-0 tensor as a rank-1 tensor; xDSL cannot expand a tensor of rank 0."""
    type_ = like(value, (1,))
    element = build.add(tensor.ExtractOp(value, [], type_.get_element_type()))
    return build.add(tensor.FromElementsOp.create(operands=[element], result_types=[type_]))


def _flat(value: SSAValue, build: Builder) -> SSAValue:
    source = shape_of(value)
    if len(source) == 1:
        return value
    length = DYNAMIC if DYNAMIC in source else math.prod(source)
    return _collapse(value, (length,), [[*range(len(source))]], build)


def _collapse(
    value: SSAValue, wanted: Shape, groups: Sequence[Sequence[int]], build: Builder
) -> SSAValue:
    return build.add(
        tensor.CollapseShapeOp.create(
            operands=[value],
            result_types=[like(value, wanted)],
            properties={"reassociation": grouping(groups)},
        )
    )


def _cast(value: SSAValue, wanted: Shape, build: Builder) -> SSAValue:
    type_ = like(value, wanted)
    return value if value.type == type_ else build.add(tensor.CastOp(value, type_))
