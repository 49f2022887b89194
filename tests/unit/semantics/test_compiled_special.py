"""The transcendental functions compiled: the bits of NumPy's form, and when they are loaded."""

import numpy as np
import pytest

from sim.semantics import special
from sim.semantics.formats import FORMATS
from sim.semantics.special import EXACT, Special

POINTS = 1 << 17
EDGES = np.array(
    [
        *(0x0000_0000, 0x0000_0001, 0x007F_FFFF, 0x0080_0000, 0x3EFF_FFFF, 0x3F00_0000),
        *(0x3F35_04F3, 0x3F7F_FFFF, 0x3F80_0000, 0x3F80_0001, 0x4000_0000, 0x4040_0000),
        *(0x3FC9_0FDB, 0x4049_0FDB, 0x42B1_7218, 0x4B80_0001, 0x7F7F_FFFF, 0x7F80_0000),
        *(0x7F80_0001, 0x7FC0_0000),
    ],
    np.uint32,
)


def lanes():
    """Bits of all kinds, ordinary numbers, and the edges with both signs."""
    rng = np.random.default_rng(3)
    any_bits = rng.integers(0, 1 << 32, POINTS, np.uint32)
    numbers = (4 * rng.standard_normal(POINTS)).astype(np.float32).view(np.uint32)
    edges = np.concatenate([EDGES, EDGES | np.uint32(1 << 31)])
    pairs = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    x = np.concatenate([any_bits, numbers, pairs[0]])
    y = np.concatenate([numbers, rng.permutation(numbers), pairs[1]])
    return x.view(np.int32), y.view(np.int32)


@pytest.fixture(autouse=True)
def _nothing_computed(monkeypatch):
    monkeypatch.setattr(Special, "points", 0)


def operands(name):
    x, y = lanes()
    return (x, y) if name == "pow" else (x,)


@pytest.mark.parametrize("name", EXACT)
def test_the_bits_are_the_same(name):
    given, arrays, alone = operands(name), Special(EXACT[name]), Special(EXACT[name])
    assert alone.load()
    with np.errstate(all="ignore"):
        for format_ in (FORMATS["f32"], FORMATS["f16"], FORMATS["bf16"]):
            assert (arrays(format_, *given) == alone(format_, *given)).all()


def test_loading_waits_until_it_pays(monkeypatch):
    monkeypatch.setattr(special, "LOADING", 100)
    monkeypatch.setattr(special, "CALL", 10)
    asked = []
    monkeypatch.setattr(special, "compiled", lambda *_: asked.append(1) or (lambda x, out: None))
    exp, f32 = Special(EXACT["exp"]), FORMATS["f32"]
    exp(f32, np.zeros(60, np.int32))
    Special(EXACT["log"])(f32, np.ones(20, np.int32))
    assert not asked
    exp(f32, np.zeros(1, np.int32))
    assert asked == [1]


@pytest.mark.usefixtures("without_numba")
def test_nothing_needs_numba(monkeypatch):
    monkeypatch.setattr(special, "LOADING", 0)
    exp = Special(EXACT["exp"])
    assert not exp.load()
    assert exp(FORMATS["f32"], np.zeros(3, np.int32)).view(np.float32).tolist() == [1, 1, 1]
