"""Random models: machine and host give what NumPy computes, and misfits are refused."""

from __future__ import annotations

import numpy as np
import pytest
from breadth import breadth
from random_programs import models
from random_programs.graph import Node

MODELS, LONG_MODELS, MOST_MODELS = 50, 1_000, 20_000


def seeds(chunk: int) -> range:
    return range(models.CHUNK * chunk, models.CHUNK * (chunk + 1))


@pytest.mark.parametrize("chunk", range(MODELS // models.CHUNK))
def test_random_models(chunk):
    seen = models.check(seeds(chunk))
    assert seen["calls that fit"] > models.CHUNK
    assert seen["calls refused"] > models.CHUNK // 5
    assert seen["models with both"] > models.CHUNK // 5
    assert seen["models that IREE does not compile"] < models.CHUNK // 10


@pytest.mark.long
@pytest.mark.parametrize(
    "chunk",
    [
        *range(MODELS // models.CHUNK, LONG_MODELS // models.CHUNK),
        *breadth(range(LONG_MODELS // models.CHUNK, MOST_MODELS // models.CHUNK)),
    ],
)
def test_many_random_models(chunk):
    models.check(seeds(chunk))


def test_a_wrong_result_is_noticed():
    """The meaning of the operator that is returned is changed."""
    model = next(m for m in map(models.compiled, range(20)) if m and m.package.host_steps)
    graph = model.generator.graph
    node = next(n for n in graph.nodes if n.value == graph.returned[0])

    def wrong(*operands):
        return np.concatenate([np.atleast_1d(node.run(*operands))] * 2)

    graph.nodes[graph.nodes.index(node)] = Node(node.value, node.operands, node.write, wrong)
    with pytest.raises(AssertionError, match=f"seed {model.seed}, "):
        model.check(models.Counter())
