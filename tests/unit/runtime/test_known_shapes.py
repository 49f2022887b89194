"""The sizes of a call are worked out once for equal shapes, if the shapes alone decide them."""

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError
from hwc.package import ShapeProgram
from hwc.runtime import runner

ADD = """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""


@pytest.fixture
def evaluated(monkeypatch):
    """The shapes for which sizes were worked out."""
    found = []
    begin = runner.begin

    def noting(package, shapes, *arrays):
        found.append(tuple(shapes))
        return begin(package, shapes, *arrays)

    monkeypatch.setattr(runner, "begin", noting)
    return found


def ones(*shape):
    return np.ones(shape, np.float32)


def test_equal_shapes_are_worked_out_once(evaluated):
    program = hwc.compile(ADD)
    for rows in (2, 3, 2, 3):
        (result,) = program(ones(rows, 3), ones(1, 3)).outputs
        np.testing.assert_array_equal(result, 2 * ones(rows, 3))
    assert evaluated == [((2, 3), (1, 3)), ((3, 3), (1, 3))]


def test_shapes_that_do_not_fit_are_refused_every_time(evaluated):
    program = hwc.compile(ADD)
    for _ in range(2):
        with pytest.raises(DispatchError, match="do not broadcast"):
            program(ones(2, 3), ones(2, 2))
    assert len(evaluated) == 2


def test_sizes_that_depend_on_elements_are_worked_out_for_every_call(evaluated, monkeypatch):
    monkeypatch.setattr(ShapeProgram, "needs_elements", True)
    program = hwc.compile(ADD)
    for _ in range(3):
        program(ones(2, 3), ones(1, 3))
    assert len(evaluated) == 3
