"""Random programs: the reference model of TOSA and IREE agree with the package."""

import numpy as np
import pytest
from bench import judges
from e2e.support.mlir_tools import TOSA_OPT

pytest.importorskip("iree.compiler")
pytestmark = pytest.mark.skipif(TOSA_OPT is None, reason="tosa-tools is not installed")

PROGRAMS, LONG_PROGRAMS = 5, 100


def play(first, count):
    seen = sum(map(judges.check, range(first, first + count)), start=judges.Counter())
    assert seen["calls equal to IREE"] > count
    assert seen["calls equal to the reference model"] > 0


def test_a_sample():
    play(0, PROGRAMS)


@pytest.mark.long
def test_a_larger_sample():
    play(PROGRAMS, LONG_PROGRAMS)


def test_iree_still_builds_tensors_of_rank_2_wrongly():
    """Once this fails, `judges.BUILT_WRONGLY_BY_IREE` can go."""
    text = """
        func.func @main(%a: tensor<?xi32>) -> tensor<2x1xi32> {
          %zero = arith.constant 0 : index
          %size = tensor.dim %a, %zero : tensor<?xi32>
          %first = arith.index_cast %size : index to i32
          %second = arith.constant 1 : i32
          %built = tensor.from_elements %first, %second : tensor<2x1xi32>
          return %built : tensor<2x1xi32>
        }"""
    assert judges.BUILT_WRONGLY_BY_IREE.search(text)
    (built,) = judges.Judge(text, "auto")(np.zeros(3, np.int32))
    assert built.tolist() == [[1], [1]]


def test_a_wrong_result_is_noticed(monkeypatch):
    def wrong(text, arrays):
        return [result + 1 for result in honest(text, arrays)]

    honest = judges.reference_model
    monkeypatch.setattr(judges, "reference_model", wrong)
    with pytest.raises(judges.DifferentError, match=r"seed \d+, the reference model: result 0"):
        for seed in range(PROGRAMS, 3 * PROGRAMS):
            judges.check(seed)
