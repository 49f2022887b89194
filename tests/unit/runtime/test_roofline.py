"""The roofline of hand-made counters."""

import pytest

from hwc.runtime.roofline import bound, ideal_cycles, roofline_share
from isa.target import load_target

TARGET = load_target("accel")
BUSY = ("lane_busy", "special_busy")


@pytest.mark.parametrize(
    ("read", "written", "lane", "special", "ideal", "resource"),
    [
        (320, 64, 5, 5, 10, "reads"),
        (321, 64, 5, 5, 11, "reads"),
        (64, 320, 5, 5, 10, "writes"),
        (320, 320, 10, 10, 10, "reads"),
        (64, 64, 50, 20, 50, "lanes"),
        (64, 64, 20, 50, 50, "special functions"),
        (0, 0, 0, 0, 0, None),
    ],
)
def test_the_largest_of_four(read, written, lane, special, ideal, resource):
    """Lanes and special functions work at the same time, so their beats do not add up."""
    counters = {"bytes_read": read, "bytes_written": written, "cycles": 100}
    counters |= {"lane_busy": lane, "special_busy": special}
    assert TARGET.axi_bytes == 32
    assert ideal_cycles(counters, TARGET) == ideal
    assert bound(counters, TARGET) == resource
    assert roofline_share(counters, TARGET) == ideal / 100


def test_nothing_ran():
    counters = {"bytes_read": 0, "bytes_written": 0, "cycles": 0} | dict.fromkeys(BUSY, 0)
    assert roofline_share(counters, TARGET) == 0
