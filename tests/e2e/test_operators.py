"""Every operator with every element type, dynamic shapes, against NumPy."""

import numpy as np
import pytest
from e2e.support.data import elements
from e2e.support.reference import Case, cases
from e2e.support.tosa_text import dynamic, one_operator
from element_types import DTYPES

import hwc
from hwc.cli.compare import Tolerance, difference
from hwc.dialects.tosa_table import OPERATORS

CASES = list(cases())
SHAPES = (
    [(7, 300), (7, 300), (7, 300)],
    [(5, 1), (1, 130), (5, 130)],
    [(1, 1), (33, 3), (1, 3)],
)
CANONICAL_NAN = 0x7FC00000


def compiled(case: Case, target: str) -> hwc.Program:
    shape = dynamic(2)
    text = one_operator(
        case.operator,
        [(shape, kind) for kind in case.types],
        (shape, case.result),
        case.attributes,
        case.constants,
    )
    return hwc.compile(text, target)


def test_every_operator_is_there():
    elsewhere = {"div", "table"}  # the older name of intdiv; test_table.py
    assert {case.operator for case in CASES} == set(OPERATORS) - elsewhere


@pytest.mark.parametrize("case", CASES, ids=str)
def test_operator(case):
    index = CASES.index(case)
    program = compiled(case, ("accel", "tiny", "wide")[index % 3])
    for shapes in SHAPES:
        rng = np.random.default_rng([index, *shapes[0]])
        operands = [
            elements(kind, shape, rng, shift=case.shift_operand and i == 1)
            for i, (kind, shape) in enumerate(zip(case.types, shapes, strict=False))
        ]
        (output,) = program(*operands).outputs
        expected = np.asarray(case.meaning(*operands)).astype(DTYPES[case.result])
        shape = np.broadcast_shapes(*(x.shape for x in operands))
        problem = difference(output, np.broadcast_to(expected, shape), Tolerance(ulp=case.ulp))
        assert problem is None
        if case.result == "f32" and not case.keeps_nan_bits:
            bits = output.view(np.uint32)[np.isnan(output)]
            assert (bits == CANONICAL_NAN).all()
        elif case.result == "f32":
            np.testing.assert_array_equal(output.view(np.uint32), expected.view(np.uint32))
