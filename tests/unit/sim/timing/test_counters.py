"""Additions of 1 Mi elements reach the roofline; a static program and a dynamic one take alike."""

import pytest
from dispatch import host
from kernels import TARGETS, simple

from hwc.runtime.roofline import roofline_share
from sim.timing import kernel_time


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("kind", ["f32", "i16", "i8"])
@pytest.mark.parametrize(
    "sizes", [(1024, 1024), (1024,), (1024, 1), ()], ids=["dense", "row", "column", "scalar"]
)
def test_additions(target, kind, sizes):
    inputs = (kind, 0x100000, (1024, 1024)), (kind, 0x4000000, sizes)
    kernel = simple(target, (1024, 1024), *inputs, output=(kind, 1 << 30))
    counters = kernel_time(target, kernel)
    assert 0.95 <= roofline_share(counters, target) <= 1


def test_sizes_from_parameters_cost_nothing():
    text = """base s0, i8, rank=1, p0, +0
    size s0, 0, {0}
    base o0, i8, rank=1, p1, +0
    size o0, 0, {0}
    loop
    not o0, s0
    end
    halt"""
    addresses = [0x30000, 0x130000, 65536]
    static = host().run(text.format("#65536"), addresses)
    dynamic = host().run(text.format("p2"), addresses)
    assert static.counters == dynamic.counters
