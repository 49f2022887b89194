"""The roofline of hand-made counters."""

import pytest

from hwc.runtime.roofline import ideal_cycles, roofline_share
from isa.target import load_target

TARGET = load_target("accel")


@pytest.mark.parametrize(
    ("read", "written", "beats", "ideal"),
    [(320, 64, 5, 10), (321, 64, 5, 11), (64, 320, 5, 10), (64, 64, 50, 50), (0, 0, 0, 0)],
)
def test_the_largest_of_three(read, written, beats, ideal):
    counters = {"bytes_read": read, "bytes_written": written, "vector_busy": beats, "cycles": 100}
    assert TARGET.axi_bytes == 32
    assert ideal_cycles(counters, TARGET) == ideal
    assert roofline_share(counters, TARGET) == ideal / 100


def test_nothing_ran():
    counters = {"bytes_read": 0, "bytes_written": 0, "vector_busy": 0, "cycles": 0}
    assert roofline_share(counters, TARGET) == 0
