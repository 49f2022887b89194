"""Bench of the input streams: fetch, rings and broadcast units against NumPy and the timing model.

Every kernel runs from memory to memory; every row that the vector pipe is given is compared with
`numpy.broadcast_to`, and every cycle and counter with `sim.timing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
import pytest

from isa.target import Target
from rtl_models.tb.bench import Bench, targets
from rtl_models.tb.stream_bench import build, play
from rtl_models.tb.stream_cases import Case, pattern_case, random_cases

SEED = 1
BATCH_POINTS = 500_000
SAMPLE, SAMPLE_POINTS = 40, 3000
"""Iteration spaces of rank 4 in every run, and their points at most."""
LONG_POINTS, LONG_SAMPLE = 10_000_000, 200
"""Points of all iteration spaces of rank 4 that the long run plays in full, and how many it plays
of a target that has more."""


@pytest.fixture(scope="module", params=targets("tiny", "accel", others=["wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The stream path of a target, built once."""
    return build(request.param)


def sizes_of(target: Target) -> list[int]:
    """Sizes about the number of lanes, where beats, passes and blocks end unevenly."""
    lanes = target.lanes
    return sorted({1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3})


def spaces(target: Target, rank: int) -> list[tuple[int, ...]]:
    """Return every iteration space of a rank whose sizes are of `sizes_of`.

    Those of lower ranks are among them: with ones in front.
    """
    return list(product(sizes_of(target), repeat=rank))


def patterns(iteration: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every way to broadcast an operand to an iteration space: its own sizes."""
    return list(product(*((1, size) if size > 1 else (1,) for size in iteration)))


def play_patterns(bench: Bench, iterations: Sequence[Sequence[int]]) -> int:
    """Play every pattern of each iteration space, a kernel's streams at a time; returns how many.

    Batches keep the files small.
    """
    target, generator = bench.target, np.random.default_rng(SEED)
    batch: list[Case] = []
    played = points = 0
    for number, iteration in enumerate(iterations, 1):
        own = patterns(iteration)
        played += len(own)
        for first in range(0, len(own), target.input_streams):
            streams = own[first : first + target.input_streams]
            batch.append(pattern_case(target, generator, iteration, streams))
            points += prod(iteration) * len(streams)
        if points > BATCH_POINTS or number == len(iterations):
            play(bench, batch, SEED)
            batch, points = [], 0
            print(f"{number} of {len(iterations)} iteration spaces, {played} patterns")
    return played


def test_shape_patterns(bench: Bench) -> None:
    """All patterns of rank 3 and below, and a sample of rank 4."""
    sizes = sizes_of(bench.target)
    assert play_patterns(bench, spaces(bench.target, 3)) == (2 * len(sizes) - 1) ** 3
    generator = np.random.default_rng(SEED)
    whole = [space for space in spaces(bench.target, 4) if prod(space) <= SAMPLE_POINTS]
    play_patterns(bench, [whole[i] for i in generator.choice(len(whole), SAMPLE, replace=False)])


@pytest.mark.long
def test_all_shape_patterns(bench: Bench) -> None:
    """All patterns of rank 4: each size is 1, or another that an operand has or repeats.

    That is 2n - 1 choices per dimension with n sizes. Long: they are millions of cycles. On `wide`
    the iteration spaces have 63 million points, and 6 million on `accel`, whose logic is the same
    with half the lanes: of `wide` it plays all patterns of spaces that a seed draws, about as many
    points as all spaces of `accel` have.
    """
    sizes, every = sizes_of(bench.target), spaces(bench.target, 4)
    if sum(map(prod, every)) > LONG_POINTS:
        generator = np.random.default_rng(SEED)
        chosen = generator.choice(len(every), LONG_SAMPLE, replace=False)
        play_patterns(bench, [every[i] for i in chosen])
        return
    assert play_patterns(bench, every) == (2 * len(sizes) - 1) ** 4


def test_held_blocks(bench: Bench) -> None:
    """Blocks that just fit the ring, that just do not, and rows of small blocks."""
    target, generator = bench.target, np.random.default_rng(SEED)
    cases = []
    fits = target.ring_bytes // 4
    for size in (fits // 2, fits // 2 + 3, fits - 17, fits - 1, fits, fits + 1, 2 * fits, 4 * fits):
        cases.append(pattern_case(target, generator, (4, 3, size), [(4, 1, size), (1, 3, size)]))
        cases.append(pattern_case(target, generator, (3, size), [(3, 1), (1, size), (3, size)]))
    rows = fits // 8
    for inner in (7, 8, 9):
        cases.append(
            pattern_case(
                target, generator, (3, rows, 2, inner), [(1, rows, 1, inner), (1, rows, 1, 1)]
            )
        )
    play(bench, cases, SEED)


def test_random_kernels(bench: Bench) -> None:
    """Any rank, pattern, type, phase and number of streams: every cycle is right."""
    generator = np.random.default_rng(SEED)
    play(bench, random_cases(bench.target, generator, 150, 3000), SEED)


def test_random_stalls(bench: Bench) -> None:
    """The same with a memory and a pipe that hesitate: every bit is right."""
    generator = np.random.default_rng(SEED + 1)
    play(bench, random_cases(bench.target, generator, 60, 2000), SEED, stalls=True)


@pytest.mark.long
def test_many_random_kernels(bench: Bench) -> None:
    """More and longer kernels."""
    for seed in range(2, 12):
        generator = np.random.default_rng(seed)
        play(bench, random_cases(bench.target, generator, 100, 20_000), seed)
