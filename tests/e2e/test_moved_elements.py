"""Operators of TOSA that move or combine elements run on the host, next to element-wise ones."""

import numpy as np

import hwc

X = np.arange(-7, 17, dtype=np.float32).reshape(1, 4, 6)
I32 = "tensor<1x2xi32>"
INDICES = np.array([[3, 1]], np.int32)


def shape(name, *values):
    return (
        f"  %{name} = tosa.const_shape {{values = dense<{list(values)}> : "
        f"tensor<{len(values)}xindex>}} : () -> !tosa.shape<{len(values)}>\n"
    )


ZERO = '  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>\n'
SLICE = shape("s", 0, 1, 2) + shape("n", 1, 2, 3)
PAD = shape("p", 0, 0, 1, 2, 0, 3)

CASES = {
    "slice": (
        SLICE,
        "tosa.slice %0, %s, %n : (tensor<1x4x6xf32>, !tosa.shape<3>, !tosa.shape<3>)",
        "tensor<1x2x3xf32>",
        lambda x, i: x[:, 1:3, 2:5],
    ),
    "pad": (
        PAD,
        "tosa.pad %0, %p, %z : (tensor<1x4x6xf32>, !tosa.shape<6>, tensor<1xf32>)",
        "tensor<1x7x9xf32>",
        lambda x, i: np.pad(x, ((0, 0), (1, 2), (0, 3))),
    ),
    "gather": (
        "",
        f"tosa.gather %0, %i : (tensor<1x4x6xf32>, {I32})",
        "tensor<1x2x6xf32>",
        lambda x, i: x[:, i[0]],
    ),
    "scatter": (
        '  %u = "tosa.const"() {values = dense<5.0> : '
        "tensor<1x2x6xf32>} : () -> tensor<1x2x6xf32>\n",
        f"tosa.scatter %0, %i, %u : (tensor<1x4x6xf32>, {I32}, tensor<1x2x6xf32>)",
        "tensor<1x4x6xf32>",
        lambda x, i: np.where(np.isin(np.arange(4), i[0])[None, :, None], np.float32(5), x),
    ),
    "transpose": (
        "",
        "tosa.transpose %0 {perms = array<i32: 2, 0, 1>} : (tensor<1x4x6xf32>)",
        "tensor<6x1x4xf32>",
        lambda x, i: x.transpose(2, 0, 1),
    ),
    "reduce_sum": (
        "",
        "tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<1x4x6xf32>)",
        "tensor<1x1x6xf32>",
        lambda x, i: x.sum(axis=1, keepdims=True),
    ),
    "reduce_max": (
        "",
        "tosa.reduce_max %0 {axis = 2 : i32} : (tensor<1x4x6xf32>)",
        "tensor<1x4x1xf32>",
        lambda x, i: x.max(axis=2, keepdims=True),
    ),
    "matmul": (
        '  %k = "tosa.const"() {values = dense<2.0> : tensor<1x6x2xf32>} : () -> '
        "tensor<1x6x2xf32>\n",
        "tosa.matmul %0, %k, %z, %z : (tensor<1x4x6xf32>, tensor<1x6x2xf32>, tensor<1xf32>, "
        "tensor<1xf32>)",
        "tensor<1x4x2xf32>",
        lambda x, i: x @ np.full((6, 2), 2, np.float32),
    ),
    "conv2d": (
        shape("r", 1, 4, 6, 1)
        + '  %w = "tosa.const"() {values = dense<1.0> : tensor<1x2x3x1xf32>} : () -> '
        "tensor<1x2x3x1xf32>\n"
        "  %v = tosa.reshape %0, %r : (tensor<1x4x6xf32>, !tosa.shape<4>) -> tensor<1x4x6x1xf32>\n",
        "tosa.conv2d %v, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, "
        "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x6x1xf32>, "
        "tensor<1x2x3x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)",
        "tensor<1x3x4x1xf32>",
        lambda x, i: np.lib.stride_tricks.sliding_window_view(x, (1, 2, 3)).sum((-1, -2)),
    ),
}


def program():
    """Return a program with one result for each case, all computed from the absolute values."""
    results = [result for _, _, result, _ in CASES.values()]
    lines = "".join(constants for constants, _, _, _ in CASES.values())
    for name, (_, operation, result, _) in CASES.items():
        lines += f"  %{name} = {operation} -> {result}\n"
        lines += f"  %{name}_ = tosa.floor %{name} : ({result}) -> {result}\n"
    returned = ", ".join(f"%{name}_" for name in CASES)
    return (
        f"func.func @main(%x: tensor<1x4x6xf32>, %i: {I32}) -> ({', '.join(results)}) {{\n"
        "  %0 = tosa.abs %x : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>\n"
        f"{ZERO}{lines}  return {returned} : {', '.join(results)}\n}}\n"
    )


def test_between_operators_of_the_machine():
    result = hwc.compile(program())(X, INDICES)
    on_host = [step.counters is None for step in result.steps]
    assert on_host == [False, True, *[False] * len(CASES)]
    for (name, (_, _, _, expected)), output in zip(CASES.items(), result.outputs, strict=True):
        np.testing.assert_array_equal(output, expected(np.abs(X), INDICES), name)
