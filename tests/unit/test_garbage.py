"""The garbage collector while programs are compiled, and afterwards."""

import gc
import weakref

import pytest
from bench.large_programs import PROGRAMS
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block

from hwc.compiler import compile_package
from hwc.dialects.building import discard
from hwc.frontend.source import Source
from hwc.garbage import no_collections
from isa.target import load_target


@pytest.fixture
def collector():
    """The collector, which is on before and after the test."""
    assert gc.isenabled()
    yield
    gc.enable()


def test_the_last_user_switches_it_on_again(collector):
    first, second = no_collections(), no_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_switches_it_on_again(collector):
    with pytest.raises(ValueError, match="bad"), no_collections():
        raise ValueError("bad")
    assert gc.isenabled()


def test_a_collector_that_is_switched_off_stays_so(collector):
    gc.disable()
    with no_collections():
        pass
    assert not gc.isenabled()


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_passes_leave_little_garbage(collector, program, monkeypatch):
    """It grows with the program: a pass that leaves some for each operator is noticed."""
    found: list[tuple[str, int]] = []

    def collect(name, module):
        found.append((name, gc.collect()))

    operators = 400
    source = Source("large.mlir", PROGRAMS[program](operators))
    compile_package(source, load_target("accel"), after_pass=collect)
    assert [each for each in found[1:] if each[1] > operators] == []


def test_a_discarded_operation_is_gone_without_a_collection(collector):
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
    with pytest.raises(AssertionError, match="still read"):
        discard(one)
