"""`sim.compiled`: what is compiled, and the name under which it is kept."""

from functools import cache

import numpy as np
import pytest

from sim import compiled as module
from sim.compiled import compiled

FACTOR = 3


@cache
def column():
    return np.array([10, 20, 30])


def larger(number):
    """For arrays; `LARGER_BY_ONE` is for a number."""
    return np.max(number)


LARGER_BY_ONE = {larger: lambda number: number + 1}


def entry(index):
    return column()[larger(index)] * FACTOR


def walk(out):
    for i in range(out.size):
        out[i] = entry(i)


@pytest.fixture(autouse=True)
def _of_this_file(monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", __name__)


def kept_as(instead=LARGER_BY_ONE, **names):
    return compiled(walk, names, instead).py_func.__qualname__


def test_what_is_called_is_compiled_too():
    out = np.zeros(2, np.int64)
    compiled(walk, instead=LARGER_BY_ONE)(out)
    assert out.tolist() == [60, 90]


def test_global_names_can_have_other_values():
    out = np.zeros(2, np.int64)
    compiled(walk, {"entry": larger}, LARGER_BY_ONE)(out)
    assert out.tolist() == [1, 2]


def test_the_same_functions_are_kept_under_the_same_name():
    assert kept_as() == kept_as()
    assert kept_as().startswith("walk.")


def test_a_result_is_not_taken_for_that_of_other_functions(monkeypatch):
    names = {kept_as(), kept_as(entry=larger), kept_as({larger: lambda number: number + 2})}
    monkeypatch.setitem(globals(), "FACTOR", 4)
    names.add(kept_as())
    column.cache_clear()
    monkeypatch.setitem(globals(), "column", cache(lambda: np.array([10, 20, 31])))
    names.add(kept_as())
    assert len(names) == 5
