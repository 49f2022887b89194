"""The regions of ONNX models, on simulator and hardware side by side."""

from __future__ import annotations

import numpy as np
import pytest
from e2e.support.onnx_models import expected, model, network, node
from lockstep.support import TARGETS, machine

from hwc.compiler import compile_package
from hwc.frontend.source import Source
from hwc.runtime.program import Program
from isa.target import load_target


def functions() -> bytes:
    """Regions of functions that a library of the model defines, on f16 and f32."""
    return model(
        [
            node("Mish", "x", "m"),
            node("Transpose", "m", "t", perm=[1, 0]),
            node("Cast", "t", "h", to=10),
            node("Elu", "h", "e"),
            node("Greater", "e h", "g"),
            node("Where", "g e h", "y"),
        ],
        {"x": ("f4", ["n", "m"])},
        {"y": ("f2", ["m", "n"])},
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("content", "shapes"),
    [(network(), [(1, 3, 8, 8), (2, 3, 5, 9)]), (functions(), [(3, 5), (1, 70)])],
    ids=["network", "functions"],
)
def test_models(target, content, shapes):
    pair = machine(target)
    made = compile_package(Source("m.onnx", content), load_target(target))
    program = Program(made.package, pair)
    for seed, shape in enumerate(shapes):
        x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        before, found = pair.dispatches, len(pair.differences)
        (got,), (wanted,) = program(x).outputs, expected(content, {"x": x})
        assert pair.dispatches > before
        assert pair.differences[found:] == []
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-3)
