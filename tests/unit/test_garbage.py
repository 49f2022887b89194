"""The thresholds of the garbage collector while programs are compiled, and afterwards."""

import gc
import weakref

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block

from hwc.dialects.building import discard
from hwc.garbage import THRESHOLDS, fewer_collections


@pytest.fixture
def usual():
    """The thresholds as they are, which are the same again after the test."""
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


def test_the_last_user_brings_the_thresholds_back(usual):
    first, second = fewer_collections(), fewer_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == THRESHOLDS
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_an_error_brings_the_thresholds_back(usual):
    with pytest.raises(ValueError, match="bad"), fewer_collections():
        raise ValueError("bad")
    assert gc.get_threshold() == usual


def test_a_collector_that_is_switched_off_stays_so(usual):
    gc.set_threshold(0)
    with fewer_collections():
        assert gc.get_threshold()[0] == 0


def test_a_discarded_operation_is_gone_without_a_collection(usual):
    one = arith.ConstantOp(IntegerAttr(1, i32))
    block = Block([one, arith.AddiOp(one, one)])
    gc.disable()
    try:
        last = block.last_op
        assert last is not None
        seen = weakref.ref(last)
        discard(last)
        del last
        assert seen() is None
    finally:
        gc.enable()
    assert list(block.ops) == [one]
    assert not one.result.uses


def test_an_operation_in_use_is_not_discarded():
    one = arith.ConstantOp(IntegerAttr(1, i32))
    Block([one, arith.AddiOp(one, one)])
    with pytest.raises(ValueError, match="still has uses"):
        discard(one)
