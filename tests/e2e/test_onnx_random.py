"""Random models: cut anywhere, in any order, they compute what ONNX Runtime computes."""

from random import Random

import numpy as np
import pytest
from e2e.support.onnx_models import expected, model, node

import hwc
from hwc.package import to_bytes

UNARY = ("Abs", "Neg", "Relu", "Tanh", "Sigmoid", "Ceil", "Softplus", "Softsign", "Identity")
BINARY = ("Add", "Sub", "Mul", "Max", "Min")
ON_HOST = ("ReduceMean", "Softmax", "CumSum", "Transposed")
"""All of them keep the rank, and sizes 1 stay 1, so that any two values broadcast."""

SIZES = {"a": ["n", "m"], "b": [1, "m"], "c": ["n", 1]}


def random_model(rng):
    """The bytes of a model of arguments %a, %b and %c."""
    values, nodes = ["a", "b", "c", "w"], []
    for number in range(rng.randint(4, 14)):
        kind, result = rng.random(), f"v{number}"
        first, second = rng.choice(values), rng.choice(values[-5:])
        if kind < 0.4:
            nodes.append(node(rng.choice(BINARY), f"{first} {second}", result))
        elif kind < 0.7:
            nodes.append(node(rng.choice(UNARY), second, result))
        else:
            nodes += on_host(rng.choice(ON_HOST), second, result)
        values.append(result)
    made = [name for name in values if name.startswith("v")]
    outputs = sorted({made[-1], *rng.sample(made, min(2, len(made)))})
    return model(
        nodes,
        {name: ("f4", sizes) for name, sizes in SIZES.items()},
        {name: ("f4", ["x", "y"]) for name in outputs},
        {"w": np.full((1, 1), 0.5, np.float32), "axis": np.int64(1)},
        version=13,
    )


def on_host(operator, value, result):
    if operator == "ReduceMean":
        return [node("ReduceMean", value, result, axes=[1], keepdims=1)]
    if operator == "Softmax":
        return [node("Softmax", value, result, axis=1)]
    if operator == "CumSum":
        return [node("CumSum", f"{value} axis", result)]
    turned = node("Transpose", value, f"{result}t", perm=[1, 0])
    return [turned, node("Transpose", f"{result}t", result, perm=[1, 0])]


@pytest.mark.parametrize("seed", range(20))
def test_random_models(seed):
    rng = Random(seed)
    content = random_model(rng)
    program = hwc.compile(content)
    assert to_bytes(hwc.compile(content).package) == to_bytes(program.package)
    data = np.random.default_rng(seed)
    for n, m in ((1, 1), (1, 5), (4, 1), (7, 12)):
        shapes = {"a": (n, m), "b": (1, m), "c": (n, 1)}
        feeds = {k: data.standard_normal(s).astype(np.float32) for k, s in shapes.items()}
        result = program(*feeds.values())
        for got, wanted in zip(result.outputs, expected(content, feeds), strict=True):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
