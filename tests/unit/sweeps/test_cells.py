"""Cells of targets: those of synthesis as they are, and others near what synthesis would give."""

from __future__ import annotations

import dataclasses
import json

import pytest

from hwc.sweeps.cells import ESTIMATE, SYNTHESIS, cells, estimate, synthesised
from isa.target import load_target, target_names
from rtl_models.synthesis.cells import FILE, kept, keys, targets, text

KNOWN = synthesised()


def test_every_target_of_the_list_was_synthesised():
    assert [keys(known) for known, _ in KNOWN] == [keys(target) for target in targets()]


@pytest.mark.parametrize("name", target_names())
def test_a_target_that_was_synthesised(name):
    target = load_target(name)
    (count,) = (count for known, count in KNOWN if keys(known) == keys(target))
    assert cells(target) == (count, SYNTHESIS)
    assert cells(dataclasses.replace(target, name="other")) == (count, SYNTHESIS)


@pytest.mark.parametrize("left_out", range(len(KNOWN)))
def test_a_target_is_estimated_from_the_others(left_out):
    target, count = KNOWN[left_out]
    others = KNOWN[:left_out] + KNOWN[left_out + 1 :]
    assert estimate(target, others) == pytest.approx(count, rel=0.03)


def test_neighbours_of_a_target_that_was_synthesised():
    accel = load_target("accel")
    count, _ = cells(accel)
    # The bits of memories are not cells.
    assert cells(dataclasses.replace(accel, ring_bytes=2 * accel.ring_bytes)) == (count, ESTIMATE)
    less, origin = cells(dataclasses.replace(accel, output_streams=1, memory_latency=50))
    assert origin == ESTIMATE
    assert less < count


def test_more_of_a_part_is_more_cells():
    target = dataclasses.replace(load_target("accel"), memory_latency=50)
    count, origin = cells(target)
    assert origin == ESTIMATE
    for key, value in {
        "lanes": 16,
        "special_rate": 8,
        "input_streams": 7,
        "output_streams": 3,
    }.items():
        more, origin = cells(dataclasses.replace(target, **{key: value}))
        assert origin == ESTIMATE
        assert more > count


def test_the_file(tmp_path):
    rows = kept(FILE, "none")
    assert rows == []
    sources = {row["sources"] for row in json.loads(FILE.read_text())["targets"]}
    (digest,) = sources
    assert text(kept(FILE, digest)) == FILE.read_text(encoding="utf-8")
    assert kept(tmp_path / "none.json", digest) == []
