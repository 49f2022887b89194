"""Bench of the vector pipe: results, cycles and counters of bodies, directed and random."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isa.operands import O, S, T, V, immediate_code
from rtl_models.tb.bench import Bench, build, targets
from rtl_models.tb.body_rules import register
from rtl_models.tb.vector_bench import play
from rtl_models.tb.vector_cases import (
    MAX_STRIPS,
    UNITS,
    VECTOR,
    Case,
    Kernels,
    hesitant,
    operation,
)
from sim.semantics.lookup_table import FILL

SEED = 1
COUNT = 200
LONG_COUNT = 3000
IMM = immediate_code()

OF_UNIT = {
    unit: max(
        (i for i in VECTOR if i.unit == unit and i.operation != FILL),
        key=lambda i: len(i.operands),
    ).name
    for unit in UNITS
}
"""An instruction of each unit, with as many operands as any, but none that a body has once only."""


@pytest.fixture(scope="module", params=targets("tiny", others=["accel", "wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The pipe, built once for a target."""
    return build("vector_pipe_bench", request.param)


def test_every_instruction(bench: Bench) -> None:
    """Each instruction from streams to a stream, and from registers to a register."""
    kernels = Kernels(bench.target, SEED)
    points = bench.target.vlen + bench.target.lanes + 1
    cases: list[Case] = []
    for instruction in VECTOR:
        name, count = instruction.name, len(instruction.operands)
        cases.append(kernels.directed(points, operation(name, O(0), *map(S, range(count)))))
        moves = [operation("mov", V(n + 1), S(n)) for n in range(count)]
        own = register(name, 0)
        work = operation(name, own, *map(V, range(1, count + 1)))
        cases.append(kernels.directed(points, *moves, work, operation("mov", O(0), own)))
    play(bench, cases)


def test_every_pair_of_units(bench: Bench) -> None:
    """One unit after the other: it reads, it overwrites, or it has nothing to do with the first."""
    kernels = Kernels(bench.target, SEED)
    cases: list[Case] = []
    for first in UNITS:
        for second in UNITS:
            one, last = OF_UNIT[first], OF_UNIT[second]
            own, other = register(one, 0), register(last, 1)
            begin = operation(one, own, S(0), S(1))
            again = operation(last, register(last, 0), S(1), S(0))
            for body in (
                [begin, operation(last, O(0), own, S(1))],
                [begin, again, operation("mov", O(0), register(last, 0))],
                [begin, operation(last, other, S(1), S(0)), operation(last, O(0), own, other)],
            ):
                cases.append(kernels.directed(kernels.points(), *body))
    play(bench, cases)


def test_lengths(bench: Bench) -> None:
    """Phases that read each other's results, for every length of a strip and all copies."""
    kernels = Kernels(bench.target, SEED)
    body = (
        operation("recip.f32", T(0), S(0)),
        operation("add.f32", V(1), T(0), S(1)),
        operation("div.i32", T(2), V(1), T(0)),
        operation("sub.i32", O(0), T(2), V(1)),
    )
    before = operation("mul.f32", V(0), S(0), S(1))
    bodies = [
        body,
        (before, *body),
        (before, body[0], operation("exp.f32", O(0), V(0))),
        (before, operation("recip.f32", T(0), V(0)), operation("mov", O(0), T(0))),
    ]
    cases = [
        kernels.directed(strips * bench.target.vlen + points, *code, copies=4)
        for points in range(1, 6 * bench.target.lanes + 2)
        for strips, code in zip((0, 1, 5, 5), bodies, strict=True)
    ]
    play(bench, cases)


def test_short_beats(bench: Bench) -> None:
    """An instruction per cycle: many instructions on a point, and one on many strips."""
    kernels, target = Kernels(bench.target, SEED), bench.target
    chain = [operation("mov", V(n % target.vector_registers), S(n % 2)) for n in range(60)]
    end = operation("add.i32", O(0), V(0), V(1))
    half = target.registers("vector", 2)
    lanes = [operation("mov", V(n % half), S(n % 2)) for n in range(30)]
    specials = [operation("exp.f32", T(n % 8), S(n % 2)) for n in range(30)]
    immediate = operation("mov", O(0), IMM, immediate=0x12345678)
    cases = [
        kernels.directed(1, *chain, end),
        kernels.directed(target.lanes + 1, *chain, end),
        kernels.directed(1, *lanes, *specials, operation("add.i32", O(0), T(0), V(0))),
        kernels.directed(7 * target.vlen + 1, operation("mov", O(0), S(0))),
        kernels.directed(7 * target.vlen + 1, operation("exp.f32", O(0), S(0))),
        kernels.directed(1, immediate),
        kernels.directed(7 * target.vlen - 1, immediate),
    ]
    play(bench, cases + hesitant(cases))


def test_table(bench: Bench) -> None:
    """Reads of the table after fills of few points, of all entries and of more."""
    kernels = Kernels(bench.target, SEED)
    most = MAX_STRIPS * bench.target.vlen
    cases: list[Case] = []
    for count in (1, 3, bench.target.vlen, 255, 256, 257, 512, 513, 514, 700):
        points = min(count, most)
        cases.append(kernels.directed(points, operation("fill", O(0), S(0))))
        for name in ("lookup.i8", "interp.i16"):
            case = kernels.directed(bench.target.vlen + 5, operation(name, O(0), S(0)))
            values = kernels.random.lanes(case.points)
            cases.append(replace(case, inputs={0: values}))
    play(bench, cases)


def test_random(bench: Bench) -> None:
    """Random bodies; inputs come as soon as they can and results are stored at once."""
    kernels = Kernels(bench.target, SEED)
    play(bench, [kernels.random_case() for _ in range(COUNT)])


def test_random_hesitant(bench: Bench) -> None:
    """Random bodies; every input and the store hesitate, for a row and for a strip."""
    kernels = Kernels(bench.target, SEED + 1)
    play(bench, hesitant(kernels.random_case() for _ in range(COUNT)))


def test_reset_in_mid_run(bench: Bench) -> None:
    """A reset forgets everything: the same kernels run as the first time."""
    kernels = Kernels(bench.target, SEED + 2)
    short = kernels.directed(1, operation("mov", O(0), S(0)))  # has ended by then
    cases = [short, *(kernels.random_case() for _ in range(10))]
    play(bench, cases, reset_after=1000)


@pytest.mark.long
def test_random_long(bench: Bench) -> None:
    """Many random bodies, mixed."""
    kernels = Kernels(bench.target, SEED + 3)
    cases = [kernels.random_case() for _ in range(LONG_COUNT)]
    play(bench, cases[::2] + hesitant(cases[1::2]))
