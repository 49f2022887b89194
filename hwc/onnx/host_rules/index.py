"""Operators that read or write elements by index."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size


def _gather(use: Use) -> Results:
    sizes, places = use.given(0, 1), use.given(1)
    axis = use.axis(len(sizes), 0)
    use.indices(1, sizes[axis])
    return ((*sizes[:axis], *places, *sizes[axis + 1 :]),)


def _along(use: Use) -> tuple[Sizes, Sizes]:
    """Check indices of one dimension, of the same rank as the data and not larger elsewhere."""
    sizes = use.given(0, 1)
    places = use.given(1, len(sizes), len(sizes))
    axis = use.axis(len(sizes), 0)
    for dimension, (own, size) in enumerate(zip(places, sizes, strict=True)):
        if dimension != axis:
            use.write.at_most(own, size, f"in dimension {dimension} of the indices")
    use.indices(1, sizes[axis])
    return sizes, places


def _gather_elements(use: Use) -> Results:
    return (_along(use)[1],)


def _scatter_elements(use: Use) -> Results:
    sizes, places = _along(use)
    use.same(places, use.given(2))
    return (sizes,)


def _coordinates(use: Use, first: int) -> int | None:
    """Check indices whose last dimension has a place in the dimensions of the data from `first`.

    Returns how many dimensions a place has; None if only a call knows.
    """
    sizes, places = use.given(0, 1), use.given(1, 1)
    count = places[-1]
    most = len(sizes) - first
    use.write.at_most(count, most, "in the last dimension of the indices")
    if not isinstance(count, int):
        return None
    for column in range(count):
        use.indices(1, sizes[first + column], column=column)
    return count


def _gather_nd(use: Use) -> Results:
    sizes, places = use.given(0, 1), use.given(1, 1)
    batches = use.integer("batch_dims", 0)
    if not 0 <= batches < min(len(sizes), len(places)):
        use.refuse(
            f"has batch_dims = {batches}, expected less than the ranks {len(sizes)} and "
            f"{len(places)} of its inputs"
        )
    for dimension in range(batches):
        use.write.equal(sizes[dimension], places[dimension], dimension=dimension)
    count = _coordinates(use, batches)
    return (None if count is None else (*places[:-1], *sizes[batches + count :]),)


def _scatter_nd(use: Use) -> Results:
    sizes, places = use.given(0, 1), use.given(1, 1)
    count = _coordinates(use, 0)
    if count is not None:
        wanted = (*places[:-1], *sizes[count:])
        updates = use.given(2, len(wanted), len(wanted))
        for dimension, (own, size) in enumerate(zip(updates, wanted, strict=True)):
            use.write.equal(own, size, about=f"in dimension {dimension} of the updates")
    return (sizes,)


def _one_hot(use: Use) -> Results:
    """A new dimension of size `depth`; an index beyond it is not on anywhere."""
    places = use.given(0)
    use.single(1, "depth")
    use.write.equal(use.given(2, 1, 1)[0], 2, about="in the number of values")
    axis = use.axis(len(places) + 1, -1)
    depth = use.values(1)
    if depth is None:
        return (None,)
    size = use.write.size(depth[0], "in its depth")
    return ((*places[:axis], size, *places[axis:]),)


def _top_k(use: Use) -> Results:
    """K is an attribute before opset 10."""
    sizes = use.given(0, 1)
    axis = use.axis(len(sizes), -1)
    if use.version < 10:  # noqa: PLR2004 - as above
        wanted: Sizes | None = (use.integer("k", -1),)
    else:
        use.vector(1, 1, "k")
        wanted = use.values(1)
    if wanted is None:
        return (None, None)
    (count,) = wanted
    size: Size = use.write.size(count, "in k")
    use.write.at_most(size, sizes[axis], f"for k, along dimension {axis}")
    return ((*sizes[:axis], size, *sizes[axis + 1 :]),) * use.results


def _compress(use: Use) -> Results:
    """Only the data say how many elements stay."""
    sizes = use.given(0)
    if "axis" in use.attributes:
        use.axis(len(sizes))
    use.given(1, 1, 1)
    return (None,)


def _loss(use: Use) -> Results:
    """Scores N x C x d1 ..., labels N x d1 ..., weights C."""
    scores = use.given(0, 2)
    wanted = (scores[0], *scores[2:])
    labels = use.given(1, len(wanted), len(wanted))
    for dimension, (own, size) in enumerate(zip(labels, wanted, strict=True)):
        use.write.equal(own, size, about=f"in dimension {dimension} of the labels")
    use.vector(2, scores[1], "the weights")
    loss = labels if use.word("reduction", "mean") == "none" else ()
    return (loss, scores)[: use.results]


def _non_max_suppression(use: Use) -> Results:
    """Boxes B x N x 4, scores B x C x N; only the data say how many boxes are selected."""
    boxes, scores = use.given(0, 3, 3), use.given(1, 3, 3)
    use.write.equal(boxes[0], scores[0], about="in the batches of boxes and scores")
    use.write.equal(boxes[1], scores[2], about="in the number of boxes")
    use.write.equal(boxes[2], 4, about="in dimension 2 of the boxes")
    return (None,)


RULES: Mapping[str, Rule] = {
    "Compress": _compress,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "NegativeLogLikelihoodLoss": _loss,
    "NonMaxSuppression": _non_max_suppression,
    "OneHot": _one_hot,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "SoftmaxCrossEntropyLoss": _loss,
    "TopK": _top_k,
}
