"""ONNX's own tests of its operators, as the package `onnx` generates them.

Every test of one node whose operator is element-wise is compiled with all sizes dynamic, and with
the sizes of the test under the marker `long`. `python tests/bench/onnx_nodes.py` has the table.
"""

import numpy as np
import onnxruntime
import pytest
from e2e.support.onnx_nodes import HOST, MACHINE, OPERATORS, REFUSED, array_of, cases, dynamic, play

import hwc
from hwc.errors import UserError
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


RANDOM = {"Bernoulli", "Multinomial"}
"""Operators with tests whose results are random, as those of `test_training_dropout` are."""

NOT_FOR_A_PACKAGE = (
    *("argument ", "result "),  # sequences, optional values, strings, ranks above 6
    "onnxruntime does not take '",  # types that it lacks, layout = 1, Resize to a number of sizes
    "onnxruntime does not know the operator",
)


@pytest.mark.long
@pytest.mark.parametrize("form", [dynamic, lambda model: model], ids=["dynamic", "static"])
@pytest.mark.parametrize("operator", sorted(cases(others=True).keys() - RANDOM))
def test_operators_on_the_host(operator, form):
    """None of their tests is refused for its sizes; results are ONNX's, or else ONNX Runtime's."""
    for case in cases(others=True)[operator]:
        if case.name.startswith("test_training_dropout"):
            continue
        try:
            outcome = play(case, form(case.model))
        except (AssertionError, UserError) as error:
            check_against_onnx_runtime(case, form(case.model), isinstance(error, UserError))
            continue
        if outcome.where == REFUSED:
            assert outcome.reason.startswith(NOT_FOR_A_PACKAGE), (case.name, outcome)


def check_against_onnx_runtime(case, model, refused):
    """ONNX Runtime has no such result, or the one of hwc."""
    content = model.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    for given, _ in case.data_sets:
        arrays = [array_of(each) for each in given]
        feeds = {own.name: array for own, array in zip(session.get_inputs(), arrays, strict=True)}
        if refused:
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                session.run(None, feeds)
            continue
        made = hwc.compile(content)(*arrays).outputs
        for got, right in zip(made, session.run(None, feeds), strict=True):
            np.testing.assert_allclose(got, right, rtol=1e-6, err_msg=case.name)
