"""The operators of TOSA 1.0: what each requires of sizes and data, wherever it runs.

One file for each family. Rules follow the ERROR_IF and REQUIRE statements of the specification,
chapter "Operators"; a size of 0 is accepted where the operator has a meaning for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from hwc.tosa.operators import contract, elementwise, index, move, reduce, window
from hwc.tosa.operators.forms import INDEXED
from hwc.tosa.operators.use import Rule

__all__ = ["INDEXED", "RULES"]

RULES: Mapping[str, Rule] = {
    **elementwise.RULES,
    **reduce.RULES,
    **contract.RULES,
    **window.RULES,
    **move.RULES,
    **index.RULES,
}
"""The rule of each operator, by its name without the dialect."""
