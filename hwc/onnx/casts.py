"""Casts between the element types of the machine."""

from __future__ import annotations

from hwc.onnx.node import Lowered, Node
from hwc.onnx.scalars import Scalars, custom
from hwc.onnx.types import BOOLEAN, BYTE_FLOATS, FLOATS, INTEGERS


def cast(node: Node) -> Lowered:
    """Return the input converted to the type of the result."""
    source, target = str(node.types[0]), node.result
    if source == target:
        return Lowered("tosa.identity", (0,))
    largest = _LARGEST.get(target) if node.attributes.get("saturate", 1) else None
    if largest is None:
        return custom(node, lambda s, x: _converted(s, x, source, target), [0])

    def saturated(s: Scalars, x: str) -> str:
        wide = s.widened(x, source) if source in _FLOATS else _converted(s, x, source, "f32")
        return s.narrowed(s.clamped(wide, -largest, largest), target)

    return custom(node, saturated, [0])


_FLOATS = (*FLOATS, *BYTE_FLOATS)
_LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0}
"""The largest finite numbers of the types to which a cast saturates."""


def _converted(s: Scalars, x: str, source: str, target: str) -> str:
    types = f"{source} to {target}"
    if target == BOOLEAN:
        if source in _FLOATS:
            return s.compared("une", s.widened(x, source), 0.0)
        zero = s.add("arith.constant", "0", source)
        return s.add("arith.cmpi", f"ne, {x}, {zero}", source)
    if source in _FLOATS and target in _FLOATS:
        return s.narrowed(s.widened(x, source), target)
    if source in _FLOATS:
        return s.add("arith.fptosi", x, types)
    if target in _FLOATS:
        return s.add("arith.uitofp" if source == BOOLEAN else "arith.sitofp", x, types)
    if source == BOOLEAN:
        return s.add("arith.extui", x, types)
    widens = INTEGERS.index(target) < INTEGERS.index(source)
    return s.add("arith.extsi" if widens else "arith.trunci", x, types)
