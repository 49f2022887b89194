"""The steps of a function's shape program as the package holds them."""

from __future__ import annotations

from xdsl.ir import Block

from hwc.dialects.kernel import (
    BroadcastSizeOp,
    CheckStep,
    DimSizeOp,
    EqualSizesOp,
    ReshapeSizesOp,
    SizeStep,
    size_steps,
)
from hwc.frontend.diagnostics import location_of
from hwc.package import Broadcast, Dim, Equal, Reshape, ShapeProgram, Where


def shape_program(block: Block) -> ShapeProgram:
    """Return the shape program of a function's block."""
    return ShapeProgram(tuple(_step(step) for step in size_steps(block)))


def _step(step: SizeStep) -> Dim | Broadcast | Equal | Reshape:
    if isinstance(step, DimSizeOp):
        return Dim(step.symbol.data, step.argument.value.data, step.dimension.value.data)
    if isinstance(step, BroadcastSizeOp):
        return Broadcast(step.size, step.sizes, _where(step))
    if isinstance(step, EqualSizesOp):
        return Equal(step.sizes, _where(step))
    assert isinstance(step, ReshapeSizesOp)
    return Reshape(step.sizes, step.result_sizes, _where(step))


def _where(step: CheckStep) -> Where:
    dimension = None if step.dimension is None else step.dimension.value.data
    return Where(step.source.data, str(location_of(step.location) or "<in memory>"), dimension)
