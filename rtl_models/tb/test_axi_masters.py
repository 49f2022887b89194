"""Bench of the AXI masters: the stream path on cocotbext-axi's memory, all five channels held back.

That memory checks the protocol from the other side. Cycles mean nothing here; every bit does, and
the bytes and beats of both directions.
"""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.bench import Bench, targets
from rtl_models.tb.stream_bench import build, play
from rtl_models.tb.stream_cases import pattern_case, random_cases

SEED = 1


@pytest.fixture(scope="module", params=targets("tiny", others=["accel", "wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The stream path of a target with its bus outside, built once."""
    return build(request.param, external_memory=True)


def test_random_kernels(bench: Bench) -> None:
    """Any pattern, type and phase."""
    generator = np.random.default_rng(SEED)
    play(bench, random_cases(bench.target, generator, 25, 600), SEED, stalls=True)


def test_long_bursts(bench: Bench) -> None:
    """Streams that fill bursts of the longest kind and cross their boundaries."""
    generator = np.random.default_rng(SEED)
    words = 3 * bench.target.burst_beats
    points = words * bench.target.axi_bytes // 4
    play(bench, [pattern_case(bench.target, generator, (points,), [(points,)])], SEED, stalls=True)
