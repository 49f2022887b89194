"""ONNX's own tests of its operators, as the package `onnx` generates them.

Every test of one node whose operator the machine has is compiled with all sizes dynamic, and with
the sizes of the test under the marker `long`. Types that the machine does not have stay on the
host, which other tests try.
"""

import warnings
from collections import Counter
from functools import cache

import numpy as np
import onnx
import pytest
from onnx.backend.test.case.node import collect_testcases

import hwc
from hwc.compiler import compile_package
from hwc.errors import SourceError
from hwc.frontend.source import Source
from hwc.onnx.operators import RULES, VIEWS
from isa.target import load_target

OPERATORS = RULES.keys() - set(VIEWS)
"""The operators that compute something. Views are tested beside one of them."""

TARGET = load_target("accel")

ON_HOST = {
    "the machine does not compute with": "a type that the machine does not have",
    "it detects infinities of one sign only": "IsInf of one sign",
    "the exponent is not a float": "Pow with an exponent of integers",
    "the machine does not have it for i32": "Pow of integers",
}
"""Why a test is not one of the machine, by how the reason begins."""


@cache
def cases():
    """The tests of single nodes by operator."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            nodes = case.model.graph.node
            if len(nodes) == 1 and not nodes[0].domain and nodes[0].op_type in OPERATORS:
                found.setdefault(nodes[0].op_type, []).append(case)
    return found


def dynamic(model):
    """The model without sizes."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for value in (*made.graph.input, *made.graph.output):
        for number, size in enumerate(value.type.tensor_type.shape.dim):
            size.dim_param = f"{value.name}_{number}"
    return made


def compiled(model):
    """The package and its report, None for a test of a type that no package holds."""
    try:
        return compile_package(Source("m.onnx", model.SerializeToString()), TARGET)
    except SourceError as error:
        assert "unknown or unsupported element type" in str(error)
        return None


def array(value):
    """A value of a test, which may be written as ONNX writes a tensor."""
    is_tensor = isinstance(value, onnx.TensorProto)
    return onnx.numpy_helper.to_array(value) if is_tensor else np.asarray(value)


def run(case, model, tried):
    made = compiled(model)
    if made is None:
        tried["refused"] += 1
        return
    if not made.report.on_machine:
        ((_, reason),) = made.report.on_host
        assert any(map(reason.startswith, ON_HOST)), reason
        tried["host"] += 1
        return
    program = hwc.Program(made.package)
    for given, expected in case.data_sets:
        result = program(*map(array, given))
        for got, wanted in zip(result.outputs, map(array, expected), strict=True):
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(got, wanted, case.rtol, case.atol, err_msg=case.name)
        tried["machine"] += 1


@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_dynamic_sizes(operator):
    tried = Counter()
    for case in cases().get(operator, ()):
        run(case, dynamic(case.model), tried)
    assert tried["machine"] or not cases().get(operator)


@pytest.mark.long
@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_static_sizes(operator):
    for case in cases().get(operator, ()):
        run(case, case.model, Counter())


def test_most_operators_have_tests():
    assert len(cases()) > 0.9 * len(OPERATORS)
