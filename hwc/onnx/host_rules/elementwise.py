"""Operators that compute each point of their result from the same point of their operands."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.onnx.host_rules.use import Results, Rule, Use


def _broadcast(use: Use) -> Results:
    return (use.write.broadcast([sizes for sizes in use.inputs if sizes is not None]),)


def unary(use: Use) -> Results:
    """Every result has the sizes of the first operand."""
    return (use.given(0),) * use.results


def _clip(use: Use) -> Results:
    """The bounds are attributes before opset 11."""
    for number, name in ((1, "the minimum"), (2, "the maximum")):
        use.single(number, name)
    return (use.given(0),)


def _dropout(use: Use) -> Results:
    for number, name in ((1, "the ratio"), (2, "the mode")):
        use.single(number, name)
    return (use.given(0),) * use.results


def _prelu(use: Use) -> Results:
    """The slope broadcasts to x, not x to the slope."""
    sizes = use.given(0)
    use.fits(1, sizes)
    return (sizes,)


def _quantize(use: Use) -> Results:
    """Scales and zero points are scalars, vectors along an axis, or one for each block."""
    sizes, scale = use.given(0), use.given(1)
    axis_rank = max(len(sizes), 1)
    if len(scale) == 1 and sizes:
        use.one_or(scale[0], sizes[use.axis(axis_rank, 1) if len(sizes) > 1 else 0], _SCALE)
    elif len(scale) > 1:
        _blocks(use)
    if use.optional(2) is not None:
        zero = use.given(2)
        if len(zero) == len(scale):
            use.same(scale, zero)
        else:
            use.single(1, "the scale")
            use.single(2, "the zero point")
    return (sizes,)


_SCALE = "in the size of the scale"


def _blocks(use: Use) -> None:
    """A scale for each block of `block_size` elements along the axis, or all of them."""
    sizes, scale = use.given(0), use.given(1)
    use.given(1, len(sizes), len(sizes))
    axis, block = use.axis(len(sizes), 1), use.integer("block_size", 0)
    if block < 1:
        return
    for dimension, (size, own) in enumerate(zip(sizes, scale, strict=True)):
        wanted = use.write.compute("ceildivui", size, block) if dimension == axis else size
        use.write.equal(own, wanted, about=f"in dimension {dimension} of the scale")


def _quantized(use: Use, *, points: tuple[int, ...], scalars: tuple[int, ...]) -> Results:
    for number in scalars:
        use.single(number, f"input {number}, a scale or a zero point,")
    return (use.write.broadcast([use.given(number) for number in points]),)


def _dynamic_quantize(use: Use) -> Results:
    return (use.given(0), (), ())[: use.results]


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            *("Add", "Sub", "Mul", "Div", "Mod", "Pow", "And", "Or", "Xor", "Equal", "Greater"),
            *("GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mean", "Sum", "Where"),
            *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"),
        ),
        _broadcast,
    ),
    **dict.fromkeys(
        (
            *("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Bernoulli"),
            *("BitwiseNot",),
            *("Cast", "CastLike", "Ceil", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor"),
            *("Gelu", "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu"),
            *("Log", "Mish", "Neg", "Not", "RandomNormalLike", "RandomUniformLike", "Reciprocal"),
            *("Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus"),
            *("Softsign", "Sqrt", "Swish", "Tan", "Tanh", "ThresholdedRelu"),
            *("com.microsoft.Gelu", "com.microsoft.QuickGelu"),
        ),
        unary,
    ),
    **dict.fromkeys(
        (
            *("DequantizeLinear", "QuantizeLinear"),
            *("com.microsoft.DequantizeLinear", "com.microsoft.QuantizeLinear"),
        ),
        _quantize,
    ),
    "Clip": _clip,
    "Dropout": _dropout,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "PRelu": _prelu,
    "com.microsoft.QLinearAdd": lambda use: _quantized(
        use, points=(0, 3), scalars=(1, 2, 4, 5, 6, 7)
    ),
    "com.microsoft.QLinearMul": lambda use: _quantized(
        use, points=(0, 3), scalars=(1, 2, 4, 5, 6, 7)
    ),
    "com.microsoft.QLinearSigmoid": lambda use: _quantized(use, points=(0,), scalars=(1, 2, 3, 4)),
    "com.microsoft.QLinearLeakyRelu": lambda use: _quantized(
        use, points=(0,), scalars=(1, 2, 3, 4)
    ),
    "com.microsoft.QLinearWhere": lambda use: _quantized(
        use, points=(0, 1, 4), scalars=(2, 3, 5, 6, 7, 8)
    ),
}
