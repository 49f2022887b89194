"""Random programs: the package equals NumPy and the static program, and mismatches are refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from breadth import breadth
from random_programs.check import TARGETS, Way, check, check_graph
from random_programs.generator import calls, generate
from random_programs.graph import Graph, Node, Value

PROGRAMS, LONG_PROGRAMS, MOST_PROGRAMS = 2_000, 10_000, 100_000
CHUNK = 100


def seeds(chunk: int) -> range:
    return range(CHUNK * chunk, CHUNK * (chunk + 1))


@pytest.mark.parametrize("chunk", range(PROGRAMS // CHUNK))
def test_random_programs(chunk):
    seen = sum((check(seed) for seed in seeds(chunk)), Counter())
    assert seen["calls that fit"] > CHUNK
    assert seen["calls refused"] > CHUNK // 5


@pytest.mark.long
@pytest.mark.parametrize(
    "chunk",
    [
        *range(PROGRAMS // CHUNK, LONG_PROGRAMS // CHUNK),
        *breadth(range(LONG_PROGRAMS // CHUNK, MOST_PROGRAMS // CHUNK)),
    ],
)
def test_many_random_programs(chunk):
    for seed in seeds(chunk):
        check(seed, Way(TARGETS[seed % len(TARGETS)]) if chunk % 10 == 0 else None)


def test_a_wrong_result_is_noticed_and_the_smallest_part_is_reported(monkeypatch):
    """The meaning of the operation that is returned is changed: the report returns it alone."""
    seed = next(s for s in range(100) if len(generate(s).graph.nodes) > 4)
    generator = generate(seed)
    nodes = generator.graph.nodes
    node = next(n for n in nodes if n.value == generator.graph.returned[0])

    def wrong(*operands):
        result = node.run(*operands)
        return (result.view(np.uint8) ^ 1).view(result.dtype)

    nodes[nodes.index(node)] = Node(node.value, node.operands, node.write, wrong)
    monkeypatch.setattr("random_programs.check.generate", lambda _: generator)
    with pytest.raises(AssertionError, match=f"seed {seed}, ") as error:
        check(seed)
    assert f"return {node.value.name} :" in str(error.value)


def test_a_mismatch_that_is_taken_is_noticed():
    """The declared size of a result is forgotten in the text but not in the meaning."""
    argument, value = Value("%a0", "f32", (None,)), Value("%v0", "f32", (3,))
    text = '%v0 = "tosa.abs"(%a0) : (tensor<?xf32>) -> tensor<?xf32>'
    node = Node(value, (argument,), lambda _: text, np.abs)
    graph = Graph([argument], [node], [Value("%v0", "f32", (None,))], {"%a0": (3,)})
    arrays = [np.ones(n, np.float32) for n in (3, 4)]
    with pytest.raises(AssertionError, match="taken, although %v0 has the shape"):
        check_graph(graph, [arrays[:1], arrays[1:]], Way("accel", ()))


def test_seeds_reach_sizes_0_and_1_and_every_rank():
    seen: set[int] = set()
    ranks: set[int] = set()
    for seed in range(60):
        for arrays in calls(generate(seed), 4):
            seen.update(n for a in arrays for n in a.shape)
            ranks.update(a.ndim for a in arrays)
    assert {0, 1} < seen
    assert ranks == {0, 1, 2, 3, 4}
