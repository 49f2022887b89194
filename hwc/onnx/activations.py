"""Activation functions of ONNX: how one point is computed in f32, given a node's attributes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from hwc.onnx.node import Node
from hwc.onnx.scalars import Scalars

Write: TypeAlias = Callable[..., str]
"""Writes the operations of a function, given the writer and the arguments; returns the result."""


def elu(node: Node) -> Write:
    """Compute x, or alpha (exp(x) - 1) where x < 0."""
    alpha = node.number("alpha", 1.0)

    def write(s: Scalars, x: str) -> str:
        low = s.f32("arith.mulf", s.f32("math.expm1", x), alpha)
        return s.chosen(s.compared("olt", x, 0.0), low, x)

    return write


def selu(node: Node) -> Write:
    """Compute gamma x, or gamma alpha (exp(x) - 1) where x < 0."""
    defaults = (1.67326319217681884765625, 1.05070102214813232421875)
    if node.version < 6:  # noqa: PLR2004 - since then the defaults have more digits
        defaults = (1.6732, 1.0507)
    alpha, gamma = map(node.number, ("alpha", "gamma"), defaults)

    def write(s: Scalars, x: str) -> str:
        low = s.f32("arith.mulf", s.f32("math.expm1", x), alpha)
        return s.f32("arith.mulf", s.chosen(s.compared("ole", x, 0.0), low, x), gamma)

    return write


def celu(node: Node) -> Write:
    """Compute x, or alpha (exp(x / alpha) - 1) where x < 0."""
    alpha = node.number("alpha", 1.0)

    def write(s: Scalars, x: str) -> str:
        low = s.f32("arith.mulf", s.f32("math.expm1", s.f32("arith.divf", x, alpha)), alpha)
        return s.chosen(s.compared("olt", x, 0.0), low, x)

    return write


def leaky_relu(node: Node) -> Write:
    """Compute x, or alpha x where x < 0."""
    alpha = node.number("alpha", 0.01)
    return lambda s, x: s.chosen(s.compared("olt", x, 0.0), s.f32("arith.mulf", x, alpha), x)


def prelu(_: Node) -> Write:
    """Compute x, or slope x where x < 0; the slope is an operand."""
    return lambda s, x, slope: s.chosen(s.compared("olt", x, 0.0), s.f32("arith.mulf", x, slope), x)


def thresholded_relu(node: Node) -> Write:
    """Compute x where x > alpha, else 0."""
    alpha = node.number("alpha", 1.0)
    return lambda s, x: s.chosen(s.compared("ogt", x, alpha), x, 0.0)


def hard_sigmoid(node: Node) -> Write:
    """Compute alpha x + beta, clamped to [0, 1]."""
    alpha, beta = node.number("alpha", 0.2), node.number("beta", 0.5)

    def write(s: Scalars, x: str) -> str:
        return s.clamped(s.f32("arith.addf", s.f32("arith.mulf", x, alpha), beta), 0.0, 1.0)

    return write


def hard_swish(_: Node) -> Write:
    """Compute x times (x / 6 + 1 / 2), that factor clamped to [0, 1]."""

    def write(s: Scalars, x: str) -> str:
        share = s.f32("arith.addf", s.f32("arith.mulf", x, 1 / 6), 0.5)
        return s.f32("arith.mulf", x, s.clamped(share, 0.0, 1.0))

    return write


def softsign(_: Node) -> Write:
    """Compute x / (1 + |x|)."""
    return lambda s, x: s.f32("arith.divf", x, s.f32("arith.addf", s.f32("math.absf", x), 1.0))


def shrink(node: Node) -> Write:
    """Compute x moved toward 0 by `bias`, or 0 where |x| <= `lambd`."""
    limit, bias = node.number("lambd", 0.5), node.number("bias", 0.0)

    def write(s: Scalars, x: str) -> str:
        low = s.chosen(s.compared("olt", x, -limit), s.f32("arith.addf", x, bias), 0.0)
        return s.chosen(s.compared("ogt", x, limit), s.f32("arith.subf", x, bias), low)

    return write


def swish(node: Node) -> Write:
    """Compute x times the sigmoid of alpha x."""
    alpha = node.number("alpha", 1.0)

    def write(s: Scalars, x: str) -> str:
        power = s.f32("math.exp", s.f32("arith.mulf", x, -alpha))
        return s.f32("arith.divf", x, s.f32("arith.addf", power, 1.0))

    return write


def mish(_: Node) -> Write:
    """Compute x tanh(softplus(x))."""
    return lambda s, x: s.f32("arith.mulf", x, s.f32("math.tanh", s.softplus(x)))


def gelu(node: Node) -> Write:
    """Compute x times the cumulative normal distribution at x, or its approximation with tanh."""
    approximate = node.attributes.get("approximate", b"none") == b"tanh"

    def write(s: Scalars, x: str) -> str:
        if approximate:
            cube = s.f32("arith.mulf", s.f32("arith.mulf", x, x), x)
            inner = s.f32("arith.addf", x, s.f32("arith.mulf", cube, 0.044715))
            curve = s.f32("math.tanh", s.f32("arith.mulf", inner, math.sqrt(2 / math.pi)))
        else:
            curve = s.f32("math.erf", s.f32("arith.mulf", x, math.sqrt(0.5)))
        half = s.f32("arith.mulf", x, 0.5)
        return s.f32("arith.mulf", half, s.f32("arith.addf", curve, 1.0))

    return write
