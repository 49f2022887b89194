"""Random shapes fulfil what a program says about its sizes, so that the first try mostly fits."""

import numpy as np
import pytest

import hwc
from hwc.cli import random_shapes as module
from hwc.cli.random_shapes import random_shapes

TEXT = """\
func.func @main(%a: tensor<?x?xf32> {hwc.symbols = ["n", "d"]}, %b: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {hwc.assume = FACTS} {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""


@pytest.mark.parametrize(
    ("facts", "broadcast"),
    [
        ('["b.0 in {1, n}", "d % 64 == 0", "128 <= d <= 4096", "b.1 == d", "n in {3, 5}"]', None),
        ('["n % 1000 == 7", "d == 3"]', None),
        ("[]", "strict"),
    ],
)
def test_few_tries_are_enough(monkeypatch, facts, broadcast):
    monkeypatch.setattr(module, "TRIES", 5)
    program = hwc.compile(TEXT.replace("FACTS", facts), broadcast=broadcast)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        program.symbols(random_shapes(program.package, program.target, rng))


def test_sizes_that_may_be_1_sometimes_are():
    program = hwc.compile(TEXT.replace("FACTS", '["b.0 in {1, n}", "n >= 2", "b.1 == d"]'))
    rngs = map(np.random.default_rng, range(30))
    drawn = [random_shapes(program.package, program.target, rng) for rng in rngs]
    assert {b[0] == 1 for _, b in drawn} == {True, False}
    assert all(a[0] >= 2 for a, _ in drawn)
