"""Every region of the real models, on simulator and hardware side by side."""

from __future__ import annotations

import numpy as np
import pytest
from bench.models import MODELS
from lockstep.support import machine

from hwc.compiler import compile_package
from hwc.frontend.source import Source
from hwc.runtime.program import Program
from isa.target import load_target

pytestmark = pytest.mark.long

SIZES = {"text detection": (1, 3, 32, 64), "text recognition": (1, 3, 48, 32)}
"""Sizes where those of applications take the hardware too long."""


@pytest.mark.parametrize("name", MODELS)
def test_regions(name):
    model, pair = MODELS[name], machine("accel")
    source = Source(str(model.path), model.path.read_bytes())
    program = Program(compile_package(source, load_target("accel")).package, pair)
    size = SIZES.get(name, model.sizes[0])
    feeds = model.feeds(size, np.random.default_rng(0))
    names = [tensor.name for tensor in program.inputs]
    values = [feeds[name] for name in names] if set(names) <= set(feeds) else feeds.values()
    before, found = pair.dispatches, len(pair.differences)
    result = program(*values)
    regions = [step for step in result.steps if step.counters is not None]
    assert regions
    assert pair.dispatches - before >= len(regions)
    assert pair.differences[found:] == []
