"""Random ONNX nodes with free sizes: hwc knows the sizes of the results, and refuses misfits."""

import numpy as np
import onnxruntime
import pytest
from e2e.support.onnx_node import mutated
from e2e.support.onnx_sizes import MAKERS

import hwc
from hwc.errors import UserError

LEARNED = {"Compress", "NonMaxSuppression"}
"""Operators whose results have sizes that only data decide."""

STRICTER = {
    **dict.fromkeys(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), "labels that fit"),
    "CenterCropPad": "sizes of at least 0",
    "Compress": "a condition of rank 1",
    "Concat": "parts without elements that agree elsewhere",
    "ConvTranspose": "an image with elements, the result as well",
    "GatherND": "batches that are equal",
    "GroupNormalization": "scale and bias of all channels",
    "MaxPool": "windows that fit into the image",
    "AveragePool": "windows that fit into the image",
    "LpPool": "windows that fit into the image",
    "PRelu": "a slope that broadcasts to x",
    "Resize": "vectors of scales and sizes",
    "Unsqueeze": "a vector of axes",
}
"""What hwc requires, as ONNX's documents say, and ONNX Runtime does not."""

FATAL = {"ConvTranspose", "Einsum", "GRU"}
"""Operators with misfits that end ONNX Runtime's process: it does not get them."""


def judged(case):
    """What ONNX Runtime computes; None if it refuses the case."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    content = case.model().SerializeToString()
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        return session.run(None, case.arguments)
    except Exception:
        return None


def check(case):
    """Compile and call; a refusal has the node's place, and ONNX Runtime agrees."""
    try:
        program = hwc.compile(case.model().SerializeToString())
        made = program(*case.arguments.values())
    except UserError as error:
        said = str(error)
        if said.startswith("-: error: result 'y"):
            # Only a call knows its axes, or ONNX's inference refuses the node.
            assert said.endswith("has an unknown rank") or judged(case) is None, said
            return "refused"
        assert said.startswith("-: node it: error: ") and case.operator in said, said
        if case.operator not in STRICTER.keys() | FATAL:
            assert judged(case) is None, said
        return "refused"
    wanted = judged(case)
    assert wanted is not None
    for got, right in zip(made.outputs, wanted, strict=True):
        assert got.shape == right.shape
        np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-5)
    known = "learned" not in str(program.package.shape_program)
    return "known" if known else "learned"


@pytest.mark.parametrize("name", ["Conv", "MaxPool", "Slice", "Einsum", "indices", "Attention"])
def test_some_cases(name):
    ends = {check(MAKERS[name](np.random.default_rng(number))) for number in range(2)}
    assert "known" in ends and "learned" not in ends


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_many_cases(name):
    ends = {"known": 0, "learned": 0, "refused": 0}
    for number in range(150):
        rng = np.random.default_rng([11, number])
        case = MAKERS[name](rng)
        changed = number % 2 == 1
        try:
            ends[check(mutated(case, rng) if changed else case)] += 1
        except AssertionError as error:
            raise AssertionError(f"{name}, case {number}: {case}\n{error}") from error
    assert ends["known"] > ends["learned"] or name == "losses"
    assert ends["refused"]
