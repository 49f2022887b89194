"""A dispatch that differs becomes small, and one line shows it again: with hardware that is wrong.

The hardware of these tests is the simulator, except that it miscounts programs with `mul.f32`.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from lockstep import cases, counts, programs, replay
from lockstep.shrink import as_options, edited, from_options, shrink
from lockstep.support import check, play

import isa
from hwc.runtime import lockstep
from hwc.runtime.rtl import RtlDevice
from isa.errors import DecodeError
from isa.load import load
from isa.target import load_target
from rtl_models.simulation.errors import HardwareError
from rtl_models.tb.random_dispatches import Generator, Limits
from sim.machine import Machine

CULPRIT = "mul.f32"


class Wrong(RtlDevice):
    """Hardware that counts a cycle too many if a program multiplies and a kernel of it runs."""

    def run(self, memory, job, *, trace=None, cycles=0):
        words = memory.view(job.program_address, 8 * job.program_words).view("<u8").tolist()
        outcome = Machine(self._target).run(memory, job)
        counters = {**outcome.counters}
        if any(names(word) == CULPRIT for word in words) and counters["strips"]:
            counters["cycles"] += 1
        return replace(outcome, counters=counters)


def names(word: int) -> str:
    try:
        return isa.decode(word).name
    except DecodeError:
        return ""


@pytest.fixture
def pair(monkeypatch):
    monkeypatch.setattr(lockstep, "RtlDevice", Wrong)
    monkeypatch.setattr(lockstep, "first_difference", lambda expected, got: None)
    monkeypatch.setattr(counts, "COUNTS", Counter())
    return lockstep.Lockstep(load_target("tiny"))


def failing_seed(pair) -> int:
    """The first seed that differs and has several kernels."""
    for seed in range(100):
        dispatch = Generator(pair.target, seed, Limits()).draw()
        ends = [word for word in dispatch.words if names(word) == "end"]
        if len(ends) > 1 and play(pair, dispatch)[1]:
            return seed
    raise AssertionError("no seed multiplies")


def test_a_dispatch_becomes_as_small_as_it_can(pair):
    dispatch = Generator(pair.target, failing_seed(pair), Limits()).draw()
    edits = shrink(dispatch, lambda tried: bool(play(pair, tried)[1]))
    small = edited(dispatch, edits)
    assert play(pair, small)[1]
    left = [isa.decode(word) for word in small.words]
    assert [entry.name for entry in left if entry.name not in ("base", "size")] == (
        ["loop", CULPRIT, "end"]  # without halt it faults after the kernel, which differs as well
    )
    assert sum(entry.name == "base" for entry in left) == 1
    assert all(size(entry, small.packet) <= 1 for entry in left if entry.name == "size")
    assert from_options(*split(as_options(edits))) == edits


def test_words_that_are_no_instruction_are_left_out_too(pair):
    dispatch = Generator(pair.target, failing_seed(pair), Limits()).draw()
    unknown = next(code for code in range(256) if code not in load().by_opcode)
    with pytest.raises(DecodeError):
        isa.decode(unknown)
    spoiled = edited(dispatch, {})
    spoiled.words.append(unknown)  # after the last `halt`: the machine never sees it
    edits = shrink(spoiled, lambda tried: bool(play(pair, tried)[1]))
    assert edits[len(spoiled.words) - 1] is None


def size(entry, packet):
    """The size that a word gives: its own value, or a parameter's."""
    value = entry.fields["value"]
    return packet[1 + value] if entry.fields["from_param"] else value


def split(options):
    drop = [o.removeprefix("--drop=") for o in options if o.startswith("--drop=")]
    return "".join(drop), [o.removeprefix("--word=") for o in options if "--word=" in o]


def reproduced(error, capsys, monkeypatch) -> str:
    """What the printed line prints; it must exit with 1."""
    (line,) = re.findall(r"to reproduce: (.*)", str(error.value))
    words = shlex.split(line)
    assert words[0].startswith("PYTHONPATH=")
    assert words[2:4] == ["-m", "lockstep.replay"]
    monkeypatch.setattr(replay, "Lockstep", lockstep.Lockstep)
    capsys.readouterr()
    assert replay.main(words[4:]) == 1
    return capsys.readouterr().out


def test_a_failing_seed_prints_a_line_that_reproduces_it(pair, capsys, monkeypatch):
    seed = failing_seed(pair)
    with pytest.raises(pytest.fail.Exception) as error:
        check(pair, seed, Limits())
    assert "counter cycles" in str(error.value)
    out = reproduced(error, capsys, monkeypatch)
    assert "counter cycles" in out
    assert out.count(CULPRIT) == 1
    assert out.count("base") == 1
    assert counts.COUNTS["tiny cases"] == 1
    assert counts.COUNTS["tiny differences"] > 0


def test_a_failing_program_prints_a_line_that_reproduces_it(pair, capsys, monkeypatch):
    (text,) = [t for t in programs.texts() if t.name.endswith("one_operator mul-f32-f32-f32-0")]
    package = programs.package(text, "tiny")
    with pytest.raises(pytest.fail.Exception) as error:
        cases.check(pair, text, package, [(7, 1), (1, 9)], 3)
    assert "--shapes=1x1,1x1" in str(error.value)
    assert "counter cycles" in reproduced(error, capsys, monkeypatch)


def test_hardware_that_does_not_end_is_a_difference(pair, monkeypatch):
    def hang(self, memory, job, *, trace=None, cycles=0):
        assert 0 < cycles < 10_000_000
        raise HardwareError("error: the hardware does not come to an end")

    monkeypatch.setattr(Wrong, "run", hang)
    dispatch = Generator(pair.target, 0, Limits(kernels=1, points=30)).draw()
    (text,) = play(pair, dispatch)[1]
    assert "does not come to an end" in text
    assert "the simulator takes" in text


@pytest.mark.parametrize("wrong", cases.WRONG)
def test_a_wrong_word_is_refused(pair, monkeypatch, wrong):
    """By the simulator: each way of making an addition wrong ends in a fault of its own."""
    monkeypatch.setattr(Wrong, "run", None)
    monkeypatch.setattr(lockstep.Lockstep, "run", simulated)
    (text,) = [t for t in programs.texts() if t.name == "e2e/programs/add.mlir"]
    package = programs.package(text, "tiny")
    seen.clear()
    assert cases.play(pair, package, [(3, 5), (3, 5)], 0, wrong) == []
    assert seen == [FAULTS[wrong]]


FAULTS = {
    "grown": "output_shape",
    "huge": "bad_dimension",
    "shifted": "misaligned",
    "away": "out_of_window",
    "onto": "overlap",
    "version": "bad_version",
    "parameters": "bad_parameter",
    "words": "bad_structure",
}
seen: list[str] = []


def simulated(self, memory, job):
    outcome = Machine(self.target).run(memory, job)
    assert outcome.fault is not None
    assert outcome.fault.name in load().faults
    seen.append(outcome.fault.name)
    return outcome


def test_shapes_as_text():
    shapes = [(4, 1), (), (7,)]
    assert cases.from_text(cases.as_text(shapes)) == shapes
    assert np.prod(cases.from_text("2x3")[0]) == 6
