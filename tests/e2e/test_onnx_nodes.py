"""ONNX's own tests of its operators, as the package `onnx` generates them.

Every test of one node whose operator is element-wise is compiled with all sizes dynamic, and with
the sizes of the test under the marker `long`. `python tests/bench/onnx_nodes.py` has the table.
"""

import pytest
from e2e.support.onnx_nodes import HOST, MACHINE, OPERATORS, REFUSED, cases, dynamic, play

from hwc.onnx.operators import RULES

REASONS = {
    HOST: (
        "the machine does not compute with",
        "the machine does not have it for",  # Pow of i32, DequantizeLinear of 8-bit floats
        "the machine does not quantise to",  # 8-bit floats, integers of 2 and 4 bits
        "its scales are those of blocks",
        "it has several results",  # BatchNormalization in training mode
        "the exponent is not a float",
        "hwc has no rule for it",
    ),
    REFUSED: (
        *("argument ", "result "),  # FLOAT4E2M1 and STRING
        "onnxruntime does not take '",  # Max and Min of 16 bits, Pow of uint
    ),
}
"""Why a test is not one of the machine, by how the reason begins."""


def check(operator, form):
    outcomes = [play(case, form(case.model)) for case in cases().get(operator, ())]
    for outcome in outcomes:
        if outcome.where != MACHINE:
            assert outcome.reason.startswith(REASONS[outcome.where]), outcome
    if operator in RULES and outcomes:
        assert any(outcome.where == MACHINE for outcome in outcomes)


@pytest.mark.parametrize("operator", OPERATORS)
def test_dynamic_sizes(operator):
    check(operator, dynamic)


@pytest.mark.long
@pytest.mark.parametrize("operator", OPERATORS)
def test_static_sizes(operator):
    check(operator, lambda model: model)


def test_most_operators_have_tests():
    assert len(cases()) > 0.9 * len(OPERATORS)
