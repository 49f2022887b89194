"""Bench of the input streams: fetch, rings and broadcast units against NumPy and the timing model.

Every kernel runs from memory to memory; every row that the vector pipe is given is compared with
`numpy.broadcast_to`, and every cycle and counter with `sim.timing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


@pytest.fixture(scope="module", params=targets("tiny", "accel", others=["wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The stream path of a target, built once."""
    return build(request.param)


def sizes_of(target: Target) -> list[int]:
    """Sizes about the number of lanes, where beats, passes and blocks end unevenly."""
    lanes = target.lanes
    return sorted({1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3})


def patterns(
    target: Target, generator: np.random.Generator, iterations: Sequence[Sequence[int]]
) -> Iterator[Case]:
    """Every way to broadcast operands to each iteration space, a kernel's streams at a time."""
    for iteration in iterations:
        choices = [(1, size) if size > 1 else (1,) for size in iteration]
        masks = list(product(*choices))
        for first in range(0, len(masks), target.input_streams):
            yield pattern_case(
                target, generator, iteration, masks[first : first + target.input_streams]
            )


def play_batches(bench: Bench, cases: Iterator[Case]) -> None:
    """Play cases in batches whose files stay small."""
    batch: list[Case] = []
    points = 0
    for case in cases:
        batch.append(case)
        points += case.points * len(case.inputs)
        if points > BATCH_POINTS:
            play(bench, batch, SEED)
            batch, points = [], 0
    if batch:
        play(bench, batch, SEED)


def test_shape_patterns(bench: Bench) -> None:
    """All patterns of rank 2 and some of rank 4."""
    generator = np.random.default_rng(SEED)
    sizes = sizes_of(bench.target)
    iterations = list(product(sizes, repeat=2))
    while len(iterations) < 120:
        iteration = tuple(int(size) for size in generator.choice(sizes, 4))
        if prod(iteration) <= 3000:
            iterations.append(iteration)
    play_batches(bench, patterns(bench.target, generator, iterations))


@pytest.mark.long
def test_all_shape_patterns(bench: Bench) -> None:
    """All patterns of rank 4, and so of every lower rank."""
    generator = np.random.default_rng(SEED)
    iterations = list(product(sizes_of(bench.target), repeat=4))
    play_batches(bench, patterns(bench.target, generator, iterations))


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
