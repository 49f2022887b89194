"""Operators of ONNX models whose operands are constants are computed when the model is compiled."""

import numpy as np
import pytest
from e2e.support.onnx_models import data, expected, model, node

import hwc
from hwc.package import HostStep

X = {"x": ("f4", ["n", 6])}
Y = {"y": ("f4", ["n", 6])}
ROW = np.arange(6)


def compiled(nodes, constants, inputs=X, outputs=Y):
    content = model(nodes, inputs, outputs, constants)
    program = hwc.compile(content)
    for n in (1, 3):
        x = data(n, 6)
        for got, wanted in zip(program(x).outputs, expected(content, {"x": x}), strict=True):
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
    return [step.kind for step in program.package.steps]


@pytest.mark.parametrize(
    ("nodes", "constant"),
    [
        ([node("Cast", "c", "d", to=1)], ROW / 7),
        ([node("Mul", "c c", "e"), node("Cast", "e", "d", to=1)], ROW / 7),
        ([node("Cast", "c", "d", to=1)], ROW.astype("u1")),
        ([node("Transpose", "c", "d", perm=[1, 0])], ROW.astype("f4")[:, None]),
        ([node("Sqrt", "c", "d")], ROW.astype("f4")),
        ([node("Cast", "c", "i", to=6), node("Cast", "i", "d", to=1)], ROW / 0.3),
    ],
    ids=["f64", "a product of f64", "ui8", "transpose", "the machine's own", "to whole numbers"],
)
def test_a_constant_of_constants_costs_no_step(nodes, constant, monkeypatch):
    if constant.dtype == np.uint8:  # the models of tests have no number for it
        from e2e.support import onnx_models  # noqa: PLC0415 - only here

        monkeypatch.setitem(onnx_models.NUMPY, np.dtype("u1"), 2)
    assert compiled([*nodes, node("Add", "x d", "y")], {"c": constant}) == ["machine"]


def test_axes_that_are_computed_are_known():
    nodes = [node("Cast", "c", "axes", to=7), node("Unsqueeze", "x axes", "u")]
    nodes += [node("Exp", "u", "e"), node("Squeeze", "e axes", "y")]
    assert compiled(nodes, {"c": np.array([0], "i4")}) == ["machine"]


def test_what_an_engine_computes_better_is_left_to_it():
    """Numbers that an integer type does not hold, and results that fill the package."""
    nodes = [node("Cast", "c", "i", to=7), node("Cast", "i", "d", to=1), node("Add", "x d", "y")]
    assert compiled(nodes, {"c": np.array([1e30, 2])[:1]}) == ["host", "machine"]
    nodes = [node("Expand", "c s", "d"), node("Slice", "d a b", "e"), node("Add", "x e", "y")]
    constants = {"c": np.ones((1, 1), "f4"), "s": np.array([6000, 6])}
    constants |= {"a": np.array([0]), "b": np.array([1])}
    assert compiled(nodes, constants) == ["host", "machine"]


def test_a_result_that_is_folded():
    outputs = {**Y, "d": ("f4", [6])}
    nodes = [node("Cast", "c", "d", to=1), node("Add", "x d", "y")]
    assert compiled(nodes, {"c": ROW / 7}, outputs=outputs) == ["host", "machine"]


def test_a_damaged_operator_is_left_to_the_engine():
    nodes = [node("Reshape", "c s", "d"), node("Add", "x d", "y")]
    content = model(nodes, X, Y, {"c": ROW.astype("f4"), "s": np.array([7])})
    with pytest.raises(hwc.UserError, match="error: "):
        hwc.compile(content)(data(1, 6))


def test_weights_of_the_host_are_folded_into_its_part():
    content = model(
        [node("Cast", "c", "w", to=1), node("MatMul", "x w", "y")], X, Y, {"c": np.eye(6) / 3}
    )
    (step,) = hwc.compile(content).package.steps
    assert isinstance(step, HostStep)
    assert step.source == "MatMul"
