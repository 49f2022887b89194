"""Random nodes of ONNX operators whose sizes fit, by family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from e2e.support.onnx_compute import (
    arg,
    attention,
    conv,
    conv_transpose,
    cumulative,
    einsum,
    gemm,
    integer_conv,
    matmul,
    matmul_integer,
    norm,
    pool,
    recurrent,
    reduce_,
    softmax,
)
from e2e.support.onnx_node import Case, Rng, floats, ints, pick, sizes


def slice_(rng: Rng) -> Case:
    rank = int(rng.integers(1, 5))
    shape = sizes(rng, rank, 0, 7)
    count = int(rng.integers(1, rank + 1))
    axes = [int(a) - pick(rng, 0, rank) for a in rng.permutation(rank)[:count]]
    ends = (-(2**63), 2**63 - 1, 2**31 - 1, -(2**31))
    starts, stops = (
        [int(pick(rng, *rng.integers(-9, 10, 4), *ends[:1], 0)) for _ in range(count)]
        for _ in range(2)
    )
    stops = [pick(rng, s, s, s, ends[1], ends[2], ends[3]) for s in stops]
    if rng.random() < 0.15:
        attributes = {"starts": starts, "ends": stops, "axes": axes}
        return Case("Slice", (floats(*shape),), attributes, version=9)
    steps = [int(pick(rng, 1, 1, 1, 2, 3, -1, -2, -3)) for _ in range(count)]
    given = [ints(*starts), ints(*stops)]
    if rng.random() < 0.8:
        given += [ints(*axes)]
        given += [ints(*steps)] if rng.random() < 0.6 else []
    constant = pick(rng, frozenset(range(1, 5)), frozenset({3, 4}), frozenset({1, 3, 4}))
    return Case("Slice", (floats(*shape), *given), constant=constant, version=13)


def split(rng: Rng) -> Case:
    rank = int(rng.integers(1, 4))
    shape, axis = sizes(rng, rank), int(rng.integers(rank))
    count = int(rng.integers(1, 4))
    parts = sizes(rng, count, 0, 4)
    form = pick(rng, "input", "attribute", "equal", "num_outputs")
    attributes = {"axis": axis - pick(rng, 0, rank)}
    shape[axis] = sum(parts)
    if form == "input":
        known = frozenset({1}) if rng.random() < 0.5 else frozenset()
        return Case("Split", (floats(*shape), ints(*parts)), attributes, known, 13, count)
    if form == "attribute":
        attributes["split"] = parts
        return Case("Split", (floats(*shape),), attributes, version=11, results=count)
    if form == "equal":
        shape[axis] = count * int(rng.integers(1, 3))
        return Case(
            "Split", (floats(*shape),), attributes, version=pick(rng, 11, 13), results=count
        )
    shape[axis] = count * 2 + int(rng.integers(-1, 2)) * (count > 1)
    attributes["num_outputs"] = count
    return Case("Split", (floats(*shape),), attributes, version=18, results=count)


def pad(rng: Rng) -> Case:
    rank = int(rng.integers(1, 5))
    shape = sizes(rng, rank, 3, 7)
    mode = pick(rng, "constant", "constant", "edge", "reflect", "wrap")
    low = -1 if mode == "constant" else 0
    attributes = {"mode": mode} if mode != "constant" or rng.random() < 0.3 else {}
    version = pick(rng, 13, 18, 19, 21, 10) if mode != "wrap" else 19
    if version == 10:
        return Case(
            "Pad",
            (floats(*shape),),
            attributes | {"pads": sizes(rng, 2 * rank, low, 3)},
            version=10,
        )
    axes = None
    if version >= 18 and rng.random() < 0.4:
        axes = ints(*[int(a) for a in rng.permutation(rank)[: rng.integers(1, rank + 1)]])
    pads = ints(*sizes(rng, 2 * (rank if axes is None else len(axes)), low, 3))
    known = pick(rng, frozenset({1, 3}), frozenset({3}))
    value = floats() if mode == "constant" and rng.random() < 0.4 else None
    inputs = (floats(*shape), pads, value, *([] if axes is None else [axes]))
    return Case("Pad", inputs, attributes, known, version)


def reshape(rng: Rng) -> Case:
    shape = sizes(rng, int(rng.integers(1, 5)), 0, 5)
    form = pick(rng, "flat", "merge", "infer", "zero", "split")
    attributes = {}
    if form == "flat":
        target = [int(np.prod(shape))]
    elif form == "merge":
        target = [shape[0], int(np.prod(shape[1:]))]
    elif form == "infer":
        target = [pick(rng, 0, shape[0] or 1), -1]
    elif form == "zero":
        target = [0] * len(shape)
        if rng.random() < 0.3:
            attributes["allowzero"] = 1
    else:
        target = [1, *shape, 1]
    known = pick(rng, frozenset({1}), frozenset())
    return Case("Reshape", (floats(*shape), ints(*target)), attributes, known)


def axes_form(operator: str) -> Callable[[Rng], Case]:
    def made(rng: Rng) -> Case:
        rank = int(rng.integers(1, 4))
        shape = sizes(rng, rank)
        total = rank if operator == "Squeeze" else rank + 2
        axes = [int(a) for a in rng.permutation(total)[: 1 if operator == "Squeeze" else 2]]
        if operator == "Squeeze":
            shape[axes[0]] = 1
        axes = [a - pick(rng, 0, total) for a in axes]
        if rng.random() < 0.3:
            return Case(operator, (floats(*shape),), {"axes": axes}, version=11)
        known = pick(rng, frozenset({1}), frozenset({1}), frozenset())
        return Case(operator, (floats(*shape), ints(*axes)), constant=known)

    return made


def concat(rng: Rng) -> Case:
    rank = int(rng.integers(1, 4))
    axis = int(rng.integers(rank))
    shape = sizes(rng, rank, 0)
    parts = []
    for _ in range(int(rng.integers(1, 4))):
        own = list(shape)
        own[axis] = int(rng.integers(0, 4))
        parts.append(floats(*own))
    return Case("Concat", tuple(parts), {"axis": axis - pick(rng, 0, rank)})


def simple_move(rng: Rng) -> Case:
    operator = pick(
        rng, "Transpose", "Flatten", "DepthToSpace", "SpaceToDepth", "Trilu", "EyeLike", "Shape"
    )
    rank = int(rng.integers(2, 5))
    shape = sizes(rng, rank)
    if operator == "Transpose":
        return Case(operator, (floats(*shape),), {"perm": [int(p) for p in rng.permutation(rank)]})
    if operator == "Flatten":
        return Case(operator, (floats(*shape),), {"axis": int(rng.integers(-rank, rank + 1))})
    if operator == "EyeLike":
        return Case(operator, (floats(*shape[:2]),))
    if operator == "Trilu":
        return Case(operator, (floats(*shape), np.array(1)))
    if operator == "Shape":
        return Case(
            operator,
            (floats(*shape),),
            {"start": int(rng.integers(-6, 6)), "end": int(rng.integers(-6, 6))},
            version=15,
        )
    block = int(rng.integers(1, 4))
    n, c, h, w = sizes(rng, 4, 1, 4)
    if operator == "DepthToSpace":
        return Case(operator, (floats(n, c * block * block, h, w),), {"blocksize": block})
    return Case(operator, (floats(n, c, h * block, w * block),), {"blocksize": block})


def by_values(rng: Rng) -> Case:
    operator = pick(
        rng, "Expand", "Tile", "ConstantOfShape", "Range", "OneHot", "TopK", "CenterCropPad"
    )
    rank = int(rng.integers(1, 4))
    shape = sizes(rng, rank)
    known = pick(rng, frozenset({0, 1, 2}), frozenset({0}), frozenset())
    x = floats(*shape)
    if operator == "Expand":
        target = [pick(rng, 1, s) for s in shape][int(rng.integers(rank)) :]
        own = [pick(rng, 1, s) for s in shape]
        return Case(operator, (floats(*own), ints(*target)), constant=known - {0})
    if operator == "Tile":
        return Case(operator, (x, ints(*sizes(rng, rank, 0, 4))), constant=known - {0})
    if operator == "ConstantOfShape":
        return Case(operator, (ints(*sizes(rng, rank, 0, 4)),), constant=frozenset())
    if operator == "Range":
        values = (int(rng.integers(-5, 6)), int(rng.integers(-5, 6)), pick(rng, 1, 2, -1, -3))
        return Case(
            operator,
            tuple(np.array(v) for v in values),
            constant=pick(rng, frozenset({2}), frozenset({0, 2}), frozenset()),
        )
    if operator == "OneHot":
        axis = int(rng.integers(-rank - 1, rank + 1))
        inputs = (np.ones(shape, np.int64), np.array(int(rng.integers(1, 5))), floats(2))
        return Case(operator, inputs, {"axis": axis}, constant=known - {0, 2})
    if operator == "TopK":
        axis = int(rng.integers(rank))
        k = ints(int(rng.integers(0, shape[axis] + 1)))
        return Case(operator, (x, k), {"axis": axis - pick(rng, 0, rank)}, known - {0}, results=2)
    return Case(operator, (x, ints(*sizes(rng, rank, 1, 6))), constant=known - {0})


def indexed(rng: Rng) -> Case:
    operator = pick(rng, "Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND")
    rank = int(rng.integers(1, 4))
    shape = sizes(rng, rank)
    axis = int(rng.integers(rank))
    known = pick(rng, frozenset({1}), frozenset())
    x = floats(*shape)
    size = shape[axis]
    if operator == "Gather":
        places = rng.integers(-size, size, sizes(rng, int(rng.integers(0, 3)), 1, 4))
        places = np.asarray(places, pick(rng, np.int64, np.int32))
        return Case(operator, (x, places), {"axis": axis - pick(rng, 0, rank)}, known)
    if operator in ("GatherElements", "ScatterElements"):
        own = [int(rng.integers(1, s + 1)) for s in shape]
        own[axis] = (
            int(rng.integers(1, 4))
            if operator == "GatherElements"
            else int(rng.integers(1, size + 1))
        )
        places = rng.integers(-size, size, own)
        rest = () if operator == "GatherElements" else (floats(*own),)
        return Case(operator, (x, places, *rest), {"axis": axis}, known, 18)
    batches = int(rng.integers(rank)) if operator == "GatherND" else 0
    depth = int(rng.integers(1, rank - batches + 1))
    head = [*shape[:batches], *sizes(rng, int(rng.integers(0 if batches else 1, 3)), 1, 4)]
    columns = [rng.integers(-s, s, head) for s in shape[batches : batches + depth]]
    places = np.stack(columns, -1).astype(np.int64)
    if operator == "GatherND":
        return Case(operator, (x, places), {"batch_dims": batches}, known)
    return Case(operator, (x, places, floats(*head, *shape[depth:])), constant=known, version=18)


def resize(rng: Rng) -> Case:
    shape = [*sizes(rng, 2, 1, 3), *sizes(rng, 2, 1, 7)]
    if rng.random() < 0.5:
        scales = np.array([1, 1, *(pick(rng, 0.5, 2, 1.5, 0.6, 3) for _ in range(2))], np.float32)
        scales[2:] = [s if s * n >= 1 else 1 for s, n in zip(scales[2:], shape[2:], strict=True)]
        version = pick(rng, 10, 13, 19)
        if version == 10:
            return Case("Resize", (floats(*shape), scales), {"mode": "nearest"}, frozenset({1}), 10)
        return Case(
            "Resize",
            (floats(*shape), None, scales),
            {"mode": pick(rng, "nearest", "linear")},
            frozenset({2}),
            version,
        )
    target = ints(*shape[:2], *sizes(rng, 2, 1, 8))
    inputs = (floats(*shape), None, None, target)
    return Case("Resize", inputs, {"mode": "nearest"}, pick(rng, frozenset({3}), frozenset()), 13)


def sampled(rng: Rng) -> Case:
    operator = pick(
        rng, "GridSample", "AffineGrid", "Col2Im", "MaxUnpool", "RoiAlign", "MaxRoiPool"
    )
    n, c, h, w = sizes(rng, 4, 2, 5)
    image = floats(n, c, h, w)
    if operator == "GridSample":
        return Case(operator, (image, floats(n, *sizes(rng, 2), 2)), version=20)
    if operator == "AffineGrid":
        d = pick(rng, 2, 3)
        return Case(
            operator,
            (floats(n, d, d + 1), ints(n, c, *sizes(rng, d))),
            constant=pick(rng, frozenset({1}), frozenset()),
            version=20,
        )
    if operator == "Col2Im":
        bh, bw = sizes(rng, 2, 1, 3)
        count = (h + 2 - bh + 1) * (w - bw + 1)
        inputs = (floats(n, c * bh * bw, count), ints(h, w), ints(bh, bw))
        return Case(operator, inputs, {"pads": [1, 0, 1, 0]}, frozenset({2}))
    if operator == "MaxUnpool":
        return Case(
            operator,
            (image, np.zeros((n, c, h, w), np.int64)),
            {"kernel_shape": [2, 2], "strides": [2, 2]},
        )
    r = int(rng.integers(1, 4))
    if operator == "RoiAlign":
        return Case(
            operator,
            (image, floats(r, 4), np.zeros(r, np.int64)),
            {"output_height": 2, "output_width": 3},
            version=16,
        )
    return Case(operator, (image, np.zeros((r, 5), np.float32)), {"pooled_shape": [2, 1]})


def pointwise(rng: Rng) -> Case:
    operator = pick(
        rng, "Add", "Where", "PRelu", "Clip", "Dropout", "DequantizeLinear", "QuantizeLinear", "Sum"
    )
    rank = int(rng.integers(1, 4))
    shape = sizes(rng, rank)
    part = [pick(rng, 1, s) for s in shape][int(rng.integers(rank)) :]
    x, y = floats(*shape), floats(*part)
    if operator in ("Add", "Sum"):
        return Case(operator, pick(rng, (x, y), (y, x)))
    if operator == "Where":
        return Case(operator, (y > 0.5, x, y))
    if operator == "PRelu":
        return Case(operator, (x, y))
    if operator == "Clip":
        return Case(operator, (x, floats(), pick(rng, floats(), None)))
    if operator == "Dropout":
        return Case(operator, (x,), results=pick(rng, 1, 2))
    axis = int(rng.integers(rank))
    scale = pick(rng, floats(), floats(shape[axis]), floats(1))
    zero = pick(rng, np.zeros(scale.shape, np.uint8), None)
    first = x if operator == "QuantizeLinear" else np.ones(shape, np.uint8)
    return Case(operator, (first, scale, *([] if zero is None else [zero])), {"axis": axis})


def losses(rng: Rng) -> Case:
    n, c, d = sizes(rng, 3)
    operator = pick(
        rng,
        "NegativeLogLikelihoodLoss",
        "SoftmaxCrossEntropyLoss",
        "NonMaxSuppression",
        "ReverseSequence",
        "Compress",
    )
    if operator == "NonMaxSuppression":
        return Case(operator, (floats(n, d, 4), floats(n, c, d), ints(3)))
    if operator == "ReverseSequence":
        return Case(operator, (floats(n, c, d), np.ones(c, np.int64)))
    if operator == "Compress":
        return Case(operator, (floats(n, c), np.ones(c, bool)), {"axis": 1})
    labels = np.zeros((n, d), np.int64)
    weight = pick(rng, (), (floats(c),))
    return Case(
        operator,
        (floats(n, c, d), labels, *weight),
        {"reduction": pick(rng, "none", "mean", "sum")},
        version=13,
    )


MAKERS: Mapping[str, Callable[[Rng], Case]] = {
    **{name: pool(name) for name in ("MaxPool", "AveragePool", "LpPool")},
    **{name: axes_form(name) for name in ("Squeeze", "Unsqueeze")},
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "integer convolutions": integer_conv,
    "MatMul": matmul,
    "integer products": matmul_integer,
    "Gemm": gemm,
    "Einsum": einsum,
    "Slice": slice_,
    "Split": split,
    "Pad": pad,
    "Reshape": reshape,
    "reductions": reduce_,
    "ArgMax": arg,
    "Softmax": softmax,
    "CumSum": cumulative,
    "normalisations": norm,
    "Concat": concat,
    "moves": simple_move,
    "sizes as data": by_values,
    "indices": indexed,
    "recurrent layers": recurrent,
    "Attention": attention,
    "Resize": resize,
    "samples": sampled,
    "points": pointwise,
    "losses": losses,
}
