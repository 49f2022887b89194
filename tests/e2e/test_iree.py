"""IREE agrees, for dynamic programs and shapes that fit (others give wrong results there)."""

import numpy as np
import pytest
from e2e.support.data import elements
from e2e.support.iree import Judge
from e2e.support.tosa_text import chain_program, dynamic, one_operator

import hwc
from hwc.cli.compare import Tolerance, difference

CHAIN_SHAPES = (
    [(8, 33), (8, 33), (8, 33), (8, 33)],
    [(8, 33), (1, 33), (8, 1), (1, 1)],
    [(1, 33), (8, 1), (1, 1), (8, 33)],
    [(1, 1), (1, 1), (1, 1), (1, 1)],
    [(3, 100), (3, 1), (1, 100), (1, 1)],
)


def test_a_fully_dynamic_chain():
    text = chain_program([dynamic(2)] * 4, dynamic(2))
    program, judge = hwc.compile(text), Judge(text)
    rng = np.random.default_rng(5)
    for shapes in CHAIN_SHAPES:
        arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]
        (output,), (expected,) = program(*arrays).outputs, judge(*arrays)
        # IREE's tanh is an approximation of its own, some ulp off near 0; ours is within 1 ulp.
        assert difference(output, expected, Tolerance(rtol=1e-6, atol=1e-6)) is None


@pytest.mark.parametrize(
    ("operator", "kinds", "result", "attributes"),
    [
        ("add", ("i32", "i32"), "i32", ""),
        ("sub", ("f32", "f32"), "f32", ""),
        ("select", ("i1", "i32", "i32"), "i32", ""),
        ("greater", ("f32", "f32"), "i1", ""),
        ("arithmetic_right_shift", ("i32", "i32"), "i32", "round = true"),
    ],
)
def test_operators_bit_for_bit(operator, kinds, result, attributes):
    shape = dynamic(2)
    text = one_operator(operator, [(shape, k) for k in kinds], (shape, result), attributes)
    program, judge = hwc.compile(text), Judge(text)
    rng = np.random.default_rng(6)
    for shapes in ([(5, 7), (5, 7), (5, 7)], [(5, 1), (1, 7), (1, 1)], [(1, 7), (5, 7), (5, 1)]):
        arrays = [
            # IREE flushes subnormals to zero, so floats are ordinary ones here.
            rng.standard_normal(s, dtype=np.float32)
            if kind == "f32"
            else elements(kind, s, rng, shift=operator.endswith("shift") and i == 1)
            for i, (kind, s) in enumerate(zip(kinds, shapes, strict=False))
        ]
        (output,), (expected,) = program(*arrays).outputs, judge(*arrays)
        assert difference(output, expected.astype(output.dtype), Tolerance()) is None
