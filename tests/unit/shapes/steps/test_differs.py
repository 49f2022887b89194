"""`differs(s0, 1)`."""

import pytest
from unit.shapes.steps.strategies import call, table

from hwc.shapes.steps import Differs, SizesRefused


def test_it_accepts_every_other_size():
    step = Differs("a", 1)
    for size in (0, 2, 1 << 30):
        step.evaluate(call(a=size))
    with pytest.raises(SizesRefused, match=r"^size 1 must not be 1$"):
        step.evaluate(call(a=1))


def test_replay_excludes_the_number():
    symbols = table("a")
    Differs("a", 1).replay(symbols)
    assert symbols.range_of("a").excludes_one
    assert symbols.range_of("a").contains(0)
