"""Batch normalisation with known mean and variance, which is element-wise."""

from __future__ import annotations

from hwc.models.graph import HostOnlyError
from hwc.onnx.node import Axis, Lowered, Node
from hwc.onnx.scalars import Scalars, function

_X, _SCALE, _BIAS, _MEAN, _VARIANCE = range(5)


def batch(node: Node) -> Lowered:
    """Return (x - mean) factor + bias, where factor = scale / sqrt(variance + epsilon).

    Scale, bias, mean and variance have an element for each channel, which is dimension 1 of x. The
    factor has one too, so that it costs little; all of it is computed in f32.
    """
    _check_inference(node)
    channels: tuple[int | Axis, ...] = (1,)  # x of rank 1 has one channel
    if node.ranks[_X] > 1:
        channels = (Axis(1, of=_X), *[1] * (node.ranks[_X] - 2))

    def of_channel(number: int) -> Lowered:
        return Lowered("tosa.reshape", (number,), shape=channels, type=node.type_of(number))

    epsilon = node.number("epsilon", 1e-5)

    def write_factor(s: Scalars, scale: str, variance: str) -> str:
        scale, variance = (
            s.widened(value, node.type_of(number))
            for value, number in ((scale, _SCALE), (variance, _VARIANCE))
        )
        deviation = s.f32("math.sqrt", s.f32("arith.addf", variance, epsilon))
        return s.f32("arith.divf", scale, deviation)

    def write(s: Scalars, x: str, mean: str, factor: str, bias: str) -> str:
        x, mean, bias = (
            s.widened(value, node.type_of(number))
            for value, number in ((x, _X), (mean, _MEAN), (bias, _BIAS))
        )
        scaled = s.f32("arith.mulf", s.f32("arith.subf", x, mean), factor)
        return s.narrowed(s.f32("arith.addf", scaled, bias), node.result)

    name = f"onnx.{node.operator}"
    types = [node.type_of(number) for number in (_SCALE, _VARIANCE)]
    factor = Lowered(
        name,
        (of_channel(_SCALE), of_channel(_VARIANCE)),
        function(name, types, "f32", write_factor),
        type="f32",
    )
    types = [node.type_of(_X), node.type_of(_MEAN), "f32", node.type_of(_BIAS)]
    operands = (_X, of_channel(_MEAN), factor, of_channel(_BIAS))
    return Lowered(name, operands, function(name, types, node.result, write))


def _check_inference(node: Node) -> None:
    """Refuse the training mode, and statistics for each point instead of each channel."""
    if node.attributes.get("training_mode", 0):
        raise HostOnlyError("it is in training mode")
    if node.version < 7 and not node.attributes.get("is_test", 0):  # noqa: PLR2004 - since then always
        raise HostOnlyError("it is in training mode")
    if not node.attributes.get("spatial", 1):
        raise HostOnlyError("it has a mean for each point, not for each channel")
