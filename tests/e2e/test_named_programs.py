"""The named programs of the benches: dynamic and static text mean the same."""

from __future__ import annotations

import numpy as np
import pytest
from bench.programs import PROGRAMS, Named, named

import hwc


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_dynamic_equals_static(program: Named):
    dynamic = hwc.compile(program.text())
    sets = program.shape_sets()
    assert len(sets) == 10
    for number in (2, 6, 7):
        arrays = program.arrays(sets[number], seed=number)
        (output,) = dynamic(*arrays).outputs
        (expected,) = hwc.compile(program.text(sets[number]))(*arrays).outputs
        np.testing.assert_array_equal(output, expected)
        assert np.isfinite(output).all()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_every_shape_set_fits_and_the_reported_one_is_large(program: Named):
    dynamic = hwc.compile(program.text())
    for shapes in program.shape_sets():
        dynamic.symbols(shapes)
    assert np.prod(np.broadcast_shapes(*program.shapes())) >= 1 << 16


def test_what_a_program_computes():
    """The text means what `meaning` says, for a program with constants, select and a mask."""
    program = named("attention mask")
    shapes = program.shape_sets()[2]
    scores, scale, mask = program.arrays(shapes)
    (output,) = hwc.compile(program.text())(scores, scale, mask).outputs
    expected = np.where(mask, scores * scale, np.float32(-1e9))
    np.testing.assert_array_equal(output, expected)
