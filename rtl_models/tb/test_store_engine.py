"""Bench of the store engine: every type at every phase of a bus word, from memory to memory."""

from __future__ import annotations

import numpy as np
import pytest

from isa.load import load
from rtl_models.tb.bench import Bench, targets
from rtl_models.tb.stream_bench import build, play
from rtl_models.tb.stream_cases import MEMORY_BASE, Case

SEED = 1
OUTPUT_BASE = MEMORY_BASE + 0x4000


@pytest.fixture(scope="module", params=targets("tiny", "accel", others=["wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The stream path of a target, built once."""
    return build(request.param)


def cases_of(bench: Bench) -> list[Case]:
    """Every type and phase, with numbers of points about rows, bus words and strips."""
    target = bench.target
    generator = np.random.default_rng(SEED)
    kinds = load().types
    lanes, vlen = target.lanes, target.vlen
    cases = []
    for kind, info in kinds.items():
        for phase in range(0, target.axi_bytes, info.bytes):
            points = int(
                generator.choice(
                    [1, 2, lanes - 1, lanes, lanes + 1, vlen - 1, vlen, vlen + 1, 3 * vlen + 5]
                )
            )
            other = str(generator.choice(list(kinds)))
            outputs = [
                (kind, OUTPUT_BASE + phase),
                (other, OUTPUT_BASE + 0x4000 - kinds[other].bytes),
            ]
            cases.append(
                Case(
                    (points,),
                    (("i32", MEMORY_BASE, (points,)),),
                    tuple(outputs[: min(2, target.output_streams)]),
                )
            )
    return cases


def test_types_and_phases(bench: Bench) -> None:
    """Bytes, strobes, bursts and cycles."""
    play(bench, cases_of(bench), SEED)


def test_types_and_phases_with_stalls(bench: Bench) -> None:
    """Bytes, strobes and bursts where addresses and words are not taken at once."""
    play(bench, cases_of(bench), SEED, stalls=True)
