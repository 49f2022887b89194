"""Every plan of some named programs: the hardware does what the simulator does, with equal bits."""

from __future__ import annotations

import numpy as np
import pytest
from bench.programs import named
from lockstep import counts
from lockstep.support import TARGETS, machine

from hwc.errors import DispatchError
from hwc.runtime import api
from hwc.runtime.program import Program

SHAPES = {
    "exp of a column": [(7, 1), (7, 30)],
    "layer norm": [(5, 20), (5, 1), (5, 1), (1, 20), (1, 20)],
    "rotary embedding": [(3, 4, 10), (3, 4, 10), (1, 4, 1), (1, 1, 10)],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SHAPES)
def test_every_plan(name, target):
    of, pair = named(name), machine(target)
    before = {what: getattr(pair, what) for what in ("dispatches", "faults", "cycles")}
    program = Program(api.compile(of.text(), target).package, pair)
    arrays = of.arrays(SHAPES[name])
    pair.differences.clear()
    expected = program(*arrays).outputs[0]
    cases = 1
    assert len(program.plans) > 1
    for plan in program.plans:
        try:
            result = program(*arrays, plan=plan)
        except DispatchError:  # an alternative for other sizes
            continue
        assert result.plan == plan
        np.testing.assert_array_equal(result.outputs[0], expected)
        cases += 1
    assert pair.differences == []
    done = {what: getattr(pair, what) - number for what, number in before.items()}
    counts.add(target, cases=cases, differences=0, **done)
