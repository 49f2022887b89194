"""ONNX operators that only change their input's shape, which costs the machine nothing."""

from __future__ import annotations

from hwc.models.graph import HostOnlyError
from hwc.onnx.node import Axis, Lowered, Node, ShapeSize


def reshape(node: Node) -> Lowered:
    """Return a reshape to constant sizes: 0 keeps the input's size, and -1 is inferred."""
    sizes = _numbers(node, 1)
    if 0 in sizes and node.attributes.get("allowzero", 0):
        raise HostOnlyError("a size is 0")
    if any(size == 0 and number >= node.ranks[0] for number, size in enumerate(sizes)):
        raise HostOnlyError("a size is that of a dimension which the input lacks")
    return _view(*(size or Axis(number) for number, size in enumerate(sizes)))


def squeeze(node: Node) -> Lowered:
    """Return the input without some dimensions of size 1."""
    rank = node.ranks[0]
    if not _axes(node):
        raise HostOnlyError("it has no axes")
    removed = _counted(_axes(node), rank)
    return _view(*(Axis(number) for number in range(rank) if number not in removed))


def unsqueeze(node: Node) -> Lowered:
    """Return the input with added dimensions of size 1."""
    axes = _axes(node)
    rank = node.ranks[0] + len(axes)
    added = _counted(axes, rank)
    own = iter(range(node.ranks[0]))
    return _view(*(1 if number in added else Axis(next(own)) for number in range(rank)))


def flatten(node: Node) -> Lowered:
    """Return the input reshaped to two dimensions, each the product of those on one side.

    Neither is inferred: nothing could be inferred beside a size of 0.
    """
    rank = node.ranks[0]
    axis = int(node.attributes.get("axis", 1))
    axis = axis + rank if axis < 0 else axis
    axes = tuple(map(Axis, range(rank)))
    return _view(axes[:axis] or 1, axes[axis:] or 1)


def _view(*shape: ShapeSize) -> Lowered:
    if not shape:
        raise HostOnlyError("the result has no dimensions")
    return Lowered("tosa.reshape", (0,), shape=shape)


def _axes(node: Node) -> tuple[int, ...]:
    """Return the axes, which are an attribute or, since opset 13, an input."""
    if "axes" in node.attributes:
        return tuple(node.attributes["axes"])
    return _numbers(node, 1)


def _counted(axes: tuple[int, ...], rank: int) -> set[int]:
    """Return axes counted from the front; the node's rule about sizes refuses wrong ones."""
    counted = {axis % rank for axis in axes if -rank <= axis < rank}
    if len(counted) < len(axes):
        raise HostOnlyError("its axes are not different dimensions")
    return counted


def _numbers(node: Node, number: int) -> tuple[int, ...]:
    value = node.values[number] if number < len(node.values) else None
    if value is None:
        raise HostOnlyError("its sizes or axes are not constants")
    return tuple(int(size) for size in value.reshape(-1))
