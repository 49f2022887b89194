"""What ONNX operators require of sizes and data wherever they run, and the sizes of their results.

One file for each family. A rule may accept what ONNX Runtime refuses, never the reverse, unless
ONNX's definition of the operator refuses the sizes. An operator without a rule is ONNX Runtime's to
check.
"""

from __future__ import annotations

from collections.abc import Mapping

from hwc.onnx.host_rules import (
    contract,
    elementwise,
    index,
    move,
    reduce,
    resample,
    sequence,
    window,
)
from hwc.onnx.host_rules.use import OLDEST, Rule, Use

__all__ = ["OLDEST", "RULES", "Rule", "Use"]

RULES: Mapping[str, Rule] = {
    **elementwise.RULES,
    **contract.RULES,
    **window.RULES,
    **reduce.RULES,
    **move.RULES,
    **index.RULES,
    **resample.RULES,
    **sequence.RULES,
}
"""The rule of each operator, by its name, with its domain unless that is ONNX's own."""
