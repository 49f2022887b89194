"""Random nodes of ONNX operators, with sizes that fit and sizes that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclass(frozen=True)
class Case:
    """A node and its inputs, None for an omitted one; `constant` are the numbers of constants."""

    operator: str
    inputs: tuple[np.ndarray | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constant: frozenset[int] = frozenset()
    version: int = 21
    results: int = 1

    def model(self, *, static: bool = False) -> onnx.ModelProto:
        """Return the model; without `static`, no size of an argument is known."""
        names = ["" if array is None else f"x{n}" for n, array in enumerate(self.inputs)]
        outputs = [f"y{n}" for n in range(self.results)]
        domain, _, operator = self.operator.rpartition(".")
        node = helper.make_node(
            operator, names, outputs, "it", domain=domain, **dict(self.attributes)
        )
        values, weights = [], []
        for number, (name, array) in enumerate(zip(names, self.inputs, strict=True)):
            if array is None:
                continue
            if number in self.constant:
                weights.append(numpy_helper.from_array(array, name))
                continue
            type_ = helper.np_dtype_to_tensor_dtype(array.dtype)
            free = [f"{name}_{d}" for d in range(array.ndim)]
            if array.dtype.kind == "i" and array.ndim == 1 and array.size < 9:  # may be a shape
                free = array.shape
            values.append(
                helper.make_tensor_value_info(name, type_, array.shape if static else free)
            )
        made = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph([node], "g", values, made, weights)
        opsets = [helper.make_opsetid("", self.version), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    @property
    def arguments(self) -> dict[str, np.ndarray]:
        """The arguments of the model."""
        return {
            f"x{n}": array
            for n, array in enumerate(self.inputs)
            if array is not None and n not in self.constant
        }


Rng = np.random.Generator


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).uniform(0.1, 1, shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def sizes(rng: Rng, rank: int, low: int = 1, high: int = 6) -> list[int]:
    return [int(n) for n in rng.integers(low, high, rank)]


def pick(rng: Rng, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _image(rng: Rng, spatial: int, low: int = 3, high: int = 9) -> list[int]:
    return [*sizes(rng, 2, 1, 4), *sizes(rng, spatial, low, high)]


def _windows(rng: Rng, n: int, kernel: Sequence[int], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if rng.random() < 0.6:
        found["strides"] = sizes(rng, n, 1, 4)
    mode = pick(rng, "", "pads", "VALID", "SAME_UPPER", "SAME_LOWER")
    if mode == "pads":
        found["pads"] = [int(rng.integers(k)) for k in (*kernel, *kernel)]
    elif mode:
        found["auto_pad"] = mode
    if rng.random() < 0.4 and not mode.startswith("SAME"):
        found["dilations"] = sizes(rng, n, 1, 3)
    return found | more


def pool(operator: str) -> Callable[[Rng], Case]:
    def made(rng: Rng) -> Case:
        n = int(rng.integers(1, 4))
        kernel = sizes(rng, n, 1, 4)
        attributes = _windows(rng, n, kernel, kernel_shape=kernel)
        if rng.random() < 0.5:
            attributes["ceil_mode"] = 1
        results = pick(rng, 1, 2) if operator == "MaxPool" else 1
        version = pick(rng, 22, 19, 12) if operator != "LpPool" else pick(rng, 22, 18)
        if version == 12 and operator == "AveragePool":
            attributes.pop("dilations", None)
        return Case(
            operator, (floats(*_image(rng, n)),), attributes, version=version, results=results
        )

    return made


def conv(rng: Rng) -> Case:
    n, group = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    batch, per, *image = [*sizes(rng, 2, 1, 4), *sizes(rng, n, 3, 9)]
    kernel, out = sizes(rng, n, 1, 4), group * int(rng.integers(1, 3))
    attributes = _windows(rng, n, kernel)
    if group > 1 or rng.random() < 0.3:
        attributes["group"] = group
    if rng.random() < 0.5:
        attributes["kernel_shape"] = kernel
    bias = (floats(out),) if rng.random() < 0.5 else ()
    inputs = (floats(batch, group * per, *image), floats(out, per, *kernel), *bias)
    return Case("Conv", inputs, attributes)


def conv_transpose(rng: Rng) -> Case:
    n, group = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    batch, per, *image = [*sizes(rng, 2, 1, 4), *sizes(rng, n, 2, 6)]
    kernel, out = sizes(rng, n, 1, 4), int(rng.integers(1, 3))
    attributes = _windows(rng, n, kernel)
    if group > 1:
        attributes["group"] = group
    if rng.random() < 0.2 and "strides" in attributes:
        attributes["output_padding"] = [int(rng.integers(s)) for s in attributes["strides"]]
    if rng.random() < 0.15:
        attributes["output_shape"] = [s * 2 for s in image]
    bias = (floats(out * group),) if rng.random() < 0.5 else ()
    inputs = (floats(batch, group * per, *image), floats(group * per, out, *kernel), *bias)
    return Case("ConvTranspose", inputs, attributes)


def integer_conv(rng: Rng) -> Case:
    base = conv(rng)
    x, w = (np.ones(a.shape, np.uint8) for a in base.inputs[:2])
    zero = np.zeros((), np.uint8)
    per = np.zeros(w.shape[0], np.uint8)
    if rng.random() < 0.5:
        return replace(base, operator="ConvInteger", inputs=(x, w, zero, pick(rng, zero, None)))
    scale, scales = floats(), floats(w.shape[0])
    ws, wz = pick(rng, (scale, zero), (scales, per), (floats(1), np.zeros(1, np.uint8)))
    bias = (np.zeros(w.shape[0], np.int32),) if rng.random() < 0.5 else ()
    inputs = (x, scale, zero, w, ws, wz, scale, zero, *bias)
    return replace(base, operator="QLinearConv", inputs=inputs)


def _product(rng: Rng) -> tuple[list[int], list[int]]:
    rank = int(rng.integers(0, 3))
    batch = sizes(rng, rank, 1, 3)
    m, k, n = sizes(rng, 3, 1, 5)
    left = [pick(rng, s, 1) for s in batch]
    right = [pick(rng, s, 1) for s in batch][int(rng.integers(rank + 1)) :]
    form = pick(rng, "mm", "mm", "mm", "vm", "mv")
    if form == "vm":
        return [k], [*right, k, n]
    if form == "mv":
        return [*left, m, k], [k]
    return [*left, m, k], [*right, k, n]


def matmul(rng: Rng) -> Case:
    left, right = _product(rng)
    return Case("MatMul", (floats(*left), floats(*right)))


def matmul_integer(rng: Rng) -> Case:
    left, right = _product(rng)
    a, b = np.ones(left, np.uint8), np.ones(right, np.uint8)
    zero = np.zeros((), np.uint8)
    columns = right[-1] if len(right) > 1 else 1
    zb = pick(rng, zero, np.zeros(1, np.uint8), np.zeros(columns, np.uint8))
    if rng.random() < 0.5:
        return Case("MatMulInteger", (a, b, pick(rng, zero, None), zb))
    sb = floats(*zb.shape)
    return Case("QLinearMatMul", (a, floats(), zero, b, sb, zb, floats(), zero))


def gemm(rng: Rng) -> Case:
    m, k, n = sizes(rng, 3, 1, 5)
    ta, tb = int(rng.integers(2)), int(rng.integers(2))
    c = pick(rng, (), ((),), ((n,),), ((1, n),), ((m, 1),), ((m, n),), ((1,),))
    inputs = (floats(k, m) if ta else floats(m, k), floats(n, k) if tb else floats(k, n))
    return Case("Gemm", (*inputs, *(floats(*s) for s in c)), {"transA": ta, "transB": tb})


def einsum(rng: Rng) -> Case:
    a, b, c, d = sizes(rng, 4, 1, 5)
    of = {"a": a, "b": b, "c": c, "d": d}
    equation = pick(
        rng,
        *("ab,bc->ac", "abc,acd->abd", "ab->ba", "ab,ab->", "ab,bc", "...a,...a->...", "aab->b"),
        *("a,b->ab", "ab...,bc->ac...", "ab, bc -> ca", "b...->..."),
    )
    inputs = []
    for term in equation.split("->")[0].split(","):
        shape = []
        for letter in term.strip().replace("...", "."):
            shape += [d, 2][: int(rng.integers(1, 3))] if letter == "." else [of[letter]]
        inputs.append(floats(*shape))
    return Case("Einsum", tuple(inputs), {"equation": equation})


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


def reduce_(rng: Rng) -> Case:
    operator = pick(rng, "ReduceSum", "ReduceMax", "ReduceMean", "ReduceL2", "ReduceLogSumExp")
    rank = int(rng.integers(1, 5))
    axes = [int(a) - pick(rng, 0, rank) for a in rng.permutation(rank)[: rng.integers(0, rank + 1)]]
    attributes = {"keepdims": int(rng.integers(2))}
    x = floats(*sizes(rng, rank))
    if rng.random() < 0.3:
        more = {"axes": axes} if axes else {}
        return Case(operator, (x,), attributes | more, version=11)
    attributes["noop_with_empty_axes"] = int(rng.integers(2))
    known = pick(rng, frozenset({1}), frozenset({1}), frozenset())
    return Case(operator, (x, *([ints(*axes)] if axes else [])), attributes, known, 20)


def arg(rng: Rng) -> Case:
    rank = int(rng.integers(1, 4))
    attributes = {"axis": int(rng.integers(-rank, rank)), "keepdims": int(rng.integers(2))}
    return Case(pick(rng, "ArgMax", "ArgMin"), (floats(*sizes(rng, rank)),), attributes)


def softmax(rng: Rng) -> Case:
    rank = int(rng.integers(1, 4))
    operator = pick(rng, "Softmax", "LogSoftmax", "Hardmax")
    attributes = {"axis": int(rng.integers(-rank, rank))} if rng.random() < 0.7 else {}
    version = pick(rng, 11, 13) if rank > 1 else 13
    return Case(operator, (floats(*sizes(rng, rank, 0)),), attributes, version=version)


def cumulative(rng: Rng) -> Case:
    rank = int(rng.integers(1, 4))
    axis = np.array(rng.integers(-rank, rank))
    return Case(
        "CumSum", (floats(*sizes(rng, rank)), axis), constant=pick(rng, frozenset({1}), frozenset())
    )


def norm(rng: Rng) -> Case:
    rank = int(rng.integers(3, 5))
    shape = sizes(rng, rank)
    operator = pick(
        rng,
        *("LayerNormalization", "RMSNormalization", "InstanceNormalization", "LpNormalization"),
        *("GroupNormalization", "BatchNormalization", "LRN", "LayerNormalization"),
    )
    x, channels = floats(*shape), floats(shape[1])
    if operator in ("LayerNormalization", "RMSNormalization"):
        axis = int(rng.integers(1, rank))
        scale = floats(*shape[axis:])
        if operator == "RMSNormalization":
            return Case(operator, (x, scale), {"axis": axis}, version=23)
        bias = pick(rng, (), (scale,))
        return Case(
            operator,
            (x, scale, *bias),
            {"axis": axis - pick(rng, 0, rank)},
            results=pick(rng, 1, 3),
            version=17,
        )
    if operator == "InstanceNormalization":
        return Case(operator, (x, channels, channels))
    if operator == "LpNormalization":
        return Case(operator, (x,), {"axis": int(rng.integers(-rank, rank))})
    if operator == "LRN":
        return Case(operator, (floats(*sizes(rng, 4)),), {"size": pick(rng, 1, 3)})
    if operator == "BatchNormalization":
        return Case(operator, (x, *[channels] * 4), version=15)
    shape[1] = 2 * shape[1]
    per = floats(shape[1])
    return Case(operator, (floats(*shape), per, per), {"num_groups": 2})


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


def recurrent(rng: Rng) -> Case:
    operator = pick(rng, "RNN", "GRU", "LSTM")
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[operator]
    s, b, i, h = sizes(rng, 4, 1, 4)
    direction = pick(rng, "forward", "reverse", "bidirectional")
    d = 2 if direction == "bidirectional" else 1
    inputs = [floats(s, b, i), floats(d, gates * h, i), floats(d, gates * h, h)]
    more = [floats(d, 2 * gates * h), np.full(b, s, np.int32), floats(d, b, h)]
    if operator == "LSTM":
        more += [floats(d, b, h), floats(d, 3 * h)]
    inputs += [array if rng.random() < 0.5 else None for array in more]
    results = int(rng.integers(1, 4 if operator == "LSTM" else 3))
    return Case(
        operator, tuple(inputs), {"direction": direction, "hidden_size": h}, results=results
    )


def attention(rng: Rng) -> Case:
    b, h, s, t, e, ev = sizes(rng, 6, 1, 4)
    group = int(rng.integers(1, 3))
    mask = None
    past: tuple[Any, ...] = ()
    p = 0
    if rng.random() < 0.3:
        p = int(rng.integers(1, 4))
    if rng.random() < 0.5:
        mask = floats(*pick(rng, (s, t + p), (1, h * group, s, t + p), (b, 1, s, t + p)))
    if p:
        past = (floats(b, h, p, e), floats(b, h, p, ev))
    results = 3 if p else 1
    if rng.random() < 0.5:
        inputs = (floats(b, h * group, s, e), floats(b, h, t, e), floats(b, h, t, ev), mask, *past)
        return Case("Attention", inputs, version=23, results=results)
    inputs = (floats(b, s, h * group * e), floats(b, t, h * e), floats(b, t, h * ev), mask, *past)
    return Case(
        "Attention",
        inputs,
        {"q_num_heads": h * group, "kv_num_heads": h},
        version=23,
        results=results,
    )


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


def mutated(case: Case, rng: Rng) -> Case:
    """Return the case with one change that may make it a misfit."""
    given = [n for n, array in enumerate(case.inputs) if array is not None]
    number = int(pick(rng, *given))
    array = case.inputs[number]
    assert array is not None
    kind = pick(rng, "size", "size", "size", "value", "rank")
    if kind == "value" and array.dtype.kind == "i" and array.size:
        array = array.copy()
        array.reshape(-1)[int(rng.integers(array.size))] = int(pick(rng, -7, -1, 0, 1, 2, 3, 99))
    elif kind == "rank":
        array = array[..., None] if rng.random() < 0.5 or not array.ndim else array[0:1].reshape(-1)
    elif array.ndim:
        shape = list(array.shape)
        shape[int(rng.integers(array.ndim))] = int(rng.integers(0, 7))
        array = np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
    inputs = list(case.inputs)
    inputs[number] = array
    return replace(case, inputs=tuple(inputs))
