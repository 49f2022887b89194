"""How long compiling and simulating take, with room for a busy host; `tests/bench` measures."""

import time

import numpy as np
import pytest
from e2e.support.tosa_text import add_program, dynamic

import hwc

ELEMENTS = 1 << 22


def long_chain(count):
    kind = "tensor<?x?xf32>"
    operators = ("add", "maximum", "sub", "minimum")
    text = f"func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{\n"
    last = "%a"
    for i in range(count):
        operator = operators[i % len(operators)]
        text += f"  %{i} = tosa.{operator} {last}, %b : ({kind}, {kind}) -> {kind}\n"
        last = f"%{i}"
    return text + f"  return {last} : {kind}\n}}\n"


@pytest.mark.parametrize(("count", "limit"), [(50, 1.0), (2000, 15.0)])
def test_compiling_a_chain(count, limit):
    hwc.compile(long_chain(1))
    text = long_chain(count)
    start = time.process_time()
    program = hwc.compile(text)
    assert time.process_time() - start < limit
    a, b = np.float32([[1.5, -2]]), np.float32([[0.25], [4]])
    expected = a
    functions = (np.add, np.maximum, np.subtract, np.minimum)
    for i in range(count):
        expected = functions[i % len(functions)](expected, b)
    np.testing.assert_array_equal(program(a, b).outputs[0], expected)


def seconds(work):
    """Processor time: other work on the host shall not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def test_a_call_takes_at_most_ten_times_as_long_as_numpy():
    program = hwc.compile(add_program(dynamic(1), dynamic(1), dynamic(1)))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(ELEMENTS, dtype=np.float32) for _ in "ab")
    rounds = [(seconds(lambda: program(a, b)), seconds(lambda: np.add(a, b))) for _ in range(9)]
    assert min(ours for ours, _ in rounds) <= 10 * min(numpy for _, numpy in rounds)
