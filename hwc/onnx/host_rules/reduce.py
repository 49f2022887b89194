"""Operators that work along dimensions: reductions, normalisations, cumulative sums."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size


def _reduced(use: Use, axes: list[int], *, keep: bool) -> Results:
    sizes = use.given(0)
    if keep:
        return (tuple(1 if axis in axes else size for axis, size in enumerate(sizes)),)
    return (tuple(size for axis, size in enumerate(sizes) if axis not in axes),)


def _reduce(use: Use) -> Results:
    """Axes are an attribute, or an input in newer opsets; without axes, all are reduced."""
    rank = len(use.given(0))
    if use.optional(1) is not None:
        use.given(1, 1, 1)
        stated = use.static(1)
        if stated is None:
            return (None,)
    else:
        stated = [*use.attributes.get("axes", ())]
    axes = use.axes(stated, rank, distinct=False)
    if not axes and not use.integer("noop_with_empty_axes", 0):
        axes = [*range(rank)]
    return _reduced(use, axes, keep=bool(use.integer("keepdims", 1)))


def _arg(use: Use) -> Results:
    """An empty dimension has no largest element."""
    sizes = use.given(0)
    axis = use.axis(max(len(sizes), 1), 0)
    if sizes:
        use.positive(sizes[axis], f"along dimension {axis}")
    return _reduced(use, [axis], keep=bool(use.integer("keepdims", 1)))


def _softmax(use: Use) -> Results:
    sizes = use.given(0)
    if sizes:
        use.axis(len(sizes), -1 if use.version >= 13 else 1)  # noqa: PLR2004 - as ONNX's versions
    return (sizes,)


def _along(use: Use) -> Results:
    sizes = use.given(0)
    use.axis(max(len(sizes), 1), -1)
    return (sizes,)


def _cumulative(use: Use) -> Results:
    """The axis is an input."""
    sizes = use.given(0, 1)
    use.single(1, "axis")
    for axis in use.values(1) or ():
        rank = len(sizes)
        if isinstance(axis, int):
            use.dimension(axis, rank)
        else:
            use.write.within(axis, -rank, rank - 1, "in its axis")
    return (sizes,)


def _batch_normalization(use: Use) -> Results:
    """Scale, bias, mean and variance have an element for each channel."""
    sizes = use.given(0, 1)
    channels: Size = sizes[1] if len(sizes) > 1 else 1
    for number, what in ((1, "scale"), (2, "bias"), (3, "mean"), (4, "variance")):
        use.vector(number, channels, f"the {what}")
    return (sizes, *((channels,),) * (use.results - 1))


def _instance_normalization(use: Use) -> Results:
    sizes = use.given(0, 3)
    for number, what in ((1, "scale"), (2, "bias")):
        use.vector(number, sizes[1], f"the {what}")
    return (sizes,)


def _group_normalization(use: Use) -> Results:
    """Scale and bias have an element for each channel, for each group before opset 21."""
    sizes = use.given(0, 3)
    groups = use.integer("num_groups", 0)
    if groups < 1:
        use.refuse(f"has num_groups = {groups}, expected at least 1")
    use.write.multiple(sizes[1], groups, "in the channels")
    channels: Size = sizes[1] if use.version >= 21 else groups  # noqa: PLR2004 - scale and bias of channels since opset 21
    for number, what in ((1, "scale"), (2, "bias")):
        use.vector(number, channels, f"the {what}")
    return (sizes,)


def _layer_normalization(use: Use) -> Results:
    """Scale and bias broadcast to the dimensions from `axis`; mean and deviation have 1 there."""
    sizes = use.given(0, 1)
    axis = use.axis(len(sizes), -1)
    for number in (1, 2):
        use.fits(number, sizes)
    others = (*sizes[:axis], *(1,) * (len(sizes) - axis))
    return (sizes, others, others)[: use.results]


def _lrn(use: Use) -> Results:
    if (size := use.integer("size", 0)) < 1:
        use.refuse(f"has size = {size}, expected at least 1")
    return (use.given(0, 3),)


def _over_axes(use: Use) -> Results:
    sizes = use.given(0)
    use.axes(use.attributes.get("axes", (0, 2, 3)), len(sizes))
    return (sizes,)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax"),
            *("ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
        ),
        _reduce,
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), _arg),
    **dict.fromkeys(("CumProd", "CumSum"), _cumulative),
    **dict.fromkeys(("Hardmax", "LogSoftmax", "Softmax"), _softmax),
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "InstanceNormalization": _instance_normalization,
    "LRN": _lrn,
    "LayerNormalization": _layer_normalization,
    "LpNormalization": _along,
    "MeanVarianceNormalization": _over_axes,
    "RMSNormalization": _layer_normalization,
}
