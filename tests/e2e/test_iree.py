"""IREE agrees, for dynamic programs and shapes that fit (others give wrong results there)."""

import ml_dtypes
import numpy as np
import pytest
from bench.programs import of_one_operator
from e2e.support.data import elements
from e2e.support.iree import Judge
from e2e.support.tosa_text import chain_program, dynamic, one_operator

import hwc
from hwc.cli.compare import Tolerance, difference
from hwc.cli.values import random_array
from hwc.dialects.tosa_conformance import TYPES
from hwc.dialects.tosa_table import OPERATORS

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


APPROXIMATED = {
    *("cos", "erf", "exp", "log", "pow", "reciprocal", "rsqrt", "sigmoid", "sin", "tanh"),
}
OTHER_OPERANDS = frozenset({"const", "reshape", "rescale", "table"})
SMALL = {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
NOT_IN_IREE = {
    *(("cast", f"{source}>bf16") for source in ("i8", "i16", "i32")),
    *(("cast", f"{a}>{b}") for f8 in ("f8E4M3FN", "f8E5M2") for a, b in ((f8, "f16"), ("f16", f8))),
}
"""What IREE 3.13 cannot compile for the CPU: it misses functions and conversions."""


def exact_operators():
    """Every operator whose result is exact or rounded once, with every type of TOSA 1.0."""
    for name in sorted(TYPES.keys() - APPROXIMATED - OTHER_OPERANDS):
        for types in dict.fromkeys(" ".join(TYPES[name].values()).split()):
            if (name, types) not in NOT_IN_IREE:
                yield name, types


@pytest.mark.long
@pytest.mark.parametrize(("operator", "types"), list(exact_operators()))
def test_every_exact_operator_in_every_type(operator, types):
    source, _, result = types.partition(">")
    result = result or source
    kinds = [source] * OPERATORS[operator].arity
    if OPERATORS[operator].condition:
        kinds[0] = "i1"
    one = "1" if source.startswith("i") else "1.0"
    attributes = {
        "arithmetic_right_shift": "round = true",
        "clamp": f"min_val = -{one} : {source}, max_val = {one} : {source}",
    }
    text = of_one_operator(operator, kinds, result, attributes=attributes.get(operator, "")).text()
    program, judge = hwc.compile(text), Judge(text)
    rng = np.random.default_rng(7)
    arrays = [random_array((5, 7), tensor.type, rng) for tensor in program.inputs]
    if "shift" in operator:
        arrays[1] = np.abs(arrays[1]) % (8 * arrays[1].itemsize)
    elif operator == "intdiv":
        arrays[1] |= 1
    given = [a.view(SMALL.get(k, a.dtype)) for a, k in zip(arrays, kinds, strict=True)]
    (output,), (expected,) = program(*arrays).outputs, judge(*given)
    expected = expected.astype(np.bool_) if result == "i1" else expected
    assert output.tobytes() == expected.tobytes()
