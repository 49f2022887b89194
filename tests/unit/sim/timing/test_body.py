"""The issue of a body's instructions, by hand."""

import pytest
from kernels import TARGETS

from isa.asm import assemble
from isa.encode import decode
from isa.load import load
from sim.kernel import Operation
from sim.timing.body import BodyTime, body_time

ACCEL = TARGETS["accel"]
LATENCY = {name: unit.latency for name, unit in load().units.items()}


def body(text):
    words = [decode(word) for word in assemble(text)]
    return [Operation(w.instruction, w.fields["dst"], w.sources, w.fields["imm"]) for w in words]


@pytest.mark.parametrize(
    ("text", "points", "length", "results", "beats"),
    [
        # One instruction: a beat for every 8 points, results a latency after the last.
        ("add.f32 o0, s0, s1", 256, 32, 32 + LATENCY["fadd"], 32),
        ("add.f32 o0, s0, s1", 1, 1, 1 + LATENCY["fadd"], 1),
        ("exp.f32 o0, s0", 256, 128, 128 + LATENCY["sfu"], 128),
        # Beats cover the latency of a dependence ...
        ("add.f32 v0, s0, s1\nmul.f32 o0, v0, s1", 256, 64, 64 + LATENCY["fmul"], 64),
        # ... or do not: then the difference is waited out.
        (
            "add.f32 v0, s0, s1\nmul.f32 o0, v0, s1",
            8,
            LATENCY["fadd"] + 1,
            LATENCY["fadd"] + 1 + LATENCY["fmul"],
            2,
        ),
        # An independent instruction of less latency waits for its turn to write back, and the
        # next strip starts without a gap.
        (
            "mul.f32 v0, s0, s1\nabs.f32 o0, s0",
            8,
            1 + LATENCY["fmul"] - LATENCY["alu"] + 1,
            1 + LATENCY["fmul"] + 1,
            2,
        ),
        # A fast instruction after a slow one writes back after the slow one's last result ...
        (
            "exp.f32 v0, s0\nabs.f32 o0, v0",
            256,
            128 + LATENCY["sfu"] - LATENCY["alu"] + 32,
            128 + LATENCY["sfu"] + 32,
            160,
        ),
        # ... and, with a latency longer than its beats, its last beat meets that result.
        (
            "exp.f32 v0, s0\nmul.f32 o0, v0, v0",
            16,
            8 + LATENCY["sfu"] - 2 + 2,
            8 + LATENCY["sfu"] + LATENCY["fmul"],
            10,
        ),
        # The last writes back later than the first: the next strip's first must not overtake it.
        (
            "abs.f32 v0, s0\nexp.f32 o0, s0",
            256,
            32 + 128 + LATENCY["sfu"] - LATENCY["alu"],
            32 + 128 + LATENCY["sfu"],
            160,
        ),
    ],
)
def test_by_hand(text, points, length, results, beats):
    assert body_time(ACCEL, body(text), ACCEL.lanes, points) == BodyTime(length, results, beats)
