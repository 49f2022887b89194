"""The arithmetic of each ONNX operator: its operations, as products of sizes.

Operations are counted as the field counts them: a multiply-add is two, and an element-wise
operator is one for each element of its result, whatever its function. Moving elements is none. A
normalization or an activation that is several steps counts its sums, products and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwc.models.sizes import Sizes
from hwc.onnx.operators import RULES, VIEWS
from hwc.shapes.products import Product


@dataclass(frozen=True)
class Counting:
    """A node: its attributes, and the sizes of its inputs and of its first result, None if unknown.

    An input that is left out has None as well.
    """

    attributes: Mapping[str, Any]
    inputs: Sequence[Sizes | None]
    result: Sizes | None

    def input(self, number: int) -> Sizes | None:
        """Return the sizes of an input."""
        return self.inputs[number] if number < len(self.inputs) else None


Count = Callable[[Counting], Sequence[Product] | None]
"""Returns a sum of products; None if sizes are not known."""


def _none(node: Counting) -> Sequence[Product]:
    return ()


def _each(factor: int = 1) -> Count:
    """Return the count of an operator with `factor` operations for each element of its result."""

    def count(node: Counting) -> Sequence[Product] | None:
        return None if node.result is None else (Product.of((factor, *node.result)),)

    return count


def _each_input(factor: int = 1) -> Count:
    """Return the count of an operator with `factor` operations for each element that it reads."""

    def count(node: Counting) -> Sequence[Product] | None:
        first = node.input(0)
        return None if first is None else (Product.of((factor, *first)),)

    return count


def _folded(node: Counting) -> Sequence[Product] | None:
    """An operator with any number of operands: one less than operands for each result element."""
    if node.result is None:
        return None
    return (Product.of((max(1, len(node.inputs) - 1), *node.result)),)


def _convolution(weights: int) -> Count:
    """Return a multiply-add for each result element and weight, and one sum for the bias."""

    def count(node: Counting) -> Sequence[Product] | None:
        kernel = node.input(weights)
        if node.result is None or kernel is None:
            return None
        products = (Product.of((2, *node.result, *kernel[1:])),)
        has_bias = node.input(_BIAS) is not None if weights == 1 else False
        return (*products, Product.of(node.result)) if has_bias else products

    return count


_BIAS = 2


def _transposed(node: Counting) -> Sequence[Product] | None:
    first, kernel = node.input(0), node.input(1)
    return None if first is None or kernel is None else (Product.of((2, *first, *kernel[1:])),)


def _product(node: Counting) -> Sequence[Product] | None:
    """A matrix product: a multiply-add for each result element and the inner dimension."""
    first = node.input(0)
    if node.result is None or not first:
        return None
    return (Product.of((2, *node.result, first[-1])),)


def _gemm(node: Counting) -> Sequence[Product] | None:
    first = node.input(0)
    if node.result is None or first is None:
        return None
    inner = first[0 if node.attributes.get("transA", 0) else 1]
    products = (Product.of((2, *node.result, inner)),)
    return products if node.input(2) is None else (*products, Product.of(node.result))


def _pool(node: Counting) -> Sequence[Product] | None:
    kernel = node.attributes.get("kernel_shape")
    if node.result is None or kernel is None:
        return None
    return (Product.of((*node.result, *map(int, kernel))),)


def _recurrent(gates: int) -> Count:
    """Return the products of a recurrent network: input and state, by each gate's weights."""

    def count(node: Counting) -> Sequence[Product] | None:
        first, weights, state = (node.input(number) for number in range(3))
        if first is None or weights is None or state is None:
            return None
        steps = first[:2]  # length and batch, in either layout
        directions, hidden = state[0], state[2]
        return tuple(
            Product.of((2 * gates, *steps, directions, hidden, size))
            for size in (weights[2], hidden)
        )

    return count


def _resize(node: Counting) -> Sequence[Product] | None:
    """Linear in two dimensions: four products and three sums; nearest: none."""
    mode = node.attributes.get("mode", b"nearest")
    if mode == b"nearest":
        return ()
    return _each(7)(node) if mode == b"linear" else None


_SOFTMAX = 5
"""The largest element, a difference, a function, a sum and a quotient."""
_NORMALIZATION = 7
"""Two means, a difference, a square, a product with 1 / deviation, and scale and shift."""

ARITHMETIC: Mapping[str, Count] = {
    **dict.fromkeys(RULES, _each()),
    **dict.fromkeys(VIEWS, _none),
    **dict.fromkeys(("Max", "Mean", "Min", "Sum"), _folded),
    **dict.fromkeys(
        (
            *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitShift", "Cosh", "Sinh"),
            *("CumSum", "Hardmax", "DynamicQuantizeLinear", "QuantizeLinear", "DequantizeLinear"),
            *("QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu"),
        ),
        _each(),
    ),
    **dict.fromkeys(
        (
            *("Compress", "Concat", "ConcatFromSequence", "Constant", "ConstantOfShape"),
            *("DepthToSpace", "Expand", "EyeLike", "Gather", "GatherElements", "GatherND"),
            *("Pad", "Range", "Scatter", "ScatterElements", "ScatterND", "Shape", "Size", "Slice"),
            *("SpaceToDepth", "Split", "Tile", "Transpose", "Trilu", "OneHot"),
        ),
        _none,
    ),
    **dict.fromkeys(
        (
            *("ArgMax", "ArgMin", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd"),
            *("ReduceSum", "GlobalAveragePool", "GlobalMaxPool"),
        ),
        _each_input(),
    ),
    **dict.fromkeys(
        ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
        _each_input(2),
    ),
    **dict.fromkeys(("Softmax", "LogSoftmax"), _each(_SOFTMAX)),
    **dict.fromkeys(
        ("GroupNormalization", "InstanceNormalization", "LayerNormalization"),
        _each(_NORMALIZATION),
    ),
    "BatchNormalization": _each(2),
    "Conv": _convolution(1),
    "ConvInteger": _convolution(1),
    "QLinearConv": _convolution(3),
    "ConvTranspose": _transposed,
    "MatMul": _product,
    "MatMulInteger": _product,
    "QLinearMatMul": _product,
    "Gemm": _gemm,
    "AveragePool": _pool,
    "MaxPool": _pool,
    "RNN": _recurrent(1),
    "GRU": _recurrent(3),
    "LSTM": _recurrent(4),
    "Resize": _resize,
    "Upsample": _resize,
}
"""How the operations of each operator are counted; those of other operators are not known."""
