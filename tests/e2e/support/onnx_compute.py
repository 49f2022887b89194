"""Random ONNX nodes that compute: products, windows, reductions, normalisations, sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from e2e.support.onnx_node import Case, Rng, floats, ints, pick, sizes


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
