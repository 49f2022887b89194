"""`program.time` equals a run, on random programs with random shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import time_equals_run
from random_programs.generator import calls, generate
from random_programs.graph import Graph
from time_equals_run import compare, compared_calls, timed

import hwc
from hwc.errors import UserError

PROGRAMS, LONG_PROGRAMS = 40, 10_000
CALLS = 6
TARGETS = ("accel", "tiny", "wide")
LARGE = (63, 64, 65, 257, 1000, 1, 1, 4096, 30_000)


def compile_graph(graph: Graph, target: str) -> hwc.Program:
    return hwc.compile(graph.text(), target, assume=[fact.text for fact in graph.options])


def check(seed: int) -> None:
    """Compare calls of a random program, with every plan."""
    generator = generate(seed)
    program = compile_graph(generator.graph, TARGETS[seed % len(TARGETS)])
    for arrays in calls(generator, CALLS):
        for plan in (None, *program.plans[:2]) if program.package.choices else (None,):
            try:
                ran = program(*arrays, plan=plan)
            except UserError as error:
                ran = error
            compare(ran, timed(program, [a.shape for a in arrays], plan))


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_PROGRAMS // 100))
def test_many_random_programs(chunk):
    before = time_equals_run.SEEN.copy()
    for seed in range(100 * chunk, 100 * (chunk + 1)):
        check(seed)
    assert time_equals_run.SEEN["equal"] - before["equal"] > 200
    assert time_equals_run.SEEN["refused"] > before["refused"]


ROWS = "tensor<?x?x{}>"
BODIES = {
    "add": "%0 = tosa.add %a, %b : ({t}, {t}) -> {t}",
    "special": "%1 = tosa.tanh %a : ({t}) -> {t}\n%0 = tosa.sub %1, %b : ({t}, {t}) -> {t}",
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("body", "type_"), [("add", "f32"), ("add", "i8"), ("special", "f16")])
def test_larger_shapes(body, type_, target):
    """Sizes at which strips repeat, rings fill and passes are fetched again."""
    t = ROWS.format(type_)
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{\n{BODIES[body]}\nreturn %0 : {t}\n}}"
    program = hwc.compile(text.replace("{t}", t), target)
    rng = np.random.default_rng(7)
    for _ in range(4):
        rows, row = rng.choice(LARGE, 2).tolist()
        if rows * row > 1 << 18:
            row = 65
        parts = (rows, row), (1, row), (rows, 1), (1, 1)
        whole, part = parts[0], parts[rng.integers(4)]
        dtype = {"f32": np.float32, "i8": np.int8, "f16": np.float16}[type_]
        arrays = [np.zeros(shape, dtype) for shape in (whole, part)]
        compare(program(*arrays), timed(program, [whole, part], None))


def test_a_difference_is_noticed():
    t = ROWS.format("f32")
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{\n{BODIES['add']}\nreturn %0 : {t}\n}}"
    program = hwc.compile(text.replace("{t}", t))
    arrays = np.zeros((4, 5), np.float32), np.zeros((4, 1), np.float32)
    before = time_equals_run.SEEN["equal"]
    with compared_calls(1):
        ran = program(*arrays)
    assert time_equals_run.SEEN["equal"] == before + 1
    for name in ("store_busy", "cycles"):
        counters = dict(ran.counters, **{name: ran.counters[name] + 1})
        wrong = replace(ran, cycles=counters["cycles"], counters=counters)
        with pytest.raises(AssertionError):
            compare(wrong, timed(program, [(4, 5), (4, 1)], None))
    with pytest.raises(AssertionError):
        compare(UserError("refused"), timed(program, [(4, 5), (4, 1)], None))
