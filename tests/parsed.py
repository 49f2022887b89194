"""What the parser makes of a text, in a form that can be compared."""

from __future__ import annotations

from hwc.dialects import make_context
from hwc.errors import UserError
from hwc.frontend.parser import parse
from hwc.frontend.source import Source


def outcome(text: str) -> str:
    """Everything that the module holds, locations included, or the error."""
    try:
        module = parse(Source("test.mlir", text), make_context())
    except UserError as error:
        return f"error: {error}"
    numbers: dict[object, int] = {}
    found: list[object] = []
    for op in module.walk():
        numbers.update((value, len(numbers) + i) for i, value in enumerate(op.results))
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        numbers.update((value, len(numbers) + i) for i, value in enumerate(arguments))
        operands = [numbers[value] for value in op.operands]
        types = [str(value.type) for value in (*op.results, *arguments)]
        hints = [value.name_hint for value in (*op.results, *arguments)]
        attributes = [str(op.properties), str(op.attributes), str(op.location)]
        found.append((op.name, operands, types, hints, attributes))
    return str(found)
