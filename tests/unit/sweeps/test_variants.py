"""Targets of a sweep: bases with every combination of the varied keys."""

from __future__ import annotations

import dataclasses

import pytest

from hwc.errors import TargetError, UserError
from hwc.sweeps.variants import variants
from isa.target import CONFIGS, load_target


def test_every_combination_in_order():
    found = variants(["tiny", CONFIGS / "wide.yaml"], {"lanes": (4, 8), "axi_bits": (64, 128)})
    assert [v.label for v in found] == [
        "tiny lanes=4 axi_bits=64",
        "tiny lanes=4 axi_bits=128",
        "tiny lanes=8 axi_bits=64",
        "tiny lanes=8 axi_bits=128",
        "wide lanes=4 axi_bits=64",
        "wide lanes=4 axi_bits=128",
        "wide lanes=8 axi_bits=64",
        "wide lanes=8 axi_bits=128",
    ]
    assert found[1].target() == dataclasses.replace(load_target("tiny"), lanes=4, axi_bits=128)


def test_nothing_varied():
    (found,) = variants([load_target("accel")], {})
    assert (found.label, found.target()) == ("accel", load_target("accel"))


def test_a_target_that_cannot_exist():
    bad, related = variants(["tiny"], {"lanes": (3, 32)})
    with pytest.raises(TargetError, match=r"^tiny lanes=3: error: lanes: got 3; allowed: a power"):
        bad.target()
    with pytest.raises(TargetError, match=r"^tiny lanes=32: error: vlen: got 64; allowed: at"):
        related.target()


@pytest.mark.parametrize(
    ("targets", "vary", "message"),
    [
        ([], {}, r"^targets: error: no target$"),
        (["tiny", "tiny"], {}, r"^targets: error: two targets are called 'tiny'"),
        (["none"], {}, r"^error: unknown target 'none'; known targets: accel"),
        (["tiny"], {"lane": (1,)}, r"^vary: error: unknown key 'lane'; known: lanes, vlen, "),
        (["tiny"], {"name": (1,)}, r"^vary: error: unknown key 'name'"),
    ],
)
def test_what_is_refused(targets, vary, message):
    with pytest.raises(UserError, match=message):
        variants(targets, vary)
