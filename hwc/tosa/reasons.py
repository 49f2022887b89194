"""Why the machine does not compute a TOSA operator: what kind of operator it is."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.tosa.operators import contract, index, move, reduce, window

_REASONS: Mapping[str, str] = {
    **dict.fromkeys(contract.RULES, "it sums products (a contraction)"),
    **dict.fromkeys(("fft2d", "rfft2d"), "it is a transform along two dimensions"),
    **dict.fromkeys(reduce.RULES, "it reduces a dimension"),
    **dict.fromkeys(window.RULES, "it reads a window for each element"),
    **dict.fromkeys(move.RULES, "it moves elements"),
    **dict.fromkeys(index.RULES, "it moves elements to places that data decides"),
    "custom": "no library defines it",
}


def reason(operator: str) -> str:
    """Return why the machine does not compute an operator that is not element-wise."""
    return _REASONS.get(operator, "hwc has no rule for it on the machine")
