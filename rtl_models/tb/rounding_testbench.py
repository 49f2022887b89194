"""The part of the rounding's bench that runs inside the RTL simulator, under cocotb.

Golden is `FloatFormat.round`, of the number that significand, guard and sticky bit stand for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import Timer

from sim.semantics.formats import LANE, FloatFormat, canonical

FORMATS = {
    "binary32": LANE,
    "binary16": FloatFormat(exponent_bits=5, fraction_bits=10),
    "bfloat16": FloatFormat(exponent_bits=8, fraction_bits=7),
    "E5M2": FloatFormat(exponent_bits=5, fraction_bits=2),
    "E4M3": FloatFormat(exponent_bits=4, fraction_bits=3, infinite=False),
}
"""A lane's format and narrower ones."""

COUNT = 6000
"""Numbers for each format."""

TOP = LANE.fraction_bits
"""The highest bit of a significand."""


def numbers(format_: FloatFormat, random: Random) -> Iterator[tuple[int, int, int]]:
    """Draw an exponent field, a significand, and the guard and sticky bits below it.

    Most are near the limits of the format, and have few bits set or few clear: ties and carries.
    """
    bias = LANE.bias
    limits = (format_.min_exponent + bias, format_.max_exponent + bias, 1)
    for _ in range(COUNT):
        exponent = random.choice(limits) + random.randint(-format_.fraction_bits - 3, 3)
        if random.random() < 0.2:
            exponent = random.randint(1, 2 * bias)
        exponent = min(max(exponent, 1), 2 * bias + 1)  # up to the exponent of infinity
        low = random.getrandbits(TOP)
        kind = random.randrange(4)
        if kind == 0:
            low = 1 << random.randrange(TOP) | 1 << random.randrange(TOP)
        elif kind == 1:
            low = ((1 << TOP) - 1) << random.randrange(TOP) & ((1 << TOP) - 1)
        elif kind == 2:
            low &= -1 << random.randrange(TOP)
        hidden = 0 if exponent == 1 and random.random() < 0.5 else 1
        yield exponent, hidden << TOP | low, random.choice((0, 0, 1, 2, 3))


@cocotb.test()
async def every_format(dut: Any) -> None:
    """Every number is rounded as golden rounds it, for each format."""
    random = Random(cocotb.RANDOM_SEED)
    for name, format_ in FORMATS.items():
        dut.exponent_bits_i.value = format_.exponent_bits
        dut.fraction_bits_i.value = format_.fraction_bits
        dut.infinite_i.value = int(format_.infinite)
        kinds: dict[str, int] = dict.fromkeys(("zero", "subnormal", "normal", "infinite"), 0)
        for exponent, significand, below in numbers(format_, random):
            sign = random.getrandbits(1)
            dut.sign_i.value = sign
            dut.exponent_i.value = exponent
            dut.significand_i.value = significand
            dut.guard_i.value = below >> 1
            dut.sticky_i.value = below & 1
            await Timer(1, "ns")
            magnitude = significand << 2 | below
            exact = math.ldexp(magnitude, exponent - LANE.bias - TOP - 2)
            with np.errstate(over="ignore"):
                rounded = format_.round(np.array([-exact if sign else exact]))
            got, expected = int(dut.result_o.value), int(canonical(rounded).view(np.uint32)[0])
            assert got == expected, (
                f"{name}: exponent {exponent}, significand {significand:#x}, guard and sticky "
                f"{below:02b}: got {got:#010x}, expected {expected:#010x}"
            )
            kinds[_kind(abs(float(rounded[0])), format_)] += 1
        if format_ == LANE:
            del kinds["zero"]  # nothing that fits a lane is rounded away
        assert min(kinds.values()) > 0, f"{name}: {kinds}"


def _kind(magnitude: float, format_: FloatFormat) -> str:
    if magnitude == 0:
        return "zero"
    if not math.isfinite(magnitude):
        return "infinite"
    return "normal" if magnitude >= 2.0**format_.min_exponent else "subnormal"
