"""The bytes that strided streams take: in the window or not, on an output or not."""

import pytest

from isa.load import load
from isa.operands import O, S
from sim import shapes
from sim.kernel import Stream

I16 = load().types["i16"]
WINDOW = (0x1000, 0x2000)
DENSE = Stream.dense(O(0), I16, 0x1800, (4, 5))


def stream(code, address, strides, sizes=(4, 5)):
    return Stream(code, I16, address, sizes, strides)


def fault_of(*inputs, output=DENSE):
    found = shapes.check(0, inputs, [output], WINDOW)
    return None if isinstance(found, tuple) else (found.name, found.stream)


@pytest.mark.parametrize(
    ("address", "strides", "fits"),
    [
        (0x1000, (5, 1), True),
        (0x1000, (-5, 1), False),
        (0x1000 + 30, (-5, 1), True),  # 3 rows of 5 elements of 2 bytes before it
        (0x1000 + 28, (-5, 1), False),
        (0x1000 + 38, (-5, -1), True),
        (0x1000 + 36, (-5, -1), False),
        (0x2000 - 40, (5, 1), True),
        (0x2000 - 40, (6, 1), False),
        (0x2000 - 46, (6, 1), True),
        (0x2000 - 2, (-5, -1), True),
        (0x2000 - 2, (0, 0), True),
    ],
)
def test_the_window_holds_every_element(address, strides, fits):
    expected = None if fits else ("out_of_window", S(0))
    assert fault_of(stream(S(0), address, strides)) == expected


@pytest.mark.parametrize(
    ("address", "strides", "shares"),
    [
        (0x1800, (5, 1), False),  # the same elements
        (0x1800, (1, 4), True),  # the same bytes in another order
        (0x1800 + 38, (-5, -1), True),
        (0x1800 - 40, (5, 1), False),
        (0x1800 - 40, (6, 1), True),
        (0x1800 + 40, (5, 1), False),
        (0x1800 + 40, (5, -1), True),
        (0x1800 + 40 + 30, (-5, 1), False),
    ],
)
def test_an_output_shares_bytes_with_no_other_elements(address, strides, shares):
    expected = ("overlap", O(0)) if shares else None
    assert fault_of(stream(S(0), address, strides)) == expected
