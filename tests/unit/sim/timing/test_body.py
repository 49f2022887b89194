"""The phases of a body and their times, by hand."""

import pytest
from kernels import TARGETS

from isa.asm import assemble
from isa.encode import decode
from isa.load import load
from sim.kernel import Operation
from sim.timing.body import PhaseTime, body_time, phases_of

ACCEL = TARGETS["accel"]
LANE, SPECIAL = load().timing.lane, load().timing.special


def body(text):
    words = [decode(word) for word in assemble(text)]
    return [Operation(w.instruction, w.fields["dst"], w.sources, w.fields["imm"]) for w in words]


def segment(length, results):
    """The times of a phase without special instructions; `results` from its begin, like W."""
    return PhaseTime(length, 0, results - length, 0, 0)


@pytest.mark.parametrize(
    ("text", "points", "times"),
    [
        # One instruction: a beat for every 8 points, results a latency after the last.
        ("add.f32 o0, s0, s1", 256, [segment(32, 32 + LANE)]),
        # A short strip keeps the lanes until its results are there.
        ("add.f32 o0, s0, s1", 1, [segment(LANE, 1 + LANE)]),
        ("exp.f32 o0, s0", 256, [PhaseTime(0, 0, 0, 128, 128 + SPECIAL - 32)]),
        # Beats cover the latency of a dependence, or do not: then the difference is waited out.
        ("add.f32 v0, s0, s1\nmul.f32 o0, v0, s1", 256, [segment(64, 64 + LANE)]),
        ("add.f32 v0, s0, s1\nmul.f32 o0, v0, s1", 8, [segment(2 * LANE, LANE + 1 + LANE)]),
        ("mul.f32 v0, s0, s1\nabs.f32 o0, s0", 8, [segment(1 + LANE, 2 + LANE)]),
        # Only the last writer of a register counts.
        (
            "add.f32 v0, s0, s1\nabs.f32 v0, s0\nmul.f32 o0, v0, s1",
            8,
            [segment(1 + 2 * LANE, 1 + LANE + 1 + LANE)],
        ),
        # The group begins when the rows that it reads come, the next segment when its last ones do.
        (
            "mul.f32 v0, s0, s1\nabs.f32 v1, s0\nexp.f32 t0, v0\nadd.f32 o0, t0, v1",
            256,
            [
                PhaseTime(64, LANE, LANE, 128, 128 + SPECIAL - 32),
                segment(32, 32 + LANE),
            ],
        ),
        (
            "abs.f32 v1, s0\nmul.f32 v0, s0, s1\nexp.f32 t0, v0\nadd.f32 o0, t0, v1",
            256,
            [
                PhaseTime(64, 32 + LANE, LANE, 128, 128 + SPECIAL - 32),
                segment(32, 32 + LANE),
            ],
        ),
        # A group that reads nothing of its segment may begin a cycle after it.
        (
            "abs.f32 v0, s0\nexp.f32 t0, s0\nadd.f32 o0, t0, v0",
            256,
            [
                PhaseTime(32, 1, LANE, 128, 128 + SPECIAL - 32),
                segment(32, 32 + LANE),
            ],
        ),
        # Special instructions wait for each other like lanes do: 4 beats each, of 2 points.
        (
            "exp.f32 t0, s0\ntanh.f32 o0, t0",
            8,
            [PhaseTime(0, 0, 0, SPECIAL + 4, SPECIAL + 4 + SPECIAL - 1)],
        ),
    ],
)
def test_by_hand(text, points, times):
    found = body_time(ACCEL, phases_of(body(text)), ACCEL.lanes, points)
    assert found.phases == tuple(times)


def test_beats_of_both_ports():
    code = phases_of(body("mul.f32 v0, s0, s1\nexp.f32 t0, v0\nadd.f32 o0, t0, s0"))
    found = body_time(ACCEL, code, ACCEL.lanes, 100)
    assert (found.lane_beats, found.special_beats) == (2 * 13, 50)
    assert found.lane_length == 2 * 13
