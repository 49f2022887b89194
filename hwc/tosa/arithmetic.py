"""The arithmetic of each TOSA operator: its operations, as products of sizes.

Operations are counted as the field counts them: a multiply-add is two, and an element-wise
operator is one for each element of its result, whatever its function. Moving elements is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod

from xdsl.dialects.builtin import DenseArrayBase

from hwc.dialects.tosa_operation import KeywordAttr, TosaOperation
from hwc.dialects.tosa_table import OPERATORS
from hwc.models.sizes import Sizes
from hwc.shapes.products import Product
from hwc.tosa.operators.move import RULES as MOVES
from hwc.tosa.operators.reduce import REDUCTIONS


@dataclass(frozen=True)
class Counting:
    """An operator, and the sizes of its operands and of its first result."""

    op: TosaOperation
    operands: Sequence[Sizes]
    result: Sizes


Count = Callable[[Counting], Sequence[Product] | None]
"""Returns a sum of products; None if nothing tells the number of operations."""


def _none(use: Counting) -> Sequence[Product]:
    return ()


def _each(use: Counting) -> Sequence[Product]:
    """One for each element of the result."""
    return (Product.of(use.result),)


def _each_operand(use: Counting) -> Sequence[Product]:
    """One for each element of the first operand."""
    return (Product.of(use.operands[0]),)


def _matmul(use: Counting) -> Sequence[Product]:
    return (Product.of((2, *use.result, use.operands[0][2])),)


def _convolution(use: Counting) -> Sequence[Product]:
    """A multiply-add for each element of the result and each weight that it reads."""
    return (Product.of((2, *use.result, *use.operands[1][1:])),)


def _depthwise(use: Counting) -> Sequence[Product]:
    return (Product.of((2, *use.result, *use.operands[1][:2])),)


def _transposed(use: Counting) -> Sequence[Product]:
    """A multiply-add for each element of the input and each weight that reads it."""
    return (Product.of((2, *use.operands[0], *use.operands[1][:3])),)


def _pool(use: Counting) -> Sequence[Product] | None:
    """One for each element of the result and each element of its window."""
    kernel = use.op.arguments.get("kernel")
    if not isinstance(kernel, DenseArrayBase):
        return None
    return (Product.of((*use.result, *(int(size) for size in kernel.get_values()))),)


def _resize(use: Counting) -> Sequence[Product]:
    """Bilinear: four products and three sums for each element of the result."""
    mode = use.op.arguments.get("mode")
    if isinstance(mode, KeywordAttr) and mode.data.upper().startswith("NEAREST"):
        return ()
    return (Product.of((7, *use.result)),)


def _fourier(per_point: float) -> Count:
    """Return the usual count of a fast transform: 5 N log2 N, half of it for a real input."""

    def count(use: Counting) -> Sequence[Product] | None:
        batch, *plane = use.operands[0]
        sizes = [size for size in plane if isinstance(size, int)]
        points = prod(sizes)
        if len(sizes) != len(plane) or points < 1:
            return None
        return (Product.of((round(per_point * points * log2(points)), batch)),)

    return count


ARITHMETIC: Mapping[str, Count] = {
    **dict.fromkeys(OPERATORS, _each),
    **dict.fromkeys(MOVES, _none),
    **dict.fromkeys(("identity", "reshape", "gather", "scatter"), _none),
    **{f"reduce_{name}": _each_operand for name in REDUCTIONS},
    "reduce_prod": _each_operand,
    "argmax": _each_operand,
    "matmul": _matmul,
    "conv2d": _convolution,
    "conv3d": _convolution,
    "depthwise_conv2d": _depthwise,
    "transpose_conv2d": _transposed,
    "avg_pool2d": _pool,
    "max_pool2d": _pool,
    "resize": _resize,
    "fft2d": _fourier(5),
    "rfft2d": _fourier(2.5),
}
"""How the operations of each operator are counted; those of `custom` are not known."""


def operations(
    op: TosaOperation, operands: Sequence[Sizes | None], result: Sizes
) -> Sequence[Product] | None:
    """Return the operations of an operator as a sum of products; None if they are not known.

    The sizes of an operand are None if they are not known, or if the operand is a shape.
    """
    count = ARITHMETIC.get(op.operator)
    first = operands[: 2 if count in _READS_WEIGHTS else 1]
    known = [sizes for sizes in first if sizes is not None]
    if count is None or len(known) < len(first):
        return None
    return count(Counting(op, known, result))


_READS_WEIGHTS = (_convolution, _depthwise, _transposed)
"""Counts that need the sizes of the second operand."""
